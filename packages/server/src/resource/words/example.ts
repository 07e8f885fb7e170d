/** Examples for documents: the declared value, or one that satisfies the field's schema. */
import type { Resource } from '../catalog.ts'
import type { Field, Fields, Json } from '../fields/field.ts'
import { isSettable, isShown } from '../fields/field-facts.ts'
import { partsOf } from '../fields/nested/object.ts'
import type { BodyKind } from '../operation-kind.ts'
import { labelOf } from './names.ts'

/** A UUIDv7, the same in every document. */
export const exampleId = '01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e'
const exampleTime = '2026-01-31T12:00:00.000Z'

const byFormat: Readonly<Record<string, string>> = {
  uuid: exampleId,
  'date-time': exampleTime,
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  password: 'correct horse battery',
}

/**
 * Between the limits, and a number that a reader takes for one: 19.99 where decimals are allowed.
 */
function numberWithin({ type, minimum, maximum }: Readonly<Record<string, Json>>): number {
  const usual = type === 'number' ? 19.99 : 3
  return Math.min(Math.max(usual, Number(minimum ?? usual)), Number(maximum ?? usual))
}

function textOf(name: string, { maxLength, pattern }: Readonly<Record<string, Json>>): string {
  const prefix = typeof pattern === 'string' ? /^\^([\w-]+)$/.exec(pattern)?.[1] : undefined
  if (prefix !== undefined) return `${prefix}…`
  return labelOf(name).slice(0, Number(maxLength ?? 1000))
}

/** A value as JSON has it. Null only where nothing else is known. */
export function exampleOf(name: string, field: Field): Json {
  if (field.example !== undefined) return field.example
  const { default: fallback } = field
  const schema = field.type.schema(field)
  if (fallback !== undefined && fallback !== null && typeof fallback !== 'function' && !Array.isArray(fallback))
    return typeof fallback === 'bigint' ? String(fallback) : (fallback as Json)
  const parts = partsOf(field)
  if (parts) return field.type.isList ? [exampleOutput(parts)] : exampleOutput(parts)
  if (field.type.item && !field.type.item.type.isProse) return [exampleOf(name, field.type.item)]
  if (field.type.example) return field.type.example(field)
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json
  if (typeof schema.format === 'string' && byFormat[schema.format] !== undefined) return byFormat[schema.format] as Json
  const { sample, represent } = field.type
  if (sample !== undefined) return represent?.(sample, field) ?? (sample as Json)
  switch (schema.type ?? 'object') {
    case 'integer':
    case 'number':
      return numberWithin(schema)
    case 'boolean':
      return true
    case 'object':
      return {}
    case 'array':
      return [labelOf(name).toLowerCase().slice(0, 10)]
    default:
      return textOf(name, schema)
  }
}

/** The example of one field of a resource. */
export function exampleIn(resource: Resource, name: string): Json {
  return Object.hasOwn(resource.example, name)
    ? (resource.example[name] as Json)
    : exampleOf(name, resource.fields[name] as Field)
}

function isOffered(field: Field, kind: BodyKind): boolean {
  return isSettable(field, kind) && field.write === undefined
}

/**
 * A body that the operation takes, as a permitted caller can send it. An update sends one field.
 * `given`: the field that the path sets.
 */
export function exampleBody(resource: Resource, kind: BodyKind, given?: string): Readonly<Record<string, Json>> {
  const offered = resource.fieldNames.filter((name) => {
    const field = resource.fields[name] as Field
    if (!isOffered(field, kind) || name === given) return false
    // A caller who sends an example as it is must not change other accounts, keys or sessions.
    return field.required || Object.hasOwn(resource.example, name) || field.example !== undefined
  })
  const names =
    kind === 'update' ? offered.filter((name) => isShown(resource.fields[name] as Field)).slice(-1) : offered
  const settable = resource.fieldNames
    .filter((name) => name !== given && isOffered(resource.fields[name] as Field, kind))
    .slice(0, 1)
  const chosen = names.length > 0 ? names : settable
  return Object.fromEntries(chosen.map((name) => [name, exampleIn(resource, name)]))
}

/** The input of an action. */
export function exampleInput(
  input: Fields,
  declared: Readonly<Record<string, Json | undefined>> = {},
): Readonly<Record<string, Json>> {
  const names = Object.keys(input).filter((name) => input[name]?.required || Object.hasOwn(declared, name))
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.hasOwn(declared, name) ? (declared[name] as Json) : exampleOf(name, input[name] as Field),
    ]),
  )
}

/** The output of an action or an endpoint: each of its fields. */
export function exampleOutput(output: Fields): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(output).map(([name, field]) => [name, exampleOf(name, field)]))
}

/** A record, as a list shows it to a request without fields. Embedded records are left empty. */
export function exampleRecord(resource: Resource): Readonly<Record<string, Json>> {
  const shown = resource.fieldNames.filter((name) => {
    const field = resource.fields[name] as Field
    return isShown(field) && field.returned === undefined
  })
  return Object.fromEntries(
    shown.map((name) => [name, resource.fields[name]?.virtual?.kind === 'embedded' ? [] : exampleIn(resource, name)]),
  )
}
