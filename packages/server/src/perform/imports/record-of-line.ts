/** The record that a line of an import is about: by its id, or by a unique key (`?on=sku`). */
import type { ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, never } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { whereKeyed, whereShown } from '../keyed-record.ts'
import { parseId } from '../read/find.ts'

export function idOfLine(resource: Resource, sent: unknown): Condition {
  const id = parseId(resource, String(sent))
  return id === undefined ? never : equal(resource.idField, id)
}

/** Throws `bad-request` for a value of the key that is missing or wrong. */
export function keyOfLine(
  { operation: { resource }, principal, visible, visibleWhere }: Permitted<ImportOperation>,
  { key, input }: { readonly key: readonly string[]; readonly input: Readonly<Record<string, unknown>> },
): Condition {
  const sentAs = (name: string) => {
    const field = resource.fields[name] as Field
    const sent = input[name]
    return sent === undefined || sent === null ? sent : field.type.check(sent, name, field)
  }
  return all(whereKeyed(resource, { key, principal, sentAs }), whereShown({ visible, visibleWhere }, resource, key))
}
