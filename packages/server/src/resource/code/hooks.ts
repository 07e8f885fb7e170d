/**
 * Hooks: code of a declaration that runs before a record is written, on every path. Those that
 * prepare run before the transaction and may reach the network. The others run in it, may change
 * the values and may refuse. A hook knows no request.
 */
import type { Fields } from '../fields/field.ts'
import { checkMembers, functionKind, limitMsKind, type MemberKind, type Members } from '../members.ts'
import type { FieldName, RecordOf, SetName } from '../record-of.ts'
import type { KnownCaller } from './acting-caller.ts'
import type { CommonCode, InsideCode, OutsideCode, SystemRecords } from './code-context.ts'

/** Every hook in the transaction receives this. */
type HookContext<F extends Fields> = InsideCode & {
  /**
   * The author of the write. There is no user for strangers, at the console, and where the service
   * itself writes; strangers and the service have no role. `has` of `accounts` tells whether the
   * caller has an ability, or reaches a role.
   */
  readonly caller: KnownCaller
  /**
   * Throws, which undoes the transaction: with a field `bad-request`, which names it, and without
   * one `conflict`.
   */
  readonly refuse: (sentence: string, field?: FieldName<F>) => never
}

/** Every hook that prepares receives this. */
type PrepareContext<F extends Fields> = Pick<CommonCode, 'now' | 'settings'> &
  Pick<HookContext<F>, 'caller' | 'refuse'> &
  Pick<OutsideCode<SystemRecords>, 'fetch' | 'services' | 'signal'> & {
    /**
     * The write is only tried (`Prefer: dry-run`, `--dry-run`), and undone. Check what it needs,
     * and cause nothing elsewhere.
     */
    readonly dryRun: boolean
  }
/** `sent`: the values that the caller sent. */
export type PrepareCreateContext<F extends Fields> = PrepareContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly previous: null
}
/** `previous`: the record as it is stored. It may change until the transaction locks it. */
export type PrepareUpdateContext<F extends Fields> = PrepareContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly previous: RecordOf<F>
}
export type PrepareDeleteContext<F extends Fields> = PrepareContext<F> & { readonly previous: RecordOf<F> }

/**
 * The values that a hook may give: of any stored field but the id, secrets, and the times that the
 * engine sets.
 */
export type HookChanges<F extends Fields> = Partial<Pick<RecordOf<F>, Extract<SetName<F>, keyof RecordOf<F>>>>
type HookResult<F extends Fields> = HookChanges<F> | undefined

/**
 * `sent`: the values that the caller sent, or an action gave. `record`: these with ids, times and
 * defaults, as it would be stored. `prepared`: the value of `prepareCreate`; undefined where no
 * caller asked for this write.
 */
export type CreateContext<F extends Fields, P = unknown> = HookContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly record: RecordOf<F>
  readonly previous: null
  readonly prepared: P | undefined
}
/**
 * `previous`: the record as it is stored, locked until the transaction ends. `record`: as it would
 * be. `prepared`: the value of `prepareUpdate`.
 */
export type UpdateContext<F extends Fields, P = unknown> = HookContext<F> & {
  readonly sent: Partial<RecordOf<F>>
  readonly record: RecordOf<F>
  readonly previous: RecordOf<F>
  readonly prepared: P | undefined
}
/** `prepared`: the value of `prepareDelete`. */
export type DeleteContext<F extends Fields, P = unknown> = HookContext<F> & {
  readonly previous: RecordOf<F>
  readonly prepared: P | undefined
}
/** `I`: the fields of the input of the action. */
type InputOf<I> =
  NonNullable<I> extends infer J extends Fields
    ? string extends keyof J
      ? Readonly<Record<string, unknown>>
      : RecordOf<J>
    : Readonly<Record<string, unknown>>
/**
 * `previous`: the record that the action is about, locked. `input`: the values that the caller
 * sent, checked by the fields of the action's `input`.
 */
export type ActionHookContext<F extends Fields, I = unknown> = HookContext<F> & {
  readonly previous: RecordOf<F>
  readonly input: InputOf<I>
}

/** `F`: the fields of the resource. `C`, `U`, `D`: the values that are prepared. */
export type Hooks<F extends Fields = Fields, C = unknown, U = unknown, D = unknown> = {
  /**
   * Runs before the transaction of a create that a caller asks for, once the rules let the caller
   * in. It may `fetch`, and may refuse. `beforeCreate` is given its value as `prepared`.
   */
  readonly prepareCreate?: (context: PrepareCreateContext<F>) => C | Promise<C>
  /** The same for a replace or an update that changes something, with the `previous` record. */
  readonly prepareUpdate?: (context: PrepareUpdateContext<F>) => U | Promise<U>
  /** The same for a delete. */
  readonly prepareDelete?: (context: PrepareDeleteContext<F>) => D | Promise<D>
  /**
   * Runs before a record is made, with the `sent` values and the `record` as the server would store
   * it. The server stores the returned values in place of these. `onWrite`, the rule for the result
   * and the checks of fields see them.
   */
  readonly beforeCreate?: (context: CreateContext<F, C>) => HookResult<F> | Promise<HookResult<F>>
  /**
   * The same before a record is changed, with the `previous` one beside it. It also runs before a
   * reference is cleared because its record is deleted. A write that changes nothing runs none.
   */
  readonly beforeUpdate?: (context: UpdateContext<F, U>) => HookResult<F> | Promise<HookResult<F>>
  /** Runs before a record is deleted, also with another record that it belongs to. */
  readonly beforeDelete?: (context: DeleteContext<F, D>) => void | Promise<void>
  /**
   * Milliseconds that a hook may wait for anything but its `records(…)`: 200 by default. A hook
   * that waits longer ends with 500, and nothing is stored.
   */
  readonly limitMs?: number
  /**
   * Milliseconds that a hook may take to prepare: 10,000 by default. Then the write ends with 500.
   */
  readonly prepareLimitMs?: number
}

/**
 * `A`: the names of actions and transitions; `M`: the input of each action. `beforePublish` runs
 * before the action or transition `publish`, also where a state ends by itself. Its changes are
 * stored with the transition. The condition makes the compiler infer `A` first.
 */
export type ActionHooks<F extends Fields, A extends string, M = unknown> = [A] extends [string]
  ? {
      readonly [K in A as `before${Capitalize<K>}`]?: (
        context: ActionHookContext<F, K extends keyof M ? M[K] : unknown>,
      ) => HookResult<F> | Promise<HookResult<F>>
    }
  : never

const members = {
  prepareCreate: functionKind,
  prepareUpdate: functionKind,
  prepareDelete: functionKind,
  beforeCreate: functionKind,
  beforeUpdate: functionKind,
  beforeDelete: functionKind,
  limitMs: limitMsKind,
  prepareLimitMs: limitMsKind,
} satisfies Members<Hooks>

/** The hook of an action or a transition: `publish` → `beforePublish`. */
export function actionHookName(action: string): string {
  return `before${action.charAt(0).toUpperCase()}${action.slice(1)}`
}

/** `names`: the actions and transitions of the declaration. */
export const hooksKindFor =
  (names: readonly string[]): MemberKind =>
  (value, path, report) => {
    const ofActions = Object.fromEntries(names.map((name) => [actionHookName(name), functionKind]))
    checkMembers(value, { ...ofActions, ...members }, { path, report })
  }
