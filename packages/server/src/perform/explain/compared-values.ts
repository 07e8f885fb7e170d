/** The values that a clause compared, as responses show them. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Json } from '../../resource/fields/field.ts'
import type { Row, Values } from '../../storage/storage.ts'
import { representRecord } from '../../value/represent.ts'
import type { ComparedValue } from './clause.ts'

/** A caller may be a member of many tenants. */
const listedMax = 20

type ComparedRow = { readonly resource: Resource; readonly row: Values | undefined }

/** A stored value of the field in its JSON form. */
function shown(resource: Resource, field: string, value: unknown): Json {
  return (representRecord(resource, [field], { [field]: value ?? null } as unknown as Row)[field] ?? null) as Json
}

/** Comparisons with related records are left out: clauses of their own are about those. */
export function comparedValues(on: ComparedRow, condition: Condition): readonly ComparedValue[] {
  const { resource, row } = on
  const is = (field: string) => (row === undefined ? {} : { is: shown(resource, field, row[field]) })
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of.flatMap((one) => comparedValues(on, one))
    case 'not':
      return comparedValues(on, condition.of)
    case 'compare': {
      const { field, operator, value } = condition
      return [{ field, operator, ...is(field), with: shown(resource, field, value) }]
    }
    case 'compareFields': {
      const { field, operator, other } = condition
      const value = row === undefined ? {} : { with: shown(resource, other, row[other]) }
      return [{ field, operator: `${operator} ${other}`, ...is(field), ...value }]
    }
    case 'comparePrevious': {
      const { field, operator, previous } = condition
      return [{ field, operator: `${operator} previous ${previous}`, ...is(field) }]
    }
    case 'in': {
      const { field, values } = condition
      const list = values.slice(0, listedMax).map((value) => shown(resource, field, value))
      return [{ field, operator: 'in', ...is(field), with: list }]
    }
    case 'null':
      return [{ field: condition.field, operator: 'null', ...is(condition.field), with: condition.isNull }]
    case 'has': {
      const { field, item } = condition
      const asked = item === null ? { operator: 'empty', with: false } : { operator: 'contains', with: item as Json }
      return [{ field, ...asked, ...is(field) }]
    }
    case 'contains':
    case 'startsWith':
      return [{ field: condition.field, operator: condition.kind, ...is(condition.field), with: condition.text }]
    case 'true':
    case 'false':
    case 'search':
    case 'member': // no rule has one
    case 'related':
    case 'within':
      return []
  }
}
