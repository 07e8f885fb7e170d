/** The id of a record of another resource. The record must exist when the field is set. */
import { type CommonOptions, type Field, makeField, type ReferenceOptions } from './field.ts'
import { referenceType } from './id.ts'

type Options = CommonOptions &
  Partial<ReferenceOptions> & {
    /** The value comes from the caller or from the record that the path names, never from the body. */
    setBy?: 'principal' | 'parent' | 'engine'
  }
type ReferenceValue<O> = O extends { onDelete: 'delete' } ? string : string | null

/**
 * `reference('user', { setBy: 'principal', onDelete: 'clear' })`. The catalog replaces the type by the one that fits the target's ids, once
 * it knows the target.
 */
export function reference<const O extends Options>(resource: string, options?: O): Field<ReferenceValue<O>> {
  const { onDelete = 'clear', touch = false, ...common } = options ?? ({} as Options)
  const nullable = onDelete !== 'delete'
  return makeField(referenceType, { ...common, nullable, reference: { resource, onDelete, touch } })
}
