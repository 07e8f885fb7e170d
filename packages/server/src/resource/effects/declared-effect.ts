/**
 * Effects of a declaration: work that runs after the commit of a write, such as a message to
 * another service. The transaction of the write stores the effect with the values of that moment.
 * The server retries it until it succeeds.
 */
import type { KnownCaller } from '../code/acting-caller.ts'
import type { OutsideCode, SystemRecords } from '../code/code-context.ts'
import type { Scalar } from '../condition.ts'
import type { Fields } from '../fields/field.ts'
import {
  functionKind,
  kindOf,
  listOfKind,
  type MemberKind,
  type Members,
  objectOf,
  oneOf,
  textKind,
  timeoutKind,
} from '../members.ts'
import type { ListedName, RecordOf, StoredName } from '../record-of.ts'
import { type EffectMoment, momentKind } from './effect-moment.ts'
import type { RunStep } from './effect-step.ts'
import { type Retries, retriesKind } from './retries.ts'

const causes = ['create', 'update', 'delete'] as const

type ChangedValues<V> = { readonly from?: V | undefined; readonly to?: V | undefined }
/** A change of one field. Made by `changed`. `V`: the stored values that it names. */
export type FieldChange<K extends string = string, V = Scalar> = ChangedValues<V> & { readonly field: K }

/** A change of any of the fields, to and from values that the field may have. */
type ChangeOf<F> = {
  readonly [K in StoredName<F>]: string extends K ? FieldChange : FieldChange<K, Extract<RecordOf<F>[K], Scalar>>
}[StoredName<F>]
/** `F`: the fields of the resource. */
export type EffectCause<F = Fields> = (typeof causes)[number] | ChangeOf<F>

/**
 * `changed('state', { to: 'PUBLISHED' })`: an update that gives the field this stored value, and
 * that had another before.
 */
export function changed<const K extends string, const V extends Scalar = never>(
  field: K,
  values: ChangedValues<V> = {},
): FieldChange<K, NoInfer<V>> {
  return { ...values, field }
}

/** `E`: the record, with its stored values and without its secrets. */
export type EffectContext<E> = OutsideCode<SystemRecords> & {
  /** As the write left it; as it was before a delete. */
  readonly record: E
  /** As it was before an update; null otherwise. */
  readonly previous: E | null
  /** The caller of the write that caused it, with the role of that moment. */
  readonly author: KnownCaller
  /** The same at each try, so that a receiver knows a repeat. */
  readonly id: string
  /** This one included. */
  readonly tries: number
  /**
   * `step('charge', () => …)` does a part of the work once, and keeps its result for later tries,
   * also of another process. The name is unique in the run. The result is JSON.
   */
  readonly step: RunStep
}
/** An effect of a resource with these fields is given this. */
export type EffectRecord<F> = Pick<RecordOf<F>, Extract<keyof RecordOf<F>, ListedName<F>>>

/** `F`: the fields of the resource; `E`: its record, as `run` is given it. */
export type DeclaredEffect<E = never, F = Fields> = {
  /** The writes that cause it: any of these. An effect has either this or `at`. */
  readonly on?: readonly EffectCause<F>[]
  /**
   * When it is due: `before('startsAt', '24h')` or `after('endedAt', '30m')`. It moves when the
   * field changes, and goes with the record. `record` is as it is then.
   */
  readonly at?: EffectMoment<StoredName<F>>
  /** The work, after the commit, at least once. One that throws is tried again. */
  readonly run: (given: EffectContext<E>) => Promise<void> | void
  /** How often it is tried, and when: 10 times over a day by default. */
  readonly retries?: Retries
  /** How long one try may take; 30 seconds by default. */
  readonly timeoutSeconds?: number
}

/** The kind of work of an effect, as operators see it: `article.announce`. */
export function effectKindName(resource: string, effect: string): string {
  return `${resource}.${effect}`
}

const comparedKind = kindOf('a text, a number, a bigint, true or false', (value) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value),
)
const changedMembers = { field: textKind, from: comparedKind, to: comparedKind } satisfies Members<FieldChange>
const isCause = oneOf(causes)
const isChanged = objectOf(changedMembers, { needed: ['field'] })
const causeKind: MemberKind = (value, path, report) =>
  typeof value === 'string' ? isCause(value, path, report) : isChanged(value, path, report)

const members = {
  on: listOfKind(causeKind),
  at: momentKind,
  run: functionKind,
  retries: retriesKind,
  timeoutSeconds: timeoutKind,
} satisfies Members<DeclaredEffect>
export const effectKind = objectOf(members, { needed: ['run'] })
