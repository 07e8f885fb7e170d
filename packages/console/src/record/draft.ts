/**
 * Forms that have not been saved, kept in this tab: they survive a reload, the end of the session
 * and other pages. Each person has their own. Secrets are not kept.
 */
import { tenantHere } from '../address/router.ts'
import type { Row } from '../api/rows.ts'
import { newId, type RecordPlace } from './record-place.ts'

export type Draft = {
  readonly changes: Row
  /** The record as it was when the first change was made. */
  readonly base?: Row | undefined
}

const start = 'bindery.console.draft'

/** A new record is of the tenant in which it was begun. */
function keyOf({ person, parts, id }: Pick<RecordPlace, 'person' | 'parts' | 'id'>): string {
  const tenant = id === newId ? (tenantHere() ?? '') : ''
  return [start, person, tenant, ...parts].join('/')
}

export function readDraft(place: RecordPlace): Draft | undefined {
  const kept = sessionStorage.getItem(keyOf(place))
  return kept === null ? undefined : JSON.parse(kept)
}

function withoutSecrets({ resource: { fields } }: RecordPlace, changes: Row): Row {
  const secret = new Set(fields.filter((field) => field.secret).map(({ name }) => name))
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !secret.has(name)))
}

/** A draft without changes is dropped. A full store of the browser loses no more than the draft. */
export function keepDraft(place: RecordPlace, { changes, base }: Draft): void {
  const kept = withoutSecrets(place, changes)
  try {
    if (Object.keys(kept).length === 0) dropDraft(place)
    else sessionStorage.setItem(keyOf(place), JSON.stringify({ changes: kept, base }))
  } catch {
    dropDraft(place)
  }
}

export function dropDraft(place: RecordPlace): void {
  sessionStorage.removeItem(keyOf(place))
}
