/**
 * The version and the ETag of a record as a response shows it. Virtual fields come from other
 * records: a basket shows prices of its products, which change without the basket. So their values
 * are part of the version that a client names in a write. The ETag covers more: two responses with
 * one ETag have the same bytes, whichever caller reads them.
 */
import { hash } from 'node:crypto'
import { jsonText } from '../../base/json-text.ts'
import { ApiError } from '../../errors.ts'
import type { ActOperation, ChangeOperation, DeleteOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Json } from '../../resource/fields/field.ts'
import type { Reader, Row, Transaction } from '../../storage/storage.ts'
import { isHidden } from '../../value/hidden-fields.ts'
import { type Represented, representRecord } from '../../value/represent.ts'
import type { Engine } from '../engine.ts'
import { checkVersion } from '../values.ts'
import { withVirtualFields } from './related.ts'

const digestLength = 16

const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, digestLength)

/**
 * Without what changes as time goes by: a write that names what was shown would be refused a moment
 * later.
 */
function steadyValues(resource: Resource, shown: Represented): Represented {
  if (resource.timedNames.length === 0) return shown
  const kept = Object.entries(shown).flatMap(([name, value]): [string, Json][] => {
    if (!resource.timedNames.includes(name)) return [[name, value]]
    const parts = resource.relations[name]?.resource
    return parts ? [[name, (value as Represented[]).map((part) => steadyValues(parts, part))]] : []
  })
  return Object.fromEntries(kept)
}

/** Whether its value comes from other records. A change of links is a new version of the record. */
function isComputed({ fields, links }: Resource, name: string): boolean {
  return fields[name]?.virtual !== undefined && !links[name]
}

/** `3`, or `3-` with a digest of the virtual fields among these, which must have been loaded. */
export function shownVersion(resource: Resource, visible: Iterable<string>, record: Row): string {
  const seen = new Set(visible)
  const names = resource.virtualNames.filter((name) => seen.has(name) && !resource.links[name])
  if (names.length === 0) return String(record.version)
  const steady = steadyValues(resource, representRecord(resource, names, record))
  if (Object.keys(steady).length === 0) return String(record.version)
  return `${record.version}-${digestOf(jsonText(steady))}`
}

/** A record as an answer shows it. */
export type ShownRecord = {
  readonly resource: Resource
  readonly record: Row
  /** The fields that the answer has. */
  readonly names: readonly string[]
  /** All that the caller may read. */
  readonly visible: Iterable<string>
  /** Those that some callers may read and others may not, or that only some records show. */
  readonly differing: ReadonlySet<string>
  readonly expanded?: Represented | undefined
  /** The address shows each caller another record. */
  readonly isSelf?: boolean | undefined
}

/**
 * The facts that distinguish two responses with one version. They are the shown fields that only
 * some callers may read, or that the request names. Values that follow from the time, counts and
 * expanded records are others. Where one address shows each caller another record, its id is one
 * too. Undefined where none applies.
 */
function viewOf({ resource, record, names, differing, expanded, isSelf }: ShownRecord): string | undefined {
  const told: unknown[] = []
  if (differing.size > 0) told.push(names.filter((name) => differing.has(name) && !isHidden(record, name)))
  const timed = resource.timedNames.length === 0 ? [] : names.filter((name) => resource.timedNames.includes(name))
  if (timed.length > 0) told.push(representRecord(resource, timed, record))
  const counted = resource.countedNames.length === 0 ? [] : names.filter((name) => resource.countedNames.includes(name))
  if (counted.length > 0) told.push(representRecord(resource, counted, record))
  // A move of other records may change the key of this one.
  if (resource.placed && names.includes(resource.placed.name)) told.push(record[resource.placed.name] ?? null)
  const links = names.filter((name) => resource.links[name] && record[name] !== undefined)
  if (links.length > 0) told.push(representRecord(resource, links, record))
  const requested = names.filter((name) => resource.requestedNames.includes(name) && !isHidden(record, name))
  if (requested.length > 0) told.push(requested)
  if (expanded) told.push(expanded)
  if (isSelf) told.push(record[resource.idField])
  return told.length === 0 ? undefined : digestOf(jsonText(told))
}

/**
 * `"3"`; `"3-Xq…"` where it shows other records; `"3.Xq…"` where it has a view. A write may name a
 * view, which has no effect on the precondition.
 */
export function etagOf(shown: ShownRecord): string {
  const { resource, record, names, visible } = shown
  const isVirtual = resource.virtualNames.length > 0 && names.some((name) => isComputed(resource, name))
  const version = isVirtual ? shownVersion(resource, visible, record) : String(record.version)
  const view = viewOf(shown)
  return view === undefined ? `"${version}"` : `"${version}.${view}"`
}

/** Of a read by its client: what must be loaded, so that the version can be told. Null for all. */
export function namesToLoad(resource: Resource, select: readonly string[] | null): readonly string[] | null {
  if (!select?.some((name) => isComputed(resource, name))) return select
  const links = resource.linkNames.filter((name) => select.includes(name))
  return links.length === 0 ? null : [...resource.fieldNames.filter((name) => !resource.links[name]), ...links]
}

type VersionCheck = { readonly engine: Engine; readonly reader: Reader & Partial<Pick<Transaction, 'lockAll'>> }
type PreconditionedWrite = ChangeOperation | DeleteOperation | ActOperation

/**
 * Throws `precondition-failed` for a record that is not, or does not show, what the client has
 * named.
 */
export async function checkShown(
  { engine, reader }: VersionCheck,
  permitted: Permitted<PreconditionedWrite>,
  row: Row,
): Promise<void> {
  const { operation, principal, visible } = permitted
  const { resource, ifVersion, ifShown = [] } = operation
  const named = ifShown.filter((one) => one.startsWith(`${row.version}-`))
  if (named.length === 0 || ifVersion?.includes(row.version)) return checkVersion(row, operation)
  // The records that it shows are locked too: a basket must not sell at a price that changes now.
  const { lockAll } = reader
  const locking = lockAll ? { ...reader, list: lockAll } : reader
  const [shown] = await withVirtualFields(
    { engine, reader: locking, principal },
    { resource, rows: [row], names: null },
  )
  if (!named.includes(shownVersion(resource, visible, shown as Row)))
    throw new ApiError(
      'precondition-failed',
      'The data that the record shows has changed since it was read; read it again',
    )
  checkVersion(row, { ...operation, ifVersion: undefined })
}
