/**
 * Marks the fields of a row that its caller may not read on this record. They are null in the row,
 * so code that ignores the mark shows nothing. Responses leave them out.
 */

import type { Resource } from '../resource/catalog.ts'

const hiddenFields: unique symbol = Symbol('hidden fields')

type MarkedRow = { readonly [hiddenFields]?: ReadonlyMap<string, unknown> }

/** A copy of the row in which these fields are hidden. */
export function hideFields<R extends object>(row: R, names: readonly string[]): R {
  const stored = names.map((name) => [name, (row as Readonly<Record<string, unknown>>)[name]] as const)
  const nulls = Object.fromEntries(names.map((name) => [name, null]))
  return { ...row, ...nulls, [hiddenFields]: new Map([...(hiddenIn(row) ?? []), ...stored]) }
}

/** The hidden fields with their stored values; undefined where every field is shown. */
export function hiddenIn(row: object): ReadonlyMap<string, unknown> | undefined {
  return (row as MarkedRow)[hiddenFields]
}

/** The stored fields that a caller may read, without secrets. */
export function readableNames(
  { storedNames, fields }: Pick<Resource, 'storedNames' | 'fields'>,
  visible: ReadonlySet<string>,
): readonly string[] {
  return storedNames.filter((name) => visible.has(name) && !fields[name]?.type.secret)
}

/** The values of these fields that the row does not hide. */
export function readableValues<R extends object>(row: R, names: readonly string[]): R {
  const hidden = hiddenIn(row)
  const shown = names.filter((name) => !hidden?.has(name))
  return Object.fromEntries(shown.map((name) => [name, row[name as keyof R]])) as R
}

export function isHidden(row: object, name: string): boolean {
  return hiddenIn(row)?.has(name) === true
}

/** The row as it is stored, and the rows that it embeds. */
export function unhidden<T>(value: T): T {
  if (Array.isArray(value)) return value.map(unhidden) as T
  if (typeof value !== 'object' || value === null) return value
  const hidden = hiddenIn(value)
  const isWhole = !hidden && !Object.values(value).some((one) => Array.isArray(one))
  if (isWhole) return value
  const members = Object.entries({ ...value, ...(hidden && Object.fromEntries(hidden)) })
  return Object.fromEntries(members.map(([name, one]) => [name, unhidden(one)])) as T
}
