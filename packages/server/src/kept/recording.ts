/** An engine that notes what it reads, so that an answer knows what it rests on without anybody declaring it. */
import type { Engine } from '../perform/engine.ts'
import type { Target } from '../policy/rule-of.ts'
import { all } from '../resource/condition.ts'
import type { Watch } from '../storage/derived/watch.ts'
import type { StoredReads } from '../storage/storage.ts'
import { ownMatters, wrapped } from '../storage/wrapped.ts'
import { idIn, type Seen, seeCount, seeList, seeMatching, seeRecord } from './seen.ts'

export type Recording = {
  readonly engine: Engine
  readonly seen: readonly Seen[]
  /** What was admitted through this engine. */
  readonly admitted: readonly Target[]
  /** Whether something was written: then the answer is not one of a read. */
  hasWritten(): boolean
  /** Whether the time was asked for: then the answer is another one later, without any write. */
  hasReadClock(): boolean
  /** The count for the page that was read; undefined unless there was exactly one. */
  counted(): Watch | undefined
}

type Noting = { readonly note: (seen: Seen) => void; readonly paged: (counted: Watch) => void }

/**
 * An answer rests on none of these: they are of the whole service. Reads by `by` and `urgent` are
 * of another engine.
 */
const unseen = { ...ownMatters, knownTotal: true, by: true, urgent: true } as const

function recordReads(storage: StoredReads, { note, paged }: Noting): StoredReads {
  const { watches } = storage
  const own: Omit<StoredReads, keyof typeof unseen> = {
    find(resource, where, test) {
      const id = idIn(resource, where)
      note(
        id === undefined || test
          ? seeMatching(watches.of(resource, where))
          : seeRecord(watches.history.of(resource), id),
      )
      return storage.find(resource, where, test)
    },
    async list(resource, request) {
      const seeing = seeList(watches, resource, request)
      const rows = await storage.list(resource, request)
      note(seeing.done(rows, false))
      return rows
    },
    listEach(resource, request) {
      const { by, ids, where } = request
      note(seeMatching(watches.of(resource, all({ kind: 'in', field: by, values: ids }, where))))
      return storage.listEach(resource, request)
    },
    count(resource, where) {
      note(seeCount(watches.of(resource, where)))
      return storage.count(resource, where)
    },
    summarize(resource, request) {
      note(seeMatching(watches.of(resource, request.where)))
      return storage.summarize(resource, request)
    },
    walk(resource, request) {
      note(seeMatching(watches.of(resource, request.where)))
      return storage.walk(resource, request)
    },
    async page(resource, request) {
      const seeing = seeList(watches, resource, request)
      const page = await storage.page(resource, request)
      note(seeing.done(page.rows, true))
      paged(seeing.watch)
      return page
    },
  }
  return wrapped(storage, own, unseen)
}

export function makeRecording(engine: Engine): Recording {
  const seen: Seen[] = []
  const admitted: Target[] = []
  const pages: Watch[] = []
  let [written, timed] = [false, false]
  const { policy, records, storage } = engine
  return {
    seen,
    admitted,
    hasWritten: () => written,
    hasReadClock: () => timed,
    counted: () => (pages.length === 1 ? pages[0] : undefined),
    engine: {
      ...engine,
      clock() {
        timed = true
        return engine.clock()
      },
      storage: recordReads(storage, {
        note: (one) => void seen.push(one),
        paged: (page) => void pages.push(page),
      }),
      records: {
        transaction(author, work) {
          written = true
          return records.transaction(author, work)
        },
      },
      policy: {
        ...policy,
        admit(principal, target) {
          admitted.push(target)
          return policy.admit(principal, target)
        },
      },
    },
  }
}
