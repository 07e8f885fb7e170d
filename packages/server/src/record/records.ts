/**
 * The one door for writes: REST, GraphQL, actions, imports, log-ins, sweeps and the command line all write through it. Insert, change and
 * remove, each in its own file, do everything that follows from a write. The storage adds the row in the change log.
 */
import { type Clock, timestampOf } from '../base/clock.ts'
import type { MakeId } from '../base/ids.ts'
import type { ResultRule } from '../operation/result-rule.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { DefaultContext } from '../resource/fields/field.ts'
import type { Settings } from '../resource/rule.ts'
import type { Author } from '../storage/changes.ts'
import { type Matching, makeMatching } from '../storage/derived/match.ts'
import type { Found, Reader, Row, Storage, Transaction, Values } from '../storage/storage.ts'
import { changeAll, changeRow } from './change.ts'
import { isGone } from './dependents.ts'
import { type Held, refuseStillHeld } from './held.ts'
import { insertPrepared, type Prepared, prepare, storeNotes, storePrepared } from './insert.ts'
import { judgeAgain } from './judge-result.ts'
import { type Leaving, leave } from './leave.ts'
import { removeRow, removeWhere } from './remove.ts'
import type { StagesOf } from './stages.ts'
import { seenKey } from './stored-values.ts'

/** What the files of this room share: the transaction, its time and its author. */
export type Door = {
  readonly catalog: Catalog
  readonly transaction: Transaction
  readonly author: Author
  readonly makeId: MakeId
  /** The time of every write in this transaction. */
  readonly now: string
  readonly settings: Settings
  /**
   * Records that are known to exist, so references to them need no look-up: those read or written
   * in this transaction.
   */
  readonly seen: Set<string>
  /** Until the transaction ends. */
  readonly remembered: Map<symbol, unknown>
  readonly matching: Matching
  /** The condition on the written records; undefined where no rule applies. */
  readonly result: ResultRule | undefined
  /**
   * How many records have gone or changed with others that were removed; where they are only
   * counted, which would be gone.
   */
  readonly taken: { dependents: number; readonly gone: Set<string> }
  /**
   * The ids of written records that the rule is to be asked about once more, at the end of the
   * operation.
   */
  readonly judgedAgain: Set<Scalar>
  /** References that refuse a removal, unless the operation removes them too. */
  readonly heldUntilEnd: Held[]
  /** The author, who was there when the credential was checked. */
  readonly assumed: string | undefined
  readonly stagesOf: StagesOf
  /** How many steps that write this stands in, one inside the other. */
  readonly depth: number
  /** What the steps of a write are given: this transaction, under the same rule. */
  readonly writing: Writing
}

/** Reading, locking and writing inside one transaction. Values are stored values by field name. */
export type Writing = Reader &
  Pick<Transaction, 'lock' | 'lockAll' | 'isAwaited' | 'claimRequest' | 'keepRequest'> &
  Pick<Transaction, 'takeBackEffects' | 'hasEffect'> & {
    readonly defaults: DefaultContext
    /**
     * A new record with all its values: id, times, defaults, and values that follow from others. Throws `bad-request` for a value that its
     * field forbids, a missing value, or a reference to no record; an `Error` for a name that is not a field.
     */
    prepare(resource: Resource, values: Values): Promise<Prepared>
    /** Stores a new record. `reason`: a word for the steps of the write. Throws `conflict`, and what `prepare` throws. */
    insert(record: Prepared, reason?: string): Promise<Row>
    /** Stores many at once and returns no rows. Throws `conflict`. */
    insertAll(records: readonly Prepared[]): Promise<void>
    /** Changes a locked row. Its version goes up even when nothing differs. Throws what `prepare` throws, and `conflict`. */
    change(resource: Resource, before: Row, changes: Values): Promise<Row>
    /**
     * Makes the same changes to all rows with these ids, without reading them. Throws an `Error` where something follows from the changes
     * (`follow`, a search, a part of another record). Returns how many rows there were.
     */
    changeAll(resource: Resource, ids: readonly Scalar[], changes: Values): Promise<number>
    /**
     * Removes a locked row. Rows that refer to it are removed or cleared, or refuse (`HeldError`),
     * as their declarations say.
     */
    remove(resource: Resource, row: Row): Promise<void>
    /** Removes every row that matches, in the same way. Returns how many matched. */
    removeWhere(resource: Resource, where: Condition): Promise<number>
    /**
     * Stores records that the engine itself writes down, with ids, times and defaults. Nothing is checked and nothing follows: they may name
     * records that are gone.
     */
    storeNotes(resource: Resource, all: readonly Values[]): Promise<void>
    /** What a step remembers until the transaction ends, by a key of its own. */
    remembered<T>(key: symbol, make: () => T): T
    /** Leaves work that runs when this transaction has committed. */
    leave(...all: readonly Leaving[]): Promise<void>
    readonly catalog: Catalog
    readonly author: Author
    /**
     * Does the work of one operation of a caller: every record of the rule's resource that it
     * inserts or changes must satisfy the rule, whose refusal is thrown otherwise. A record is
     * judged before it is stored, and before its references and unique keys are looked at.
     */
    judged<T>(result: ResultRule, work: (writing: Writing) => Promise<T>): Promise<T>
    readonly depth: number
    /** For a step that writes records itself: the same transaction, one deeper, where the caller's rule is asked of nothing. */
    deeper(): Writing
    /**
     * At the end of an operation: throws `HeldError` where a record is left that refuses what was
     * removed.
     */
    settle(): Promise<void>
  }

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

/** What writers may do as the storage does it. */
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
