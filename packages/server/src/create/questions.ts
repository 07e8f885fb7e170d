/** Asks the user at most three questions, and none whose answer was given as an option. */
import { cancel, confirm, intro, isCancel, select, text } from '@clack/prompts'
import { type TemplateKind, templateKindNames, templateKinds } from './template-kinds.ts'

export type ProjectAnswers = { readonly folder: string; readonly kind: TemplateKind; readonly installs: boolean }

export const defaultAnswers: ProjectAnswers = { folder: 'my-app', kind: 'users', installs: true }

/** Undefined when the user cancels. */
export async function askQuestions(given: Partial<ProjectAnswers>): Promise<ProjectAnswers | undefined> {
  const gone = () => {
    cancel('Nothing was made')
    return undefined
  }
  intro('A new Bindery application')
  const folder =
    given.folder ??
    (await text({ message: 'Where?', placeholder: defaultAnswers.folder, defaultValue: defaultAnswers.folder }))
  if (isCancel(folder)) return gone()
  const options = templateKindNames.map((value) => ({ value, label: templateKinds[value].label }))
  const kind = given.kind ?? (await select<TemplateKind>({ message: 'What to begin with?', options }))
  if (isCancel(kind)) return gone()
  const installs = given.installs ?? (await confirm({ message: 'Run npm install?' }))
  if (isCancel(installs)) return gone()
  return { folder, kind, installs }
}
