/**
 * Replays the change log and compares the result with the tables. Tests use it to follow every
 * write; `bindery doctor` uses it on the last minutes of the log.
 */
import type { Change } from './changes.ts'

/**
 * Versions by id; `gone`: the last version of each deleted record. A record that comes back from
 * the trash has a higher one.
 */
export type VersionsById = Map<string, number>
export type ReplayedLog = { readonly versions: VersionsById; readonly gone: Map<string, number> }

export const emptyReplay = (): ReplayedLog => ({ versions: new Map(), gone: new Map() })

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
    const known = versions.get(key) ?? 0
    if (kind === 'delete') {
      gone.set(key, Math.max(version, gone.get(key) ?? 0))
      if (known <= version) versions.delete(key)
    } else if (version > (gone.get(key) ?? 0)) versions.set(key, Math.max(version, known))
  }
}

type LoggedChange = Pick<Change, 'kind' | 'records' | 'resource'>
export type LogGap = { readonly resource: string; readonly id: string; readonly what: string }

/** `ended`: the versions with which it was deleted. */
type RecordHistory = {
  readonly resource: string
  readonly id: string
  readonly versions: number[]
  readonly ended: Set<number>
}

/** The log's versions of each record that it names. */
function histories(changes: readonly LoggedChange[]): Iterable<RecordHistory> {
  const past = new Set(changes.flatMap(({ kind, resource }) => (kind === 'unknown' ? [resource] : [])))
  const seen = new Map<string, RecordHistory>()
  for (const { resource, kind, records } of changes)
    for (const { id, version } of past.has(resource) ? [] : records) {
      const key = `${resource} ${id}`
      const one = seen.get(key) ?? { resource, id: String(id), versions: [], ended: new Set() }
      seen.set(key, one)
      if (kind === 'delete') one.ended.add(version)
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
  for (const { resource, id, versions, ended } of histories(changes)) {
    const sorted = versions.toSorted((a, b) => a - b)
    const follows = (version: number, before: number) => version <= before + 1 || ended.has(before)
    const missing = sorted.findIndex((version, i) => i > 0 && !follows(version, sorted[i - 1] as number))
    if (missing > 0) gaps.push({ resource, id, what: `the log has no version ${(sorted[missing - 1] as number) + 1}` })
    const last = sorted.at(-1) ?? 0
    const isGone = ended.size > 0 && Math.max(...ended) >= last
    const what = against({ last, isGone }, await versionOf(resource, id))
    if (what !== undefined) gaps.push({ resource, id, what })
  }
  return gaps
}
