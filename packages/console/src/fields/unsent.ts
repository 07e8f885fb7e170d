/**
 * Values that cannot be sent: texts that are no values of their fields, and values that are
 * missing.
 */
import type { FieldDescription } from 'bindery-server/client'
import { t } from '../words/words.ts'
import { isUnread } from './control.ts'
import { isArriving } from './files/shown-file.ts'

type Field = Pick<FieldDescription, 'name' | 'label' | 'nullable' | 'required'>

/** A text that is no value, or a file that is still arriving. */
function unsentProblem(label: string, value: unknown): string | undefined {
  if (isArriving(value)) return t('stillArriving', { label })
  return isUnread(value) ? t('notReadable', { label }) : undefined
}

/** The value in a change of a record that exists: null is none. */
export function changeProblem({ label, nullable }: Field, value: unknown): string | undefined {
  const unsent = unsentProblem(label, value)
  return unsent ?? (value === null && !nullable ? t('isRequired', { label }) : undefined)
}

/** The value in a new record: a field without null may have one in its declaration. */
export function newProblem({ label, required }: Field, value: unknown): string | undefined {
  const unsent = unsentProblem(label, value)
  if (unsent !== undefined) return unsent
  return value == null && required.includes('create') ? t('isRequired', { label }) : undefined
}

type Problem = typeof changeProblem
type Values = Readonly<Record<string, unknown>>

/** The problems of fields by their names; undefined where all can be sent. */
export type Problems = { readonly message: string; readonly fields: Readonly<Record<string, string>> } | undefined

export function problemsIn(fields: readonly Field[], values: Values, problemOf: Problem): Problems {
  const found = fields.flatMap((field) => {
    const problem = problemOf(field, values[field.name])
    return problem === undefined ? [] : [[field.name, problem] as const]
  })
  return problemsWith(undefined, Object.fromEntries(found))
}

export function problemsWith(problems: Problems, others: Readonly<Record<string, string>>): Problems {
  const fields = { ...problems?.fields, ...others }
  return Object.keys(fields).length === 0 ? undefined : { message: t('notSent'), fields }
}

/** An empty input of a field without null leaves the value to the declaration. */
export function sendable(fields: readonly Field[], values: Values): Values {
  const empty = new Set(fields.filter(({ nullable }) => !nullable).map(({ name }) => name))
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null || !empty.has(name)))
}
