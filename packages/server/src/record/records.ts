/**
 * The one door for writes. Whatever writes comes through here: REST, GraphQL, actions, imports, log-ins, sweeps, the command line. Insert,
 * change and remove see to all that follows from a write, each in its own file; the storage adds its row in the change log.
 */
import { type Clock, timestampOf } from '../clock.ts'
import type { MakeId } from '../ids.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { DefaultContext } from '../resource/fields/field.ts'
import type { Settings } from '../resource/rule.ts'
import type { Author } from '../storage/changes.ts'
import type { Found, Reader, Row, Storage, Transaction, Values } from '../storage/storage.ts'
import { changeAll, changeRow } from './change.ts'
import { insertPrepared, type Prepared, prepare, storePrepared } from './insert.ts'
import { removeRow, removeWhere } from './remove.ts'
import { seenKey } from './stored-values.ts'

/** What the files of this room share: the transaction, its moment, and whose it is. */
export type Door = {
  readonly catalog: Catalog
  readonly transaction: Transaction
  readonly author: Author
  readonly makeId: MakeId
  /** The time of every write in this transaction. */
  readonly now: string
  readonly settings: Settings
  /** Records that exist, so that references to them need no look-up: read or written in this transaction, or the author's own. */
  readonly seen: Set<string>
}

/** Reading, locking and writing inside one transaction. Values are stored values by field name. */
export type Writing = Reader &
  Pick<Transaction, 'lock' | 'lockAll'> & {
    readonly defaults: DefaultContext
    /**
     * A new record with all its values: id, times, defaults, what follows. Throws `bad-request` for a value that its field forbids, one
     * that is missing, a reference to no record; an `Error` for a name that is no field.
     */
    prepare(resource: Resource, values: Values): Promise<Prepared>
    /** Stores a new record. Throws `conflict`, and what `prepare` throws. */
    insert(record: Prepared): Promise<Row>
    /** Many at once, when nobody needs the rows that come of it. Throws `conflict`. */
    insertAll(records: readonly Prepared[]): Promise<void>
    /** Changes a locked row; its version goes up, also when nothing differs. Throws as `prepare` does, and `conflict`. */
    change(resource: Resource, before: Row, changes: Values): Promise<Row>
    /**
     * The same changes to the rows with these ids, which nobody has read. An `Error` where something follows from them (`follow`, a search, a
     * part of another record). Returns how many there were.
     */
    changeAll(resource: Resource, ids: readonly Scalar[], changes: Values): Promise<number>
    /** Removes a locked row, and does to those that refer to it what their declarations say. */
    remove(resource: Resource, row: Row): Promise<void>
    /** The same for every row that matches. Returns how many of them there were. */
    removeWhere(resource: Resource, where: Condition): Promise<number>
  }

export type Records = {
  /**
   * Runs the work in one transaction. What it throws undoes all of it. It may be run again from its beginning when others were in its way,
   * so it changes nothing outside.
   */
  transaction<T>(author: Author, work: (writing: Writing) => Promise<T>): Promise<T>
}

type Parts = Pick<Door, 'catalog' | 'makeId' | 'settings'> & { readonly storage: Storage; readonly clock: Clock }

export function makeRecords({ storage, clock, ...parts }: Parts): Records {
  function writingOf(transaction: Transaction, author: Author): Writing {
    const { login } = parts.catalog
    const seen = new Set(login && author.userId !== null ? [seenKey(login.resource, author.userId)] : [])
    const door: Door = { ...parts, transaction, author, now: timestampOf(clock()), seen }
    const { list, count, lockAll } = transaction
    const noted = (resource: Resource, found: Found | undefined): Found | undefined => {
      if (found) seen.add(seenKey(resource, found.row[resource.idField]))
      return found
    }
    return {
      find: async (resource, where, test) => noted(resource, await transaction.find(resource, where, test)),
      list,
      count,
      lock: async (resource, where, options) => noted(resource, await transaction.lock(resource, where, options)),
      lockAll,
      defaults: { now: door.now, settings: door.settings, role: author.role },
      prepare: (resource, values) => prepare(door, resource, values),
      insert: (record) => insertPrepared(door, record),
      insertAll: (records) => storePrepared(door, records),
      change: (resource, before, changes) => changeRow(door, { resource, before, changes }),
      changeAll: (resource, ids, changes) => changeAll(door, { resource, ids, changes }),
      remove: (resource, row) => removeRow(door, resource, row),
      removeWhere: (resource, where) => removeWhere(door, resource, where),
    }
  }
  return { transaction: (author, work) => storage.transaction(author, (one) => work(writingOf(one, author))) }
}
