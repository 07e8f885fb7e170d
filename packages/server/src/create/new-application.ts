/**
 * `npm create bindery@latest my-app` and `bindery init my-app`: create a new application in its own
 * folder.
 */
import { basename, relative, resolve } from 'node:path'
import { nodeOfApplications } from './node-found.ts'
import type { CreateOptions } from './options.ts'
import { checkTargetFolder, withEnginePackage } from './packed-engine.ts'
import { filesOf, nameOf } from './project.ts'
import { askQuestions, defaultAnswers, type ProjectAnswers } from './questions.ts'
import { isTemplateKind, type TemplateKind, templateKindNames } from './template-kinds.ts'
import { CreateError, checkEmpty, writeProject } from './write-project.ts'

function kindOf(given: string | undefined): TemplateKind | undefined {
  if (given === undefined || isTemplateKind(given)) return given
  throw new CreateError(`--kind must be one of ${templateKindNames.join(', ')}, not ${given}`)
}

function checkTarget(target: string): void {
  checkTargetFolder(target)
  checkEmpty(target)
}

/** Throws `CreateError`. */
export async function createApplication(folder: string | undefined, options: CreateOptions): Promise<void> {
  const installs = options.install === false ? false : undefined
  const given: Partial<ProjectAnswers> = {
    ...(folder !== undefined && { folder }),
    ...(kindOf(options.kind) && { kind: kindOf(options.kind) as TemplateKind }),
    ...(installs !== undefined && { installs }),
  }
  if (folder !== undefined) checkTarget(resolve(folder))
  const isAsked = !options.yes && process.stdin.isTTY && process.stdout.isTTY
  const answers = isAsked ? await askQuestions(given) : { ...defaultAnswers, ...given }
  if (!answers) {
    process.exitCode = 130
    return
  }
  const target = resolve(answers.folder)
  checkTarget(target)
  await withEnginePackage(options.engine, async ({ spec, file }) => {
    if (answers.installs) process.stderr.write('Installing …\n')
    const project = { kind: answers.kind, name: nameOf(target), engine: spec, engineFile: file && basename(file) }
    await writeProject(target, {
      files: filesOf({ ...project, node: nodeOfApplications() }),
      copied: file,
      installs: answers.installs,
    })
  })
  const steps = [
    ...(relative('', target) === '' ? [] : [`cd ${relative('', target)}`]),
    ...(answers.installs ? [] : ['npm install']),
    'npm start',
  ]
  process.stdout.write(`Made ${target}\n\n${steps.map((step) => `  ${step}\n`).join('')}\n`)
}
