/**
 * Notes when a key or a session was last used, at most once a minute: a write for each request
 * would cost too much.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { boundedCache } from '../../base/bounded-cache.ts'
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { RecordStore } from '../../record/record-store.ts'
import type { Resource } from '../../resource/catalog.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { Values } from '../../storage/storage.ts'

const notedMax = 20_000
/** How exact the "last used" is. */
const lastUsedStepMs = 60_000
/** The next reader should see the use, but the request waits no longer than this for the write. */
const noteWaitMsMax = 100

/** `changes`: what is noted, at this time. */
type LastUse = { readonly resource: Resource; readonly id: string; readonly changes: (now: string) => Values }
export type RecordLastUse = (used: LastUse) => Promise<void>

type LastUseDeps = { readonly records: RecordStore; readonly clock: Clock }

/**
 * Notes the use, at most once a minute. It never makes the request fail, and delays it only a
 * little.
 */
export function makeRecordLastUse({ records, clock }: LastUseDeps): RecordLastUse {
  const notedAtMs = boundedCache<string, number>({ entriesMax: notedMax })
  return async ({ resource, id, changes }) => {
    const now = clock()
    if (now - (notedAtMs.get(id) ?? 0) < lastUsedStepMs) return
    notedAtMs.set(id, now)
    const work = records.transaction(serviceAuthor, (tx) => tx.changeAll(resource, [id], changes(timestampOf(now))))
    const noted = work.then(
      () => undefined,
      () => void notedAtMs.delete(id),
    )
    await Promise.race([noted, sleep(noteWaitMsMax, undefined, { ref: false })])
  }
}
