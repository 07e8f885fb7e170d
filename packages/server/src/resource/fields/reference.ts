/** The id of a record of another resource. It must exist when it is set. */
import { isUuid } from '../../ids.ts'
import {
  type CommonOptions,
  type Field,
  type FieldType,
  fieldError,
  makeField,
  operators,
  type ReferenceOptions,
} from './field.ts'
import { integerIdType, uuidType } from './id.ts'

export const referenceType: FieldType = {
  name: 'reference',
  column: 'text',
  operators,
  scalar: 'ID',
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    return value.toLowerCase()
  },
  checkStored: uuidType.checkStored,
  parse(text, name) {
    if (!isUuid(text.toLowerCase())) throw fieldError(name, 'must be an id')
    return text.toLowerCase()
  },
  parsePart: uuidType.parsePart,
  schema: () => ({ type: 'string', format: 'uuid' }),
}

type Options = CommonOptions &
  Partial<ReferenceOptions> & {
    /** Taken from the caller, or from the record that the path names, never from the body. */
    setBy?: 'principal' | 'parent' | 'engine'
  }
type ReferenceValue<O> = O extends { onDelete: 'delete' } ? string : string | null

/** `reference('user', { setBy: 'principal', onDelete: 'clear' })`. */
export function reference<const O extends Options>(resource: string, options?: O): Field<ReferenceValue<O>> {
  const { onDelete = 'clear', touch = false, ...common } = options ?? ({} as Options)
  const nullable = onDelete !== 'delete'
  return makeField(referenceType, { ...common, nullable, reference: { resource, onDelete, touch } })
}

/** The same for a target whose ids are integers; the catalog puts it in once it knows the target. */
export const integerReferenceType: FieldType = {
  ...integerIdType,
  name: 'reference',
}
