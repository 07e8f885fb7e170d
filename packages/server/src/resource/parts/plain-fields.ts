/** Fields of values that belong to no record, such as settings and the values of a mail. */
import { defaultMistake } from '../checks/check-fields.ts'
import { fieldNameMistake } from '../checks/declaration-check.ts'
import type { Field, Fields } from '../fields/field.ts'
import { partsOf } from '../fields/nested/object.ts'
import type { PartCheck } from './application-part.ts'

function plainFieldMistake(field: Field, { byName }: Pick<PartCheck, 'byName'>): string | undefined {
  if (field.virtual || field.setBy || field.type.referredBy || field.type.secret || field.transitions)
    return 'is a field of records: no value of it can be given here'
  if (partsOf(field)) return 'is an object, which only input and output have'
  if (field.reference) return 'is a reference, and refers from no record here'
  if (typeof field.default === 'function') return 'its default must be a value here, and is a function'
  return field.type.limitsMistake?.(field.limits) ?? defaultMistake(field, byName as never)
}

/** Reports fields that need a record, and defaults and limits that do not fit. */
export function checkPlainFields(fields: Fields, context: PartCheck): void {
  for (const [name, field] of Object.entries(fields)) {
    const problem = fieldNameMistake(name) ?? plainFieldMistake(field, context)
    if (problem) context.report(`field "${name}"`, problem)
  }
}
