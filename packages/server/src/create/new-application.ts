/** `npm create bindery@latest my-app` and `bindery init my-app`: a new application in a folder of its own. */
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { isKind, type Kind, kindNames } from './kinds.ts'
import type { CreateOptions } from './options.ts'
import { ownVersion } from './own-version.ts'
import { filesOf, nameOf } from './project.ts'
import { type Answers, ask, usual } from './questions.ts'
import { CreateError, checkEmpty, writeProject } from './write-project.ts'

/** A path is relative to where the command is called, and would not be found from the new folder. */
function engineOf(given: string | undefined): string {
  if (given === undefined) return `^${ownVersion()}`
  return existsSync(given) ? `file:${resolve(given)}` : given
}

function kindOf(given: string | undefined): Kind | undefined {
  if (given === undefined || isKind(given)) return given
  throw new CreateError(`--kind must be one of ${kindNames.join(', ')}, not ${given}`)
}

/** Throws `CreateError`. */
export async function createApplication(folder: string | undefined, options: CreateOptions): Promise<void> {
  const installs = options.install === false ? false : undefined
  const given: Partial<Answers> = {
    ...(folder !== undefined && { folder }),
    ...(kindOf(options.kind) && { kind: kindOf(options.kind) as Kind }),
    ...(installs !== undefined && { installs }),
  }
  if (folder !== undefined) checkEmpty(resolve(folder))
  const isAsked = !options.yes && process.stdin.isTTY && process.stdout.isTTY
  const answers = isAsked ? await ask(given) : { ...usual, ...given }
  if (!answers) {
    process.exitCode = 130
    return
  }
  const target = resolve(answers.folder)
  const project = { kind: answers.kind, name: nameOf(target), engine: engineOf(options.engine) }
  if (answers.installs) process.stderr.write('Installing …\n')
  await writeProject(target, {
    files: filesOf({ ...project, node: process.versions.node }),
    installs: answers.installs,
  })
  const steps = [
    ...(relative('', target) === '' ? [] : [`cd ${relative('', target)}`]),
    ...(answers.installs ? [] : ['npm install']),
    'npm start',
  ]
  process.stdout.write(`Made ${target}\n\n${steps.map((step) => `  ${step}\n`).join('')}\n`)
}
