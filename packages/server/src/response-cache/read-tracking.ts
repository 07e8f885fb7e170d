/**
 * An engine that records its own reads, so that the cache learns what a response depends on without
 * a declaration.
 */
import type { Engine } from '../perform/engine.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import { resourcesAbove } from '../policy/tenants/reach.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition } from '../resource/condition.ts'
import { type FieldKey, hasFarKey } from '../resource/relations/far-field.ts'
import type { ConditionWatch } from '../storage/derived/condition-watch.ts'
import type { ReadStorage } from '../storage/storage.ts'
import { nonRecordMethods, wrapStorage } from '../storage/wrap-storage.ts'
import {
  type Dependency,
  dependOnCount,
  dependOnFar,
  dependOnList,
  dependOnMatching,
  dependOnRecord,
  idOfCondition,
} from './dependency.ts'

export type ReadTracking = {
  readonly engine: Engine
  readonly dependencies: readonly Dependency[]
  /** The operations that were admitted through this engine. */
  readonly admitted: readonly OperationTarget[]
  /** Whether it wrote: then the response is not one of a read. */
  hasWritten(): boolean
  /** Whether it read the clock: then the response changes with time, without any write. */
  hasReadClock(): boolean
  /** The count for the page that was read; undefined unless there was exactly one. */
  counted(): ConditionWatch | undefined
}

type TrackingSink = {
  readonly note: (dependency: Dependency) => void
  readonly paged: (counted: ConditionWatch) => void
}

/**
 * Methods that no response depends on: they are of the whole service. Reads by `by` and `urgent`
 * are tracked by another engine.
 */
const unseen = { ...nonRecordMethods, knownTotal: true, by: true, urgent: true } as const

function trackReads(storage: ReadStorage, { note, paged }: TrackingSink): ReadStorage {
  const { watches } = storage
  const noteFar = (resource: Resource, keys: readonly FieldKey[]) => {
    if (hasFarKey(keys)) for (const one of dependOnFar(watches, resource, keys)) note(one)
  }
  const own: Omit<ReadStorage, keyof typeof unseen> = {
    find(resource, where, test) {
      const id = idOfCondition(resource, where)
      note(
        id === undefined || test
          ? dependOnMatching(watches.of(resource, where))
          : dependOnRecord(watches.history.of(resource), id),
      )
      return storage.find(resource, where, test)
    },
    async list(resource, request) {
      noteFar(resource, request.sort)
      const seeing = dependOnList(watches, resource, request)
      const rows = await storage.list(resource, request)
      note(seeing.done(rows, false))
      return rows
    },
    listEach(resource, request) {
      const { by, ids, where } = request
      note(dependOnMatching(watches.of(resource, all({ kind: 'in', field: by, values: ids }, where))))
      return storage.listEach(resource, request)
    },
    testEach(resource, request) {
      const among: Condition = { kind: 'in', field: resource.idField, values: request.ids }
      for (const one of request.tests) note(dependOnMatching(watches.of(resource, all(among, one))))
      return storage.testEach(resource, request)
    },
    count(resource, where) {
      note(dependOnCount(watches.of(resource, where)))
      return storage.count(resource, where)
    },
    summarize(resource, request) {
      note(dependOnMatching(watches.of(resource, request.where)))
      noteFar(resource, request.groups)
      return storage.summarize(resource, request)
    },
    walk(resource, request) {
      note(dependOnMatching(watches.of(resource, request.where)))
      noteFar(resource, request.sort)
      return storage.walk(resource, request)
    },
    async page(resource, request) {
      noteFar(resource, request.sort)
      const seeing = dependOnList(watches, resource, request)
      const page = await storage.page(resource, request)
      note(seeing.done(page.rows, true))
      paged(seeing.watch)
      return page
    },
  }
  return wrapStorage(storage, own, unseen)
}

export function makeReadTracking(engine: Engine): ReadTracking {
  const seen: Dependency[] = []
  const admitted: OperationTarget[] = []
  const pages: ConditionWatch[] = []
  let [written, timed] = [false, false]
  const { policy, records, storage } = engine
  const viewing =
    (view: Engine['policy']['view']): Engine['policy']['view'] =>
    (principal, resource) => {
      timed ||= policy.readsClock(resource)
      return view(principal, resource)
    }
  return {
    dependencies: seen,
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
      storage: trackReads(storage, {
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
          timed ||= policy.readsClock(target.resource)
          return policy.admit(principal, target)
        },
        tryAdmit(principal, target) {
          timed ||= policy.readsClock(target.resource)
          return policy.tryAdmit(principal, target)
        },
        reach(admission) {
          timed ||= resourcesAbove(admission.target.resource).some(policy.readsClock)
          return policy.reach(admission)
        },
        view: viewing(policy.view),
        viewOfChildren: viewing(policy.viewOfChildren),
        viewOfParts: viewing(policy.viewOfParts),
      },
    },
  }
}
