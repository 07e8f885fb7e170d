/**
 * Actions: what a resource can do besides being read and written. An action sees its record, its checked input, the
 * caller and `records`, the door to storage that is bound to its transaction; it knows no request, no status, no SQL.
 */
import type { Declared, RecordOf } from './define.ts'
import type { Fields } from './fields/field.ts'
import type { Role, Settings } from './rule.ts'

export type StoredRecord = Readonly<Record<string, unknown>>
export type Values = Readonly<Record<string, unknown>>

/** One resource's records inside the transaction. Values are stored values: money in minor units. */
export type Records<R = StoredRecord> = {
  /** By id, locked until the transaction ends. Throws `not-found`. */
  get(id: unknown): Promise<R>
  /** The records with these values, oldest first. */
  list(values: Partial<R>): Promise<readonly R[]>
  create(values: Partial<R>): Promise<R>
  /** Throws `not-found`. Derived and following fields, the version and updatedAt are kept by the engine. */
  update(id: unknown, changes: Partial<R>): Promise<R>
  /** How many there were. */
  deleteWhere(values: Partial<R>): Promise<number>
}

export type ActionContext = {
  readonly record: StoredRecord
  readonly input: Values
  readonly caller: { readonly userId: string; readonly role: Role }
  readonly records: <F extends Fields>(resource: Declared<F>) => Records<RecordOf<F>>
  readonly now: string
  readonly settings: Settings
  /** Throws `conflict` with this sentence: nothing of the transaction stays. */
  readonly refuse: (sentence: string) => never
}

export type Action = {
  /** What the body may hold; none when absent. */
  readonly input?: Fields
  /** The resource of the record that `run` returns; the action's own when absent. */
  readonly returns?: string
  /** The answer is a new record: 201 with its Location. */
  readonly creates?: boolean
  /** For documents: one sentence. */
  readonly summary?: string
  /**
   * The work, inside one transaction. Returns the id of the record to answer with (its own record's when it returns nothing).
   * On an action that is also a move, it runs after the move.
   */
  run(context: ActionContext): Promise<unknown>
}

/** `defineAction({ returns: 'order', creates: true, async run({ record, records }) { … } })`. */
export function defineAction(action: Action): Action {
  return action
}
