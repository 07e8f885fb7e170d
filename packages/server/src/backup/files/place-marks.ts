/**
 * Marks in a place of backups: copies of files are not pruned while a backup counts on them.
 * Several services and commands may use one place.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { markedMs, whileRenewed } from '../../base/marks/while-renewed.ts'
import { type ObjectStore, wholeObject } from '../../stores/object-store.ts'
import { marksFolder } from './copy-names.ts'

const lookMs = 200

export type MarkKind = 'copying' | 'pruning'

/** Whether such work goes on in the place. Removes the marks of killed processes. */
export async function isMarked(store: ObjectStore, kind: MarkKind): Promise<boolean> {
  let isFound = false
  for (const { name } of await store.list(`${marksFolder}${kind}-`)) {
    const text = await wholeObject(store, name).catch(() => '0') // it may have ended meanwhile
    if (Number(text) > Date.now()) isFound = true
    else await store.remove(name)
  }
  return isFound
}

/** Does the work under a mark, which is there before the work begins. */
export function whileMarked<T>(store: ObjectStore, kind: MarkKind, work: () => Promise<T>): Promise<T> {
  const name = `${marksFolder}${kind}-${randomUUID()}`
  const renew = () => store.putBytes(name, Buffer.from(String(Date.now() + markedMs)))
  return whileRenewed({ renew, end: () => store.remove(name) }, work)
}

/** Waits until no such work goes on in the place. */
export async function untilUnmarked(store: ObjectStore, kind: MarkKind, stop: AbortSignal | undefined): Promise<void> {
  while (await isMarked(store, kind)) await sleep(lookMs, undefined, { signal: stop })
}
