/** The id of a record of another resource. It must exist when it is set. */
import { type CommonOptions, type Field, makeField, type ReferenceOptions } from './field.ts'
import { referenceType } from './id.ts'

type Options = CommonOptions &
  Partial<ReferenceOptions> & {
    /** Taken from the caller, or from the record that the path names, never from the body. */
    setBy?: 'principal' | 'parent' | 'engine'
  }
type ReferenceValue<O> = O extends { onDelete: 'delete' } ? string : string | null

/**
 * The catalog puts in the type that the target's ids ask for, once it knows the target:
 * `reference('user', { setBy: 'principal', onDelete: 'clear' })`.
 */
export function reference<const O extends Options>(resource: string, options?: O): Field<ReferenceValue<O>> {
  const { onDelete = 'clear', touch = false, ...common } = options ?? ({} as Options)
  const nullable = onDelete !== 'delete'
  return makeField(referenceType, { ...common, nullable, reference: { resource, onDelete, touch } })
}
