/** What a person is asked: at most three questions, and none whose answer was given. */
import { cancel, confirm, intro, isCancel, select, text } from '@clack/prompts'
import { type Kind, kindNames, kinds } from './kinds.ts'

export type Answers = { readonly folder: string; readonly kind: Kind; readonly installs: boolean }

export const usual: Answers = { folder: 'my-app', kind: 'users', installs: true }

/** Undefined when the person has had enough. */
export async function ask(given: Partial<Answers>): Promise<Answers | undefined> {
  const gone = () => {
    cancel('Nothing was made')
    return undefined
  }
  intro('A new Bindery application')
  const folder =
    given.folder ?? (await text({ message: 'Where?', placeholder: usual.folder, defaultValue: usual.folder }))
  if (isCancel(folder)) return gone()
  const options = kindNames.map((value) => ({ value, label: kinds[value].label }))
  const kind = given.kind ?? (await select<Kind>({ message: 'What to begin with?', options }))
  if (isCancel(kind)) return gone()
  const installs = given.installs ?? (await confirm({ message: 'Run npm install?' }))
  if (isCancel(installs)) return gone()
  return { folder, kind, installs }
}
