/**
 * Removes old backups. It keeps the newest of each of the last hours, days and weeks that have one.
 * Backups with other names are never removed. Copies of files go with the last backup that names
 * them.
 */
import type { RetentionSetting } from '../settings/backup-settings.ts'
import type { ObjectStore } from '../stores/object-store.ts'
import { pruneCopies } from './files/prune-copies.ts'
import { timeOfName } from './take-backup.ts'

const hourMs = 60 * 60_000
/** 1970 began on a Thursday, and weeks begin on Monday. */
const spans: readonly (readonly [keyof RetentionSetting, number, number])[] = [
  ['h', hourMs, 0],
  ['d', 24 * hourMs, 0],
  ['w', 7 * 24 * hourMs, 4 * 24 * hourMs],
]

/** The times to keep, of these. The newest is always kept. */
export function retainedOf(times: readonly number[], keep: RetentionSetting): ReadonlySet<number> {
  const newestFirst = [...times].sort((a, b) => b - a)
  const kept = new Set(newestFirst.slice(0, 1))
  for (const [unit, spanMs, offsetMs] of spans) {
    const seen = new Set<number>()
    for (const time of newestFirst) {
      const span = Math.floor((time - offsetMs) / spanMs)
      if (seen.has(span) || seen.size >= keep[unit]) continue
      seen.add(span)
      kept.add(time)
    }
  }
  return kept
}

/** Returns the names of the removed files. */
export async function prune(store: ObjectStore, keep: RetentionSetting): Promise<readonly string[]> {
  const all = (await store.list('bindery-')).flatMap(({ name }) => {
    const time = timeOfName(name)
    return time === undefined ? [] : [{ name, time }]
  })
  const kept = retainedOf(
    all.map(({ time }) => time),
    keep,
  )
  const old = all.filter(({ time }) => !kept.has(time)).map(({ name }) => name)
  for (const name of old) await store.remove(name)
  await pruneCopies(store)
  return old
}
