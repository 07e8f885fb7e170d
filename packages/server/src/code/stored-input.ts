/**
 * Turns stored values that code gives into the JSON that a request would send. The parsers of
 * requests check it, and refuse to code what they refuse to requests.
 */
import { isQuantifier } from '../operation/links/filter-links.ts'
import { parameterError } from '../operation/parameters.ts'
import type { Resource } from '../resource/catalog.ts'
import type { RecordFilter } from '../resource/code/code-reads.ts'
import type { Field, Fields } from '../resource/fields/field.ts'
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

/** A comparison with nothing would find every record. */
function checkGiven(name: string, value: unknown): void {
  if (value === undefined) throw parameterError('filter', `${name} in filter is undefined: leave it out`)
}

/** A value of another type stays: the parser of the field refuses it in its own words. */
function operandOf(field: Field, value: unknown): unknown {
  try {
    const json = representValue(field, value)
    return Number.isNaN(json) ? value : json
  } catch {
    return value
  }
}

function comparisonsOf(field: Field, name: string, comparisons: Given): Given {
  if (field.type.hasMembers) return comparisons
  const one = field.type.item ?? field
  const operand = (operator: string, value: unknown): unknown => {
    checkGiven(`${name}[${operator}]`, value)
    if (ownOperands.has(operator)) return value
    return Array.isArray(value) ? value.map((item) => operandOf(one, item)) : operandOf(one, value)
  }
  return Object.fromEntries(
    Object.entries(comparisons).map(([operator, value]) => [operator, operand(operator, value)]),
  )
}

/** The resource of the records that a member of a filter asks about; undefined for a field. */
function resourceBehind({ relations, links }: Resource, name: string): Resource | undefined {
  if (Object.hasOwn(links, name)) return links[name]?.target
  return Object.hasOwn(relations, name) ? relations[name]?.resource : undefined
}

function behind(resource: Resource, value: Given): Given {
  const asked = Object.entries(value).map(([word, one]) =>
    isQuantifier(word) && isTable(one) ? [word, filterOf(resource, one)] : [word, one],
  )
  return Object.fromEntries(asked)
}

/** A filter as `filter=` of a request has it. Throws `bad-request` for an undefined operand. */
export function filterOf(resource: Resource, filter: Given): Given {
  const { fields, links } = resource
  const below = (value: unknown): unknown => (isTable(value) ? filterOf(resource, value) : value)
  const member = (name: string, value: unknown): unknown => {
    checkGiven(name, value)
    if (name === 'not') return below(value)
    if (name === 'and' || name === 'or') return Array.isArray(value) ? value.map(below) : value
    if (!isTable(value)) return value
    const other = resourceBehind(resource, name)
    if (other) return Object.hasOwn(links, name) ? behind(other, value) : filterOf(other, value)
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return field && !field.virtual ? comparisonsOf(field, name, value) : value
  }
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, member(name, value)]))
}

/** The filter of code for records with these values. */
export function equalTo(values: Given): RecordFilter<Fields> {
  const comparisons = defined(values).map(([name, value]) => [name, value === null ? { null: true } : { eq: value }])
  return Object.fromEntries(comparisons) as RecordFilter<Fields>
}

/** The text of `filter=`. Long numbers are texts in it. */
export function filterText(filter: Given): string {
  return JSON.stringify(filter, (name, value: unknown) => {
    // JSON leaves these out, and a comparison with nothing would find every record.
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
      throw parameterError('filter', `${name} in filter is no value`)
    return typeof value === 'bigint' ? String(value) : value
  })
}
