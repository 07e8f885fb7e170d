/**
 * Virtual fields, which are not stored: the server reads them from other records or computes them
 * from the record's own values.
 */
import {
  checkMembers,
  countKind,
  flag,
  functionKind,
  type MemberProblem,
  type Members,
  oneOf,
  tableOf,
  takeOptions,
  textKind,
} from '../members.ts'
import type { ReadRecordOf } from '../record-of.ts'
import type { ServiceSettings } from '../rule.ts'
import { booleanType } from './boolean.ts'
import { type Known, type LikeRules, likenessOf, notStored } from './computed/likeness.ts'
import type { DerivedContext, Virtual } from './field.ts'
import { type Field, type Fields, type FieldType, fieldError, type Json, makeField } from './field.ts'
import { fieldKind } from './field-kind.ts'
import type { FieldTraits } from './field-traits.ts'
import type { DerivedInput } from './virtual-kinds.ts'

function refuse(_value: unknown, name: string): never {
  throw fieldError(name, 'is read-only')
}

export const embeddedType: FieldType = {
  name: 'embedded',
  column: 'json',
  operators: [],
  scalar: null,
  check: refuse,
  checkStored: refuse,
  isComparable: () => false,
  parse: refuse,
  schema: () => ({ type: 'array' }),
}

const embeddedMax = 1_000

type EmbeddedOptions = {
  /** One sentence for the documents. */
  readonly description?: string
  /** The most that a record may have: another one is refused with 409. 1,000 by default. */
  readonly max?: number
}
const embeddedMembers = { description: textKind, max: countKind } satisfies Members<EmbeddedOptions>

/** A resource by its name or, so that the compiler knows its records, as it is declared. */
type Embedded<N extends string, F> = N | { readonly name: N; readonly fields: F }
type PartOf<F> = string extends keyof F ? Readonly<Record<string, unknown>> : ReadRecordOf<F>

/**
 * The records of another resource whose field `by` names this one, oldest first:
 * `embedded('orderItem', 'orderId', { max: 100 })`. The resource itself may stand for its name,
 * `embedded(orderItems, 'orderId')`: derived fields then know what its records have.
 */
export function embedded<const N extends string, const B extends string, F extends Fields = Fields>(
  resource: Embedded<N, F>,
  by: B,
  options?: EmbeddedOptions,
): Field<readonly PartOf<F>[], string, { kind: 'virtual'; embeds: `${N}.${B}` }> {
  const name = typeof resource === 'object' && resource !== null ? resource.name : resource
  const { known, mistakes: ofOptions } = takeOptions(options, embeddedMembers)
  const { max = embeddedMax, description } = known
  const mistakes = [...ofOptions]
  textKind(name, 'the resource', (mistake) => mistakes.push(mistake))
  textKind(by, 'the reference', (mistake) => mistakes.push(mistake))
  const virtual = { kind: 'embedded', resource: name, by, max } as const
  return makeField(embeddedType, { setBy: 'engine', nullable: false, virtual, description, mistakes })
}

/** Whether filters on it become conditions on the field that it follows. */
const hasBounds = (virtual: Virtual) => virtual.kind === 'derived' && virtual.follows?.bounds !== undefined

function virtualField<V, T extends FieldTraits>(
  like: unknown,
  virtual: Virtual,
  more: readonly MemberProblem[],
): Field<V, string, T> {
  const { field, mistakes } = likenessOf(like, notStored)
  const { type, limits, values, takesRoles, read, reference, description, example } = field
  return makeField(
    { ...type, operators: hasBounds(virtual) ? type.operators : [], referredBy: undefined },
    {
      ...{
        limits,
        values,
        takesRoles,
        read,
        virtual,
        description,
        example,
        setBy: 'engine',
        mistakes: [...mistakes, ...more],
      },
      // A record without the value that it follows has none either.
      nullable: virtual.kind === 'lookup' || (virtual.kind === 'derived' && virtual.follows !== undefined),
      ...(virtual.kind === 'lookup' && reference ? { reference } : {}),
    },
  )
}

type VirtualTraits<T> = LikeRules<T> & { kind: 'virtual' }

type Source<K extends string, N extends string> = {
  /** A reference of this resource. */
  readonly via: K
  /** A stored field of the record that it names. */
  readonly field: N
}
const sourceMembers = { via: textKind, field: textKind } satisfies Members<Source<string, string>>

/**
 * A field of the record that a reference names: `lookup(money(), { via: 'productId', field: 'price'
 * })`.
 */
export function lookup<V, const K extends string, const N extends string, T extends FieldTraits = FieldTraits>(
  like: Field<V, string, T>,
  source: Source<K, N>,
): Field<V | null, string, VirtualTraits<T> & { via: `${K}.${N}` }> {
  const mistakes: MemberProblem[] = []
  const report = (mistake: MemberProblem) => mistakes.push(mistake)
  checkMembers(source, sourceMembers, { path: '', report, needed: ['via', 'field'], areOptions: true })
  return virtualField(like, { kind: 'lookup', via: source?.via, field: source?.field }, mistakes)
}

type DerivedOptions<C extends boolean, F, V = unknown> = {
  /**
   * It depends on the time, and receives `now`: the server computes it at each read, and caches no
   * response that shows it.
   */
  readonly clock?: C
  /** The fields that it may read, declared before it: the compiler then knows their values. */
  readonly fields?: F
  /**
   * A stored field that it rises or falls with, for all records alike: `'birthDate'`. Where lists
   * are sorted by that field, they are sorted by this one too, by the same index.
   */
  readonly follows?: string
  /** `desc`: it falls as that field rises. `asc` unless said. */
  readonly direction?: 'asc' | 'desc'
  /**
   * For filters: the stored value of that field from which on this one has the value or more. It
   * is the least such value, and in the direction `desc` the greatest; null where there is none.
   * For an integer or a boolean.
   */
  readonly bounds?: (value: NonNullable<V>, context: { readonly now: string }) => string | number | null
}
const derivedMembers = {
  clock: flag,
  fields: tableOf(fieldKind),
  follows: textKind,
  direction: oneOf(['asc', 'desc']),
  bounds: functionKind,
} satisfies Members<DerivedOptions<boolean, Fields>>

/** A derived field is given this: anything, unless it says which fields it reads. */
type InputOf<F> = string extends keyof F ? DerivedInput : ReadRecordOf<F>

/**
 * Computed from the record's other fields: `derived(money(), (item) => item.unitPrice *
 * item.quantity)`. A field that depends on the time says so: `derived(boolean(), ({ dueAt }, { now
 * }) => dueAt < now, { clock: true })`. With `fields` its record is typed: `derived(money(), ({
 * items }) => totalOf(items), { fields: stored })`.
 */
export function derived<
  V,
  const C extends boolean = false,
  F extends Fields = Fields,
  W extends V = V,
  T extends FieldTraits = FieldTraits,
>(
  like: Field<V, string, T>,
  compute: (record: InputOf<NoInfer<F>>, context: C extends true ? DerivedContext : ServiceSettings) => W,
  options?: DerivedOptions<C, F, V>,
): Field<Known<W, V>, string, VirtualTraits<T>> {
  const { known, mistakes: ofOptions } = takeOptions(options, derivedMembers)
  const mistakes = [...ofOptions]
  functionKind(compute, 'its computation', (mistake) => mistakes.push({ ...mistake, isFormRight: true }))
  const safe =
    typeof compute === 'function'
      ? (compute as unknown as (record: DerivedInput, context: DerivedContext) => Json)
      : () => null
  const { follows: field, direction = 'asc', bounds } = known
  const follows = field === undefined ? undefined : { field, direction, ...(bounds && { bounds: bounds as never }) }
  for (const path of ['direction', 'bounds'] as const)
    if (known[path] !== undefined && !follows)
      mistakes.push({ path, problem: 'means nothing without follows', isFormRight: true })
  return virtualField(like, { kind: 'derived', compute: safe, clock: known.clock === true, follows }, mistakes)
}

type CurrentSessionOptions = Pick<EmbeddedOptions, 'description'>
const currentMembers = { description: textKind } satisfies Members<CurrentSessionOptions>

/** Whether a session is the one that the request came with: `currentSession()`. */
export function currentSession(options?: CurrentSessionOptions): Field<boolean, string, { kind: 'virtual' }> {
  const { known, mistakes } = takeOptions(options, currentMembers)
  const virtual = { kind: 'current-session' } as const
  return makeField({ ...booleanType, operators: [] }, { ...known, setBy: 'engine', nullable: false, virtual, mistakes })
}
