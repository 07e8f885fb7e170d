/**
 * Actions: what a resource can do besides being read and written. An action sees its record, its checked input, the caller, and `records`,
 * which writes in its transaction. It knows no request, no status and no SQL.
 */
import type { Declared, RecordOf } from './define.ts'
import type { Fields } from './fields/field.ts'
import type { Role, Settings } from './rule.ts'

export type StoredRecord = Readonly<Record<string, unknown>>
export type Values = Readonly<Record<string, unknown>>

/** One resource's records inside the transaction. Values are stored values: money in minor units. */
export type Records<R = StoredRecord> = {
  /** The record with this id, locked until the transaction ends. Throws `not-found`. */
  get(id: unknown): Promise<R>
  /** The records with these values, oldest first. */
  list(values: Partial<R>): Promise<readonly R[]>
  create(values: Partial<R>): Promise<R>
  /** Throws `not-found`. The engine keeps following fields, the version and updatedAt up to date. */
  update(id: unknown, changes: Partial<R>): Promise<R>
  /** Returns how many there were. */
  deleteWhere(values: Partial<R>): Promise<number>
}

export type ActionContext = {
  readonly record: StoredRecord
  readonly input: Values
  readonly caller: { readonly userId: string; readonly role: Role }
  readonly records: <F extends Fields>(resource: Declared<F>) => Records<RecordOf<F>>
  readonly now: string
  readonly settings: Settings
  /** Throws `conflict` with this sentence, which undoes the transaction. */
  readonly refuse: (sentence: string) => never
}

export type Action = {
  /** The fields that the body may have; none when absent. */
  readonly input?: Fields
  /** The resource of the record that `run` returns; by default the action's own. */
  readonly returns?: string
  /** The answer is a new record: 201 with its Location. */
  readonly creates?: boolean
  /** One sentence for the documents. */
  readonly summary?: string
  /**
   * The work, inside one transaction. Returns the id of the record to answer with; by default it is the action's own record. In an action
   * that is also a move, it runs after the move.
   */
  run(context: ActionContext): Promise<unknown>
}

/** `defineAction({ returns: 'order', creates: true, async run({ record, records }) { … } })`. */
export function defineAction(action: Action): Action {
  return action
}
