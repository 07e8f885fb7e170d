/**
 * Reports the bad lines of an import. It shows the first ones, and writes all with their reasons to
 * a file, which it creates for the first one.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { type Output, plain } from '../../command/output.ts'
import type { ImportProblem } from '../../perform/result.ts'
import { fileError, messageOf } from '../failure.ts'

const shownMax = 20

export type Rejects = {
  add(problem: ImportProblem): void
  /** The file, if it has a line. */
  end(): string | undefined
}

/** Rewords a message about a body for a line. */
function reasonOf(error: string): string {
  return error.replace(/^The body\b/, 'The line')
}

/**
 * Without a file (standard input, and none named) every bad line is shown. Only the owner may read
 * the file: it may contain passwords.
 */
export function makeRejects(file: string | undefined, output: Output): Rejects {
  let descriptor: number | undefined
  let count = 0

  function keep(target: string, problem: ImportProblem): void {
    try {
      descriptor ??= openSync(target, 'w', 0o600)
      writeSync(descriptor, `${JSON.stringify(problem)}\n`)
    } catch (error) {
      throw fileError('write', target, error)
    }
  }

  return {
    add({ line, error, text, fault }) {
      const reason = fault === undefined ? reasonOf(error) : messageOf(fault, output.debug)
      count += 1
      if (file !== undefined) keep(file, { line, error: reason, text })
      if (output.json) output.problem(reason, { line })
      else if (file === undefined || count <= shownMax) output.note(`line ${line}: ${plain(reason)}`)
      else if (count === shownMax + 1) output.note(`more bad lines are in ${file}`)
    },
    end() {
      if (descriptor !== undefined) closeSync(descriptor)
      return descriptor === undefined ? undefined : file
    },
  }
}
