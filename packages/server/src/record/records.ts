/**
 * The one door for writes: REST, GraphQL, actions, imports, log-ins, sweeps and the command line all write through it. Insert, change and
 * remove, each in its own file, do everything that follows from a write. The storage adds the row in the change log.
 */
import { type Clock, timestampOf } from '../base/clock.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Author } from '../storage/changes.ts'
import { makeMatching } from '../storage/derived/match.ts'
import type { Found, Storage, Transaction } from '../storage/storage.ts'
import { changeAll, changeRow } from './change.ts'
import { isGone } from './dependents.ts'
import { refuseStillHeld } from './held.ts'
import { insertPrepared, prepare, storeNotes, storePrepared } from './insert.ts'
import { judgeAgain } from './judge-result.ts'
import { leave } from './leave.ts'
import { removeRow, removeWhere } from './remove.ts'
import { seenKey } from './stored-values.ts'
import type { Door, Writing } from './write-context.ts'

export type { Writing } from './write-context.ts'

export type Records = {
  /**
   * Runs the work in one transaction. An error undoes all of it. When another transaction was in the way, the work may run again from its
   * beginning, so it must change nothing outside.
   */
  transaction<T>(author: Author, work: (writing: Writing) => Promise<T>): Promise<T>
}

type Parts = Pick<Door, 'catalog' | 'makeId' | 'settings' | 'stagesOf'> & {
  readonly storage: Storage
  readonly clock: Clock
  /** The resource whose records are authors, if any are. */
  readonly authors?: Resource | undefined
}

/** Writers may do these as the storage does them. */
function passedOn(transaction: Transaction) {
  const { list, listEach, count, lockAll, isAwaited, claimRequest, keepRequest, takeBackEffects, hasEffect } =
    transaction
  return { list, listEach, count, lockAll, isAwaited, claimRequest, keepRequest, takeBackEffects, hasEffect }
}

export function makeRecords({ storage, clock, authors, ...parts }: Parts): Records {
  const matching = makeMatching()

  function factsOf(transaction: Transaction, author: Author): Omit<Door, 'writing'> {
    const assumed = authors && author.userId !== null ? seenKey(authors, author.userId) : undefined
    return {
      ...parts,
      transaction,
      author,
      now: timestampOf(clock()),
      seen: new Set(),
      assumed,
      remembered: new Map(),
      matching,
      result: undefined,
      judgedAgain: new Set(),
      taken: { dependents: 0, gone: new Set() },
      heldUntilEnd: [],
      depth: 0,
    }
  }

  function writingOf(facts: Omit<Door, 'writing'>): { readonly door: Door; readonly writing: Writing } {
    const { transaction, author, seen, catalog, remembered } = facts
    const noted = (resource: Resource, found: Found | undefined): Found | undefined => {
      if (found) seen.add(seenKey(resource, found.row[resource.idField]))
      return found
    }
    const writing: Writing = {
      find: async (resource, where, test) => noted(resource, await transaction.find(resource, where, test)),
      ...passedOn(transaction),
      async lock(resource, where, options) {
        const found = await transaction.lock(resource, where, options)
        return found && isGone(door, resource, found.row) ? undefined : noted(resource, found)
      },
      leave: (...all) => leave(door, all),
      defaults: { now: facts.now, settings: facts.settings, role: author.role },
      prepare: (resource, values) => prepare(door, resource, values),
      insert: (record, reason) => insertPrepared(door, record, reason),
      insertAll: (records) => storePrepared(door, records),
      change: (resource, before, changes) => changeRow(door, { resource, before, changes }),
      changeAll: (resource, ids, changes) => changeAll(door, { resource, ids, changes }),
      remove: (resource, row) => removeRow(door, resource, row),
      removeWhere: (resource, where) => removeWhere(door, resource, where),
      storeNotes: (resource, all) => storeNotes(door, { resource, all }),
      remembered<T>(key: symbol, make: () => T): T {
        if (!remembered.has(key)) remembered.set(key, make())
        return remembered.get(key) as T
      },
      catalog,
      author,
      async judged(result, work) {
        const own = writingOf({ ...facts, result, judgedAgain: new Set() })
        const done = await work(own.writing)
        await judgeAgain(own.door)
        return done
      },
      depth: facts.depth,
      deeper: () => writingOf({ ...facts, result: undefined, depth: facts.depth + 1 }).writing,
      settle: () => refuseStillHeld(door),
    }
    // One object for each transaction: a copy of it costs as much as a small write.
    const door: Door = Object.assign(facts, { writing })
    return { door, writing }
  }
  return {
    transaction: (author, work) =>
      storage.transaction(author, async (transaction) => {
        const { door, writing } = writingOf(factsOf(transaction, author))
        const done = await work(writing)
        await refuseStillHeld(door)
        return done
      }),
  }
}

/** The same transactions for what is only tried: those that write go first. */
export function drying(records: Records, dry: NonNullable<Author['dry']>): Records {
  return { transaction: (author, work) => records.transaction({ ...author, dry }, work) }
}

/** The same transactions, whose authors are at this address. */
export function from(
  records: Records,
  { address, userAgent, languages }: Pick<Author, 'address' | 'userAgent' | 'languages'>,
): Records {
  return { transaction: (author, work) => records.transaction({ ...author, address, userAgent, languages }, work) }
}
