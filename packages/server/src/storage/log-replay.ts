/**
 * Replays the change log and compares the result with the tables. Tests use it to follow every
 * write; `bindery doctor` uses it on the last minutes of the log.
 */
import type { Change } from './changes.ts'

/** Versions by id; `gone` are deleted ids, which never come back. */
export type VersionsById = Map<string, number>
export type ReplayedLog = { readonly versions: VersionsById; readonly gone: Set<string> }

/**
 * A process's own changes precede older ones of other processes, so a change may follow the delete
 * of its record.
 */
export function replayChanges(
  { versions, gone }: ReplayedLog,
  { kind, records }: Pick<Change, 'kind' | 'records'>,
): void {
  for (const { id, version } of records) {
    const key = String(id)
    if (kind === 'delete') {
      gone.add(key)
      versions.delete(key)
    } else if (!gone.has(key)) versions.set(key, Math.max(version, versions.get(key) ?? 0))
  }
}

type LoggedChange = Pick<Change, 'kind' | 'records' | 'resource'>
export type LogGap = { readonly resource: string; readonly id: string; readonly what: string }

type RecordHistory = { readonly resource: string; readonly id: string; versions: number[]; isGone: boolean }

/** The log's versions of each record that it names. */
function histories(changes: readonly LoggedChange[]): Iterable<RecordHistory> {
  const past = new Set(changes.flatMap(({ kind, resource }) => (kind === 'unknown' ? [resource] : [])))
  const seen = new Map<string, RecordHistory>()
  for (const { resource, kind, records } of changes)
    for (const { id, version } of past.has(resource) ? [] : records) {
      const key = `${resource} ${id}`
      const one = seen.get(key) ?? { resource, id: String(id), versions: [], isGone: false }
      seen.set(key, one)
      if (kind === 'delete') one.isGone = true
      else one.versions.push(version)
    }
  return seen.values()
}

function against({ last, isGone }: { last: number; isGone: boolean }, stored: number | undefined): string | undefined {
  if (isGone) return stored === undefined ? undefined : 'the log says deleted, and it is there'
  if (stored === undefined) return `the log has version ${last}, and no row`
  if (stored < last) return `the log has version ${last}, the row version ${stored}`
  return stored > last ? `the log ends with version ${last}, and the row has version ${stored}` : undefined
}

/**
 * Finds rows that are missing from the log or from the tables. `versionOf`: the stored version of a
 * record, undefined where there is none. It skips resources that another program wrote to.
 */
export async function findLogGaps(
  changes: readonly LoggedChange[],
  versionOf: (resource: string, id: string) => Promise<number | undefined>,
): Promise<readonly LogGap[]> {
  const gaps: LogGap[] = []
  for (const { resource, id, versions, isGone } of histories(changes)) {
    const sorted = versions.toSorted((a, b) => a - b)
    const missing = sorted.findIndex((version, i) => i > 0 && version > (sorted[i - 1] as number) + 1)
    if (missing > 0) gaps.push({ resource, id, what: `the log has no version ${(sorted[missing - 1] as number) + 1}` })
    const what = against({ last: sorted.at(-1) ?? 0, isGone }, await versionOf(resource, id))
    if (what !== undefined) gaps.push({ resource, id, what })
  }
  return gaps
}
