/**
 * The json field: any JSON value in one field, such as settings. It is kept in a canonical form:
 * the members of each object in the order of their names. Equal values have equal bytes so, in both
 * databases.
 */
import { countKind, kindOf, type Members, takeOptions } from '../../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type HasDefault,
  type Json,
  makeField,
  type ValueOf,
} from '../field.ts'
import { isAsync, isStandardSchema, jsonSchemaOf, type StandardSchema, validateBy } from './standard-schema.ts'

const depthMax = 32
const bytesMaxDefault = 65_536
const bytesMaxLimit = 1_048_576
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

type JsonLimits = { readonly schema?: StandardSchema | undefined; readonly bytesMax: number }

/** The members down to a part of the value. */
type Path = readonly string[]

function misplaced(path: Path, problem: string): Error {
  return fieldError(path.join('.').slice(0, 1000), problem, path)
}

function checkText(text: string, path: Path): void {
  if (text.includes('\0')) throw misplaced(path, 'must not contain a NUL character')
  if (!text.isWellFormed()) throw misplaced(path, 'must not contain a lone surrogate')
}

function checkNumber(value: number, path: Path): number {
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  if (!isExact) throw misplaced(path, 'must be a number that JSON holds exactly')
  return value === 0 ? 0 : value
}

function isPlainObject(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function canonicalObject(value: object, path: Path, depth: number): Json {
  if (!isPlainObject(value)) throw misplaced(path, 'must be JSON: an object, a list, a text, a number or a boolean')
  const made: Record<string, Json> = {}
  for (const key of Object.keys(value).sort()) {
    const one = value[key]
    if (one === undefined) continue
    if (forbiddenKeys.has(key)) throw misplaced(path, `must not have the key ${key}`)
    checkText(key, path)
    made[key] = canonical(one, [...path, key.slice(0, 100)], depth)
  }
  return made
}

/** The same value in its canonical form. Throws `bad-request` for what is no JSON. */
function canonical(value: unknown, path: Path, above = 0): Json {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return checkNumber(value, path)
  if (typeof value === 'string') {
    checkText(value, path)
    return value
  }
  if (typeof value !== 'object') throw misplaced(path, 'must be JSON')
  const depth = above + 1
  if (depth > depthMax) throw misplaced(path, `is nested deeper than ${depthMax} levels`)
  return Array.isArray(value)
    ? Array.from(value, (one: unknown, at) => canonical(one, [...path, String(at)], depth))
    : canonicalObject(value, path, depth)
}

function checkSize(value: Json, name: string, bytesMax: number): Json {
  if (Buffer.byteLength(JSON.stringify(value)) > bytesMax)
    throw fieldError(name, `must be at most ${bytesMax} bytes as JSON`)
  return value
}

function checkDocument(value: unknown, name: string, { limits }: FieldOf<JsonLimits>): Json {
  const sent = checkSize(canonical(value, [name]), name, limits.bytesMax)
  if (!limits.schema) return sent
  const made = validateBy(limits.schema, sent, name)
  if (made === undefined || made === null) throw fieldError(name, 'must not be null')
  return checkSize(canonical(made, [name]), name, limits.bytesMax)
}

/** No filter has a whole document: filters compare its members. */
function refuseText(_text: string, name: string): never {
  throw fieldError(name, 'cannot be compared')
}

export const jsonType: FieldType<JsonLimits> = {
  name: 'json',
  column: 'document',
  operators: ['null'],
  scalar: 'JSON',
  isOpaque: true,
  hasMembers: true,
  check: checkDocument,
  checkStored: checkDocument,
  isComparable: () => false,
  parse: refuseText,
  /** A hook, an action or a conversion may have stored members in another order. */
  represent: (value) => canonical(value, []),
  isCellJson: true,
  lengthMax: ({ limits }) => limits.bytesMax,
  schema: ({ limits }) => jsonSchemaOf(limits.schema),
  limitsMistake({ schema, bytesMax }) {
    if (bytesMax > bytesMaxLimit) return `bytesMax is at most ${bytesMaxLimit}`
    return schema && isStandardSchema(schema) && isAsync(schema)
      ? 'its schema validates asynchronously: a json field needs one that does not'
      : undefined
  },
}

type JsonOptions<
  V = unknown,
  R extends boolean = boolean,
  D = DefaultOf<V> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, V, never, L, Q> & {
  /**
   * A Standard Schema, such as one of Zod or Valibot, that says which values it takes. The compiler
   * infers the type of the field from it. It must take each value again that it has made.
   */
  schema?: StandardSchema<unknown, V>
  /** Of the value as JSON; 65,536 by default, 1,048,576 at most. */
  bytesMax?: number
}
const members = {
  ...commonMembers,
  schema: kindOf('a Standard Schema, such as one of Zod or Valibot', isStandardSchema),
  bytesMax: countKind,
} satisfies Members<JsonOptions>

/**
 * Any JSON value, nested at most 32 levels: `json({ schema: settingsSchema })`. A PATCH replaces
 * the whole value. The members of an object are kept in the order of their names.
 */
export function json<
  V = unknown,
  const R extends boolean = false,
  const D extends DefaultOf<V> | undefined = DefaultOf<V> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: JsonOptions<V, R, D, L, Q>,
): Field<ValueOf<V, R, D>, string, { kind: 'stored'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { schema, bytesMax = bytesMaxDefault, ...common } = known
  return makeField(jsonType, { ...common, limits: { schema, bytesMax }, mistakes } as never)
}
