/**
 * The value of a new record's field that was not given: the time of the transaction, or the
 * default.
 */
import { defaultOf } from '../operation/body.ts'
import type { Field } from '../resource/fields/field.ts'
import type { WriteContext } from './write-context.ts'

export function initialValue({ now, settings, author }: WriteContext, field: Field): unknown {
  if (field.setBy === 'create' || field.setBy === 'write') return now
  return defaultOf(field, { now, settings, role: author.role })
}
