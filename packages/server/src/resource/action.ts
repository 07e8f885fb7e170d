/**
 * Actions: operations of a resource beyond reads and writes. An action receives its record, its
 * checked input, the caller, and `records`, which writes in its transaction. It knows no request,
 * no status and no SQL.
 */
import type { KnownCaller } from './code/acting-caller.ts'
import type { TransactionCode } from './code/code-context.ts'
import type { Fields, Json } from './fields/field.ts'
import { fieldKind } from './fields/field-kind.ts'
import type { GivenValues } from './fields/nested/given-values.ts'
import { type ActionJob, type AnyActionJob, actionJobKind } from './jobs/action-job.ts'
import { exampleKind, flag, functionKind, limitMsKind, type Members, objectOf, tableOf, textKind } from './members.ts'
import type { RecordOf } from './record-of.ts'

/** The arguments of an action. `E`: its record; `I`: the values of its input. */
type ActionArguments<E, I> = TransactionCode & {
  /**
   * The record that it is about, with its stored values (money in cents), locked until the
   * transaction ends.
   */
  readonly record: E
  /** The values of the body, checked by the fields of `input`. */
  readonly input: I
  /**
   * The caller. `userId` is null for anonymous callers, at the console, and where a state ends by
   * itself: `caller.userId ?? refuse('…')` always gives a user. `role` is the lowest one for
   * anonymous callers, and empty where no role is the lowest. It is the operator's for the service.
   * At the console it is the highest one, or the operator's where none is the highest. `has` of
   * `accounts` tells whether the caller has an ability, or reaches a role.
   */
  readonly caller: KnownCaller & { readonly role: string }
}

/** The arguments of an action of a resource with fields `F` and with the input `I`. */
export type ActionContext<F extends Fields = Fields, I extends Fields = Fields> = ActionArguments<
  RecordOf<F>,
  RecordOf<I>
>

/** `E`: the record that it works on; `I`: its input, which `defineAction` infers. */
export type Action<E = never, I extends Fields = Fields, V = never> = {
  /** The fields that the body may have; none when absent. */
  readonly input?: I
  /**
   * The answer in place of a record: `{ total: money({ required: true }) }`. `run` returns the
   * values. `defineAction` types them.
   */
  readonly output?: Fields
  /**
   * A job that the action adds in its transaction, in place of `run`: `{ add: sendInvoice, input:
   * ({ record }) => ({ order: record.id }) }`. The answer is 202 with the job. Only `defineAction`
   * takes it, since it types its input.
   */
  readonly job?: AnyActionJob
  /** The resource of the record that `run` returns; by default the action's own. */
  readonly returns?: string
  /** The answer is a new record: 201 with its Location. */
  readonly creates?: boolean
  /** One sentence for the documents. */
  readonly summary?: string
  /** Further sentences for the documents. */
  readonly description?: string
  /** Values of its input for the documents, in place of the examples of the fields. */
  readonly example?: Readonly<{ [K in keyof I]?: Json }>
  /**
   * Milliseconds that `run` may wait for anything but its `records(…)`: 200 by default. An action
   * that waits longer ends with 500, and nothing is stored.
   */
  readonly limitMs?: number
  /**
   * The work, inside one transaction. Returns the id of the record to answer with; by default it is
   * the action's own record. In an action that is also a transition, it runs after it. Its return
   * type is `void`, so that it may return ids of the resource that the action is part of.
   */
  readonly run: (context: ActionArguments<E, V>) => void
}

const members = {
  input: tableOf(fieldKind),
  output: tableOf(fieldKind),
  job: actionJobKind,
  returns: textKind,
  creates: flag,
  summary: textKind,
  description: textKind,
  example: exampleKind,
  limitMs: limitMsKind,
  run: functionKind,
} satisfies Members<Action>

export const actionKind = objectOf(members, { needed: ['run'] })

/** The record of an action that was not told its fields: `defineAction(fields, { … })` is. */
export interface RecordOfUnknownFields {
  toString(): string
}

/** Stands for the code of an action that the engine does itself. */
export function doneByEngine(): never {
  throw new Error('the engine does this itself')
}

/**
 * `O`: its output; `R`: the values that `run` returns. An action without an output returns `void`,
 * so that its code may name the resource that it is part of.
 */
type ActionWithOutput<E, I extends Fields, O extends Fields, R> = Omit<
  Action<E, I, RecordOf<I>>,
  'output' | 'job' | 'run'
> & {
  readonly output: O
  readonly job?: undefined
  readonly run: (context: ActionArguments<E, RecordOf<NoInfer<I>>>) => R | Promise<R>
}
type WithoutOutput = { readonly output?: undefined; readonly job?: undefined }

/** An action that adds a job with the input `J`. */
type ActionWithJob<E, I extends Fields, J extends Fields> = Omit<
  Action<E, I, RecordOf<I>>,
  'output' | 'returns' | 'creates' | 'job' | 'run'
> & {
  readonly job: ActionJob<ActionArguments<E, RecordOf<NoInfer<I>>>, J>
  readonly run?: undefined
}

/**
 * An action for resources with these fields: `defineAction(loanFields, { input: { weeks: integer()
 * }, async run({ record, input }) { … } })`. Without fields it cannot read its record. An action
 * without input may be written in the declaration without this function. With `output` it answers
 * with values of its own in place of a record. With `job` in place of `run` it adds a job, and
 * answers with it.
 */
export function defineAction<const F extends Fields, const I extends Fields = Record<never, never>>(
  fields: F,
  action: Action<RecordOf<NoInfer<F>>, I, RecordOf<NoInfer<I>>> & WithoutOutput,
): Action<RecordOf<F>, I, RecordOf<I>>
export function defineAction<
  const F extends Fields,
  const O extends Fields,
  const R extends GivenValues<O>,
  const I extends Fields = Record<never, never>,
>(fields: F, action: ActionWithOutput<RecordOf<NoInfer<F>>, I, O, R>): Action<RecordOf<F>, I, RecordOf<I>>
export function defineAction<
  const F extends Fields,
  const J extends Fields,
  const I extends Fields = Record<never, never>,
>(fields: F, action: ActionWithJob<RecordOf<NoInfer<F>>, I, J>): Action<RecordOf<F>, I, RecordOf<I>>
export function defineAction<const I extends Fields = Record<never, never>>(
  action: Action<RecordOfUnknownFields, I, RecordOf<NoInfer<I>>> & WithoutOutput,
): Action<RecordOfUnknownFields, I, RecordOf<I>>
export function defineAction<
  const O extends Fields,
  const R extends GivenValues<O>,
  const I extends Fields = Record<never, never>,
>(action: ActionWithOutput<RecordOfUnknownFields, I, O, R>): Action<RecordOfUnknownFields, I, RecordOf<I>>
export function defineAction<const J extends Fields, const I extends Fields = Record<never, never>>(
  action: ActionWithJob<RecordOfUnknownFields, I, J>,
): Action<RecordOfUnknownFields, I, RecordOf<I>>
export function defineAction(...given: readonly [Fields, object] | readonly [object]): Action {
  const action = given.at(-1) as Action
  const addsAlone = action?.job !== undefined && (action as Partial<Action>).run === undefined
  return addsAlone ? { ...action, run: doneByEngine } : action
}
