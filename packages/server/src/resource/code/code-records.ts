/**
 * The records of one resource as the code of declarations uses them. Values are stored values:
 * money in minor units.
 */
import type { DeclaringPlace } from '../../base/declaring-place.ts'
import type { Fields } from '../fields/field.ts'
import type { GivenOf, IdName, IdOf, LinksOf, ListedName, NewRecord, RecordOf } from '../record-of.ts'
import type { RecordReads } from './code-reads.ts'

/** A resource as `defineResource` returns it. */
export type ResourceHandle<F extends Fields> = DeclaringPlace & { readonly name: string; readonly fields: F }

type RecordMethods<F extends Fields, E> = RecordReads<F, E> & {
  /** Throws `not-found`. Inside a transaction the record is locked until that ends. */
  get(id: IdOf<F>): Promise<E>
  /** The records with these values, oldest first; more than 10,000 are 409. */
  list(values: Partial<RecordOf<F>>): Promise<readonly E[]>
  /** Makes a record; what is not given takes its default. Returns it. */
  create(values: NewRecord<F>): Promise<E>
  /**
   * Returns the record with the changes. The version, `updatedAt` and values that follow from
   * others are kept up to date. Throws `not-found`.
   */
  update(id: IdOf<F>, changes: Partial<GivenOf<F>> & LinksOf<F>): Promise<E>
  /**
   * Records that refer to it are deleted or cleared, as their declarations say. Throws `not-found`.
   */
  delete(id: IdOf<F>): Promise<void>
  /**
   * Returns how many there were. Records that refer to them are deleted or cleared, as their
   * declarations say.
   */
  deleteWhere(values: Partial<RecordOf<F>>): Promise<number>
}

/**
 * The records of one resource, in the name of the system: no rule is checked. Inside a transaction
 * they are those of the transaction; outside, each write has a transaction of its own.
 */
export type Records<F extends Fields = Fields> = RecordMethods<F, RecordOf<F>> & { readonly _judged?: false }

/**
 * A record as a caller sees it: its stored values without secrets. Those that the caller may not
 * read are absent.
 */
export type RecordForCaller<F> = Pick<RecordOf<F>, Extract<IdName<F>, keyof RecordOf<F>>> &
  Partial<Pick<RecordOf<F>, Extract<ListedName<F>, keyof RecordOf<F>>>>

/**
 * The records of one resource, judged by the rights of a caller, as the requests of that caller
 * are. Records that the caller may not see are missing. Throws what the rules refuse: `forbidden`,
 * `not-found`, `unauthenticated`.
 */
export type JudgedRecords<F extends Fields = Fields> = RecordMethods<F, RecordForCaller<F>> & {
  readonly _judged?: true
}
