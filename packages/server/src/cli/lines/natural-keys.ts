/**
 * Names records by unique values instead of ids: `--match sku` for the record of a line,
 * `branch.name` for one that it refers to. Keys compare as in the database: texts ignore case and
 * accents. A query looks up a hundred keys.
 */

import { foldName } from '../../base/fold.ts'
import { listRows } from '../../command/console-records.ts'
import { UsageError } from '../../command/usage-error.ts'
import { ApiError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, any, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isTable } from '../../resource/members.ts'
import { inSentence, listAlternatives } from '../../resource/words/names.ts'
import { findMeant } from '../../resource/words/nearest.ts'
import type { Row } from '../../storage/storage.ts'

type LineInput = Readonly<Record<string, unknown>>

/** One record of a resource, named by the fields of one of its unique keys. */
export type NaturalKey = {
  readonly resource: Resource
  readonly names: readonly string[]
  readonly values: readonly Scalar[]
  /** The same text for all values that the database treats as one key. */
  readonly text: string
  /** For people: `name "Main"` */
  readonly said: string
}

/** The reference fields of the line with the keys that they name; null clears the reference. */
export type SplitLine = { readonly plain: Record<string, unknown>; readonly references: Map<string, NaturalKey | null> }

function makeKey(resource: Resource, names: readonly string[], values: readonly Scalar[]): NaturalKey {
  const folded = names.map((name, i) => {
    const value = values[i] as Scalar
    return resource.fields[name]?.type.isProse && typeof value === 'string' ? foldName(value) : value
  })
  const said = names.map((name, i) => `${name} ${JSON.stringify(values[i])}`).join(' and ')
  return { resource, names, values, said, text: JSON.stringify([resource.name, names, folded]) }
}

/** The declared key of these fields, in its own order. */
function uniqueKeyOf({ unique }: Resource, names: readonly string[]): readonly string[] | undefined {
  return unique.find((key) => key.length === names.length && key.every((name) => names.includes(name)))
}

/** Keys that people can write: secrets are left out. */
function writableKeys(resource: Resource): string {
  const keys = resource.unique.filter((key) => key.every((name) => resource.fields[name]?.type.secret === undefined))
  return listAlternatives(keys.map((key) => key.join(',')))
}

/**
 * `'sku'` or `'copyId,branchId'` → the fields. Throws `UsageError` unless they are unique together.
 */
export function parseMatch(resource: Resource, text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !resource.storedNames.includes(name))
  if (unknown !== undefined)
    throw new UsageError(
      `--match names ${unknown}, which ${resource.slug} do not have${findMeant(unknown, resource.storedNames)}`,
    )
  const key = uniqueKeyOf(resource, names)
  const usable = writableKeys(resource)
  if (key && !names.some((name) => resource.fields[name]?.type.secret)) return key
  const instead = usable === '' ? `${resource.slug} have nothing unique besides their id` : `unique are ${usable}`
  throw new UsageError(`--match needs what is unique, and ${text} of ${resource.slug} is not: ${instead}`)
}

/** `branch` or `branchId` → the reference field; undefined when it is none. */
function referenceNamed(resource: Resource, word: string): string | undefined {
  return [word, `${word}Id`].find((name) => Object.hasOwn(resource.fields, name) && resource.fields[name]?.reference)
}

/**
 * The field that a CSV column holds: of the resource, or of what `branch.name` refers to. Undefined
 * when there is none.
 */
export function columnField(catalog: Catalog, resource: Resource, column: string): Field | undefined {
  if (Object.hasOwn(resource.fields, column)) return resource.fields[column]
  const [word = '', name = ''] = column.split('.')
  const reference = resource.fields[referenceNamed(resource, word) ?? '']?.reference
  const target = reference && catalog.get(reference.resource)
  return target?.storedNames.includes(name) ? target.fields[name] : undefined
}

/** Throws `bad-request` for fields that are not unique together, and for invalid values. */
function keyOf(resource: Resource, word: string, given: LineInput): NaturalKey | null {
  const names = Object.keys(given)
  if (names.every((name) => given[name] === null)) return null
  const key = uniqueKeyOf(resource, names)
  if (!key || key.some((name) => resource.fields[name]?.type.secret)) {
    const said = names.map((name) => `${word}.${name}`).join(' and ')
    const instead = writableKeys(resource)
    const how = instead === '' ? 'only its id does' : `${instead} would`
    throw new ApiError('bad-request', `${said} does not name one ${inSentence(resource.label)}; ${how}`)
  }
  const values = key.map((name) => {
    const field = resource.fields[name] as Field
    return field.type.check(given[name], `${word}.${name}`, field) as Scalar
  })
  return makeKey(resource, key, values)
}

/**
 * An id of the same resource is a key too, since a later line may create its record. An invalid one
 * stays in the line: the import reports what is wrong with it.
 */
function takeOwnIds(resource: Resource, plain: LineInput): [string, NaturalKey][] {
  const own = resource.referencedBy.filter((link) => link.resource === resource)
  return own.flatMap(({ field }): [string, NaturalKey][] => {
    const key = ownKey(resource, [resource.idField], { [resource.idField]: plain[field] })
    return key ? [[field, key]] : []
  })
}

/** Takes `branch.name` and `branch: { name }` out of a line. Throws `bad-request`. */
export function splitLine(catalog: Catalog, resource: Resource, input: LineInput): SplitLine {
  const plain: Record<string, unknown> = {}
  const given = new Map<string, { readonly word: string; readonly key: Record<string, unknown> }>()
  for (const [name, value] of Object.entries(input)) {
    const [word = '', inner] = name.split('.')
    const mayName = inner !== undefined || isTable(value) || (value === null && !Object.hasOwn(resource.fields, name))
    const field = mayName ? referenceNamed(resource, word) : undefined
    if (field === undefined) {
      plain[name] = value
      continue
    }
    const one = given.get(field) ?? { word, key: {} }
    // null has no parts: a null key names no record
    Object.assign(one.key, inner === undefined ? value : { [inner]: value })
    given.set(field, one)
  }
  const references = new Map<string, NaturalKey | null>()
  for (const [field, { word, key }] of given) {
    if (plain[field] !== undefined) throw new ApiError('bad-request', `${field} and ${word} are both given`)
    const target = catalog.get(resource.fields[field]?.reference?.resource ?? '')
    references.set(field, keyOf(target, word, key))
  }
  for (const [field, key] of takeOwnIds(resource, plain)) {
    references.set(field, key)
    delete plain[field]
  }
  return { plain, references }
}

/** All keys of the record itself, the id among them. */
export function ownKeys(resource: Resource, values: LineInput): NaturalKey[] {
  return [[resource.idField], ...resource.unique].flatMap((names) => ownKey(resource, names, values) ?? [])
}

/** The key of the record itself; undefined where a value is missing, null or wrong. */
export function ownKey(resource: Resource, names: readonly string[], values: LineInput): NaturalKey | undefined {
  const own: Scalar[] = []
  for (const name of names) {
    const field = resource.fields[name] as Field
    const value = values[name]
    if (value === undefined || value === null) return undefined
    try {
      own.push(field.type.check(value, name, field) as Scalar)
    } catch {
      return undefined // the import itself reports what is wrong
    }
  }
  return makeKey(resource, names, own)
}

/** The number of keys in one query; each becomes a condition. */
const keysAtOnce = 100

function conditionsOf(names: readonly string[], keys: readonly NaturalKey[]): Condition[] {
  const [only = ''] = names
  if (names.length === 1) return [{ kind: 'in', field: only, values: keys.flatMap(({ values }) => values) }]
  const each = keys.map(({ values }) => all(...names.map((name, i) => equal(name, values[i] as Scalar))))
  return Array.from({ length: Math.ceil(each.length / keysAtOnce) }, (_, i) =>
    any(...each.slice(i * keysAtOnce, (i + 1) * keysAtOnce)),
  )
}

/**
 * The ids of the records with these keys, by the text of the key: one query for each kind of key.
 */
export async function findKeys(engine: Engine, wanted: readonly NaturalKey[]): Promise<Map<string, Scalar>> {
  const found = new Map<string, Scalar>()
  const different = [...new Map(wanted.map((key) => [key.text, key])).values()]
  for (const keys of Map.groupBy(different, ({ resource, names }) => `${resource.name} ${names}`).values()) {
    const { resource, names } = keys[0] as NaturalKey
    for (const where of conditionsOf(names, keys)) {
      for await (const row of listRows(engine, resource, { where, names: [resource.idField, ...names] }))
        found.set(textOf(resource, names, row), row[resource.idField] as Scalar)
    }
  }
  return found
}

function textOf(resource: Resource, names: readonly string[], row: Row): string {
  return makeKey(
    resource,
    names,
    names.map((name) => row[name] as Scalar),
  ).text
}
