/** Bad lines of an import: the first ones are told, all of them go with their reason to a file that is made when there is one. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { ImportProblem } from '../perform/result.ts'
import { fileError } from './failure.ts'
import { type Output, plain } from './output.ts'

const shownMax = 20

export type Rejects = {
  add(problem: ImportProblem): void
  /** The file, if any line went there. */
  end(): string | undefined
}

/** What is said of a body is said of a line here. */
function reasonOf(error: string): string {
  return error.replace(/^The body\b/, 'The line')
}

/** Without a file (standard input, and none was named) every bad line is told. The file is its owner's alone: it may hold passwords. */
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
    add({ line, error, text }) {
      const reason = reasonOf(error)
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
