/**
 * Objects and lists of objects, in the input and output of actions. No record stores
 * one: a record has `json()`, or children.
 */
import { countKind, isTable, type Members, takeOptions } from '../../members.ts'
import type { RecordOf } from '../../record-of.ts'
import {
  commonMembers,
  type Field,
  type FieldOf,
  type Fields,
  type FieldType,
  fieldError,
  type Json,
  type JsonSchema,
  makeField,
  type ValueOf,
} from '../field.ts'

const itemsDefault = 100
const itemsMax = 10_000

type ObjectLimits = { readonly parts: Fields; readonly items?: number | undefined }
type Values = Readonly<Record<string, unknown>>

function checkMember(name: string, field: Field, value: unknown): unknown {
  if (value !== undefined && value !== null) return field.type.check(value, name, field)
  if (field.required) throw fieldError(name, 'is required')
  const { default: fallback } = field
  return fallback === undefined || fallback === null || typeof fallback === 'function'
    ? null
    : field.type.check(fallback, name, field)
}

/** A value that was sent → its stored values, all members of them. Throws `bad-request`. */
function checkObject(parts: Fields, value: unknown, name: string): Values {
  if (!isTable(value)) throw fieldError(name, 'must be an object')
  const unknown = Object.keys(value).find((one) => !Object.hasOwn(parts, one))
  if (unknown !== undefined) throw fieldError(name, `has an unknown field ${unknown.slice(0, 100)}`)
  return Object.fromEntries(
    Object.entries(parts).map(([one, field]) => [one, checkMember(`${name}.${one}`, field, value[one])]),
  )
}

/**
 * The values of fields as JSON. Members without a field are left out. Throws an `Error` where a
 * value is missing or is none of its field: the code that gave them is wrong.
 */
export function representFields(parts: Fields, value: unknown, name = ''): Readonly<Record<string, Json>> {
  if (!isTable(value)) throw new Error(`${name === '' ? 'the answer' : name} must be an object`)
  return Object.fromEntries(
    Object.entries(parts).map(([one, field]) => {
      const at = name === '' ? one : `${name}.${one}`
      const own = Object.hasOwn(value, one) ? value[one] : undefined
      if (own !== undefined && own !== null) return [one, representOne(field, own, at)]
      if (!field.nullable) throw new Error(`${at} has no value`)
      return [one, null]
    }),
  )
}

function representOne(field: Field, value: unknown, at: string): Json {
  const { represent } = field.type
  const parts = partsOf(field)
  if (parts) return representParts(parts, value, { at, isList: field.type.isList === true })
  try {
    field.type.checkStored(value, at, field)
  } catch (cause) {
    throw new Error((cause as Error).message, { cause })
  }
  return represent ? represent(value, field) : (value as Json)
}

function representParts(parts: Fields, value: unknown, { at, isList }: { at: string; isList: boolean }): Json {
  if (!isList) return representFields(parts, value, at)
  if (!Array.isArray(value)) throw new Error(`${at} must be a list`)
  return value.map((one, i) => representFields(parts, one, `${at}[${i}]`))
}

/** The schema of an object with these fields, as code takes it. */
export function fieldsSchema(parts: Fields): JsonSchema {
  const entries = Object.entries(parts)
  const required = entries.filter(([, field]) => field.required).map(([name]) => name)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, memberSchema(field)])),
    additionalProperties: false,
  }
}

function everyRequired(schema: JsonSchema): JsonSchema {
  if (schema.items) return { ...schema, items: everyRequired(schema.items as JsonSchema) }
  if (!schema.properties) return schema
  const entries = Object.entries(schema.properties).map(([name, one]) => [name, everyRequired(one as JsonSchema)])
  const names = Object.keys(schema.properties)
  return { ...schema, ...(names.length > 0 && { required: names }), properties: Object.fromEntries(entries) }
}

/** The schema of an object with these fields, as code gives it: each member is there. */
export function givenSchema(parts: Fields): JsonSchema {
  return everyRequired(fieldsSchema(parts))
}

/** The schema of a value inside an object: null where it may be null. */
function memberSchema(field: Field): JsonSchema {
  const { description } = field
  const own = field.type.schema(field)
  const schema = { ...own, ...(description !== undefined && { description }) }
  if (!field.nullable || own.type === undefined) return schema
  const values = own.enum as readonly Json[] | undefined
  return { ...schema, type: [...[own.type].flat(), 'null'] as Json, ...(values && { enum: [...values, null] }) }
}

function refuseText(_text: string, name: string): never {
  throw fieldError(name, 'cannot be a parameter')
}

/** Only the input and output of code has such values. */
function neverStored(): never {
  throw new Error('no record stores an object')
}

/** The fields of an object, or of each object in a list; undefined for any other field. */
export function partsOf({ type, limits }: Field): Fields | undefined {
  const isObject = [objectType, objectListType].some((one) => one === (type as FieldType<ObjectLimits>))
  return isObject ? (limits as ObjectLimits).parts : undefined
}

function makeType(isList: boolean): FieldType<ObjectLimits> {
  const countOf = ({ limits }: FieldOf<ObjectLimits>) => limits.items ?? itemsDefault
  return {
    name: 'json',
    column: 'document',
    operators: [],
    scalar: null,
    ...(isList && { isList }),
    isOpaque: true,
    check(value, name, field) {
      const { parts } = field.limits
      if (!isList) return checkObject(parts, value, name)
      if (!Array.isArray(value)) throw fieldError(name, 'must be a list')
      if (value.length > countOf(field)) throw fieldError(name, `must have at most ${countOf(field)} items`)
      return value.map((one, at) => checkObject(parts, one, `${name}[${at}]`))
    },
    checkStored: neverStored,
    isComparable: () => false,
    parse: refuseText,
    schema(field) {
      const one = fieldsSchema(field.limits.parts)
      return isList ? { type: 'array', items: one, maxItems: countOf(field) } : one
    },
    limitsMistake: ({ items = itemsDefault }) => (items > itemsMax ? `max (${items}) is above ${itemsMax}` : undefined),
  }
}

const objectType = makeType(false)
const objectListType = makeType(true)

type ObjectOptions<R extends boolean = boolean> = {
  /** One sentence for the documents. */
  description?: string
  /** It must be sent, or given, and is never null. */
  required?: R
}
type ObjectListOptions<R extends boolean = boolean> = ObjectOptions<R> & {
  /** How many objects it may have; 100 unless said, 10,000 at most. */
  max?: number
}
const { required, description } = commonMembers
const members = { required, description } satisfies Members<ObjectOptions>
const listMembers = { ...members, max: countKind } satisfies Members<ObjectListOptions>

type Unfilled = { kind: 'stored'; filled: false }

/**
 * An object with fields of its own, in the input or output of an action: `object({ street: text({
 * required: true }), zip: text() }, { required: true })`.
 */
export function object<const F extends Fields, const R extends boolean = false>(
  fields: F,
  options?: ObjectOptions<R>,
): Field<ValueOf<RecordOf<F>, R, undefined>, string, Unfilled> {
  const { known, mistakes } = takeOptions(options, members)
  return makeField(objectType, { ...known, limits: { parts: fields }, mistakes } as never)
}

/**
 * A list of such objects: `objectList({ name: text({ required: true }) }, { max: 500 })`.
 */
export function objectList<const F extends Fields, const R extends boolean = false>(
  fields: F,
  options?: ObjectListOptions<R>,
): Field<ValueOf<readonly RecordOf<F>[], R, undefined>, string, Unfilled> {
  const { known, mistakes } = takeOptions(options, listMembers)
  const { max, ...common } = known
  return makeField(objectListType, { ...common, limits: { parts: fields, items: max }, mistakes } as never)
}
