/**
 * Values that cannot be sent: texts that are no values of their fields, and values that are
 * missing.
 */
import type { FieldDescription } from 'bindery-server/client'
import { t } from '../words/words.ts'
import { isUnread } from './control.ts'

type Field = Pick<FieldDescription, 'name' | 'label' | 'nullable' | 'required'>

/** The value in a change of a record that exists: null is none. */
export function changeProblem({ label, nullable }: Field, value: unknown): string | undefined {
  if (isUnread(value)) return t('notReadable', { label })
  return value === null && !nullable ? t('isRequired', { label }) : undefined
}

/** The value in a new record: a field without null may have one in its declaration. */
export function newProblem({ label, required }: Field, value: unknown): string | undefined {
  if (isUnread(value)) return t('notReadable', { label })
  return value == null && required.includes('create') ? t('isRequired', { label }) : undefined
}

type Problem = typeof changeProblem
type Values = Readonly<Record<string, unknown>>

/** Field → its problem; undefined where all can be sent. */
export function problemsIn(fields: readonly Field[], values: Values, problemOf: Problem) {
  const found = fields.flatMap((field) => {
    const problem = problemOf(field, values[field.name])
    return problem === undefined ? [] : [[field.name, problem] as const]
  })
  return found.length === 0 ? undefined : { message: t('notSent'), fields: Object.fromEntries(found) }
}
