/**
 * Turns stored values that code gives into the JSON that a request would send. The parsers of
 * requests check it, and refuse to code what they refuse to requests.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Field, Json } from '../resource/fields/field.ts'
import { isTable } from '../resource/members.ts'
import { representValue } from '../value/represent.ts'

type Given = Readonly<Record<string, unknown>>

const defined = (given: Given) => Object.entries(given).filter(([, value]) => value !== undefined)

/** Links are given as bodies have them, and a secret as its owner knows it. */
function jsonOf(field: Field | undefined, value: unknown): unknown {
  if (!field || field.virtual || field.type.secret !== undefined) return value
  return representValue(field, value)
}

/** The body of a create or an update. */
export function bodyOf({ fields }: Resource, values: Given): Given {
  return Object.fromEntries(
    defined(values).map(([name, value]) => [
      name,
      jsonOf(Object.hasOwn(fields, name) ? fields[name] : undefined, value),
    ]),
  )
}

/** Operators whose operand is no value of the field. */
const ownOperands: ReadonlySet<string> = new Set(['contains', 'startsWith', 'null', 'empty'])

function comparisonsOf(field: Field, comparisons: Given): Given {
  const one = field.type.item ?? field
  const operand = (operator: string, value: unknown): unknown => {
    if (ownOperands.has(operator)) return value
    return Array.isArray(value) ? value.map((item) => representValue(one, item)) : representValue(one, value)
  }
  return Object.fromEntries(defined(comparisons).map(([operator, value]) => [operator, operand(operator, value)]))
}

/** A filter as `filter=` of a request has it. */
export function filterOf(resource: Resource, filter: Given): Given {
  const { fields } = resource
  const below = (value: unknown): unknown => (isTable(value) ? filterOf(resource, value) : value)
  const member = (name: string, value: unknown): unknown => {
    if (name === 'not') return below(value)
    if (name === 'and' || name === 'or') return Array.isArray(value) ? value.map(below) : value
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field && !field.virtual && isTable(value) ? comparisonsOf(field, value) : value
  }
  return Object.fromEntries(defined(filter).map(([name, value]) => [name, member(name, value)]))
}

/** The filter for records with these values. */
export function equalTo(resource: Resource, values: Given): Given {
  const comparisons = defined(values).map(([name, value]) => [name, value === null ? { null: true } : { eq: value }])
  return filterOf(resource, Object.fromEntries(comparisons))
}

export function filterText(filter: Given): string {
  return JSON.stringify(filter satisfies Readonly<Record<string, unknown>> as Json)
}
