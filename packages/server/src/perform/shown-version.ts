/**
 * The version of a record as it is shown. Virtual fields come from other records: a basket shows prices of what is in it, which change without
 * the basket. So what they show is part of the version that a client names when it writes.
 */
import { hash } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { ActOperation, ChangeOperation, DeleteOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Reader, Row, Transaction } from '../storage/storage.ts'
import { representRecord } from '../value/represent.ts'
import type { Engine } from './engine.ts'
import { withVirtualFields } from './related.ts'
import { checkVersion } from './values.ts'

const digestLength = 16

/** `3`, or `3-` with a digest of the virtual fields among these, which must have been loaded. */
export function shownVersion(resource: Resource, visible: Iterable<string>, record: Row): string {
  const seen = new Set(visible)
  const names = resource.virtualNames.filter((name) => seen.has(name))
  if (names.length === 0) return String(record.version)
  const text = JSON.stringify(representRecord(resource, names, record))
  return `${record.version}-${hash('sha256', text, 'base64url').slice(0, digestLength)}`
}

/** Of a read by its client: what must be loaded, so that the version can be told. Null for all. */
export function namesToLoad(resource: Resource, select: readonly string[] | null): readonly string[] | null {
  return select?.some((name) => resource.fields[name]?.virtual) ? null : select
}

type Judging = { readonly engine: Engine; readonly reader: Reader & Partial<Pick<Transaction, 'lockAll'>> }
type Write = ChangeOperation | DeleteOperation | ActOperation

/** Throws `precondition-failed` for a record that is not, or does not show, what the client has named. */
export async function checkShown({ engine, reader }: Judging, permitted: Permitted<Write>, row: Row): Promise<void> {
  const { operation, principal, visible } = permitted
  const { resource, ifVersion, ifShown = [] } = operation
  const named = ifShown.filter((one) => one.startsWith(`${row.version}-`))
  if (named.length === 0 || ifVersion?.includes(row.version)) return checkVersion(row, operation)
  // What it shows is locked with it: a price that changes now would be sold at once.
  const { lockAll } = reader
  const locking = lockAll ? { ...reader, list: lockAll } : reader
  const [shown] = await withVirtualFields(
    { engine, reader: locking, principal },
    { resource, rows: [row], names: null },
  )
  if (!named.includes(shownVersion(resource, visible, shown as Row)))
    throw new ApiError('precondition-failed', 'What the record shows has changed since it was read; read it again')
  checkVersion(row, { ...operation, ifVersion: undefined })
}
