/**
 * Hooks: code of a declaration that runs before a record is written, in the transaction of the
 * write and on every path. A hook may change the values and may refuse; it knows no request.
 */
import type { ActingCaller } from '../action.ts'
import type { Fields } from '../fields/field.ts'
import { countKind, functionKind, type Members, objectOf } from '../members.ts'
import type { FieldName, RecordOf, SetName } from '../record-of.ts'
import type { InsideCode } from './code-context.ts'

/** Every hook receives this. */
type HookContext<F extends Fields> = InsideCode & {
  /**
   * The author of the write. There is no user for strangers, at the console, and where the service
   * itself writes; strangers and the service have no role. `has` of `accounts` tells whether the
   * caller has an ability, or reaches a role.
   */
  readonly caller: ActingCaller
  /**
   * Throws, which undoes the transaction: with a field `bad-request`, which names it, and without
   * one `conflict`.
   */
  readonly refuse: (sentence: string, field?: FieldName<F>) => never
}

/**
 * The values that a hook may give: of any stored field but the id, secrets, and the times that the
 * engine sets.
 */
export type HookChanges<F extends Fields> = Partial<Pick<RecordOf<F>, Extract<SetName<F>, keyof RecordOf<F>>>>
type HookResult<F extends Fields> = HookChanges<F> | undefined

/**
 * `sent`: the values that the caller sent, or an action gave. `record`: these with ids, times and
 * defaults, as it would be stored.
 */
export type CreateContext<F extends Fields> = HookContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly record: RecordOf<F>
  readonly previous: null
}
/**
 * `previous`: the record as it is stored, locked until the transaction ends. `record`: as it would
 * be.
 */
export type UpdateContext<F extends Fields> = HookContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly record: RecordOf<F>
  readonly previous: RecordOf<F>
}
export type DeleteContext<F extends Fields> = HookContext<F> & { readonly previous: RecordOf<F> }

/** `F`: the fields of the resource. */
export type Hooks<F extends Fields = Fields> = {
  /**
   * Runs before a record is made, with the `sent` values and the `record` as the server would store
   * it. The server stores the returned values in place of these. `onWrite`, the rule for the result
   * and the checks of fields see them.
   */
  readonly beforeCreate?: (context: CreateContext<F>) => HookResult<F> | Promise<HookResult<F>>
  /**
   * The same before a record is changed, with the `previous` one beside it. It also runs before a
   * reference is cleared because its record is deleted. A write that changes nothing runs none.
   */
  readonly beforeUpdate?: (context: UpdateContext<F>) => HookResult<F> | Promise<HookResult<F>>
  /** Runs before a record is deleted, also with another record that it belongs to. */
  readonly beforeDelete?: (context: DeleteContext<F>) => void | Promise<void>
  /**
   * Milliseconds that a hook may wait for anything but its `records(…)`: 200 by default. A hook
   * that waits longer ends with 500, and nothing is stored.
   */
  readonly limitMs?: number
}

const members = {
  beforeCreate: functionKind,
  beforeUpdate: functionKind,
  beforeDelete: functionKind,
  limitMs: countKind,
} satisfies Members<Hooks>

export const hooksKind = objectOf(members)
