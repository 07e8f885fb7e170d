/**
 * The common part of all field types. A field is inert data: its `type` checks, parses, stores and
 * represents values, and its options hold the choices of the declaration. Each field type has one
 * file beside this one.
 */
import { ApiError } from '../../errors.ts'
import { earlierNamesKind, flag, functionKind, kindOf, type MemberProblem, type Members, textKind } from '../members.ts'
import { type Rule, ruleKind, type ServiceSettings } from '../rule.ts'
import type { AbilitySets } from '../rules/role-order.ts'
import { type Deprecation, deprecationKind } from '../words/deprecation.ts'
import type { EarlierChoices, StoredRow } from './computed/earlier-values.ts'
import type { SteppedValue } from './counted-by.ts'
import type { FieldTraits } from './field-traits.ts'
import { stepsOf } from './nested/value-place.ts'
import type { CountedSeries } from './numbers/counted-series.ts'
import type { Sums, WholeBound } from './numbers/number-facts.ts'
import type { ReferenceOptions } from './reference-options.ts'
import type { MadeFrom } from './texts/made-from.ts'
import type { Expiry, Transition } from './transition.ts'
import type { VirtualOf } from './virtual-kinds.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
/** A stored value: of a 64-bit integer it is a bigint. */
type StoredJson = Json | bigint
export type JsonSchema = { readonly [keyword: string]: Json }

export const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'startsWith', 'null'] as const
/** Of lists alone. */
export const listOnlyOperators = ['overlaps', 'empty'] as const
/** Of references to records of a tree. */
export const treeOperator = 'within' as const
export type Operator = (typeof operators)[number] | (typeof listOnlyOperators)[number] | typeof treeOperator

/**
 * How a value is stored. Each database has its own column type for it. `long`: a 64-bit integer,
 * whose stored value is a bigint. `document`: the text of its JSON, in the canonical form.
 */
export type ColumnType = 'text' | 'integer' | 'long' | 'float' | 'boolean' | 'timestamp' | 'json' | 'document'

/** `L`: the limits that a declaration may set. Only the type itself reads them. */
export type FieldType<L = unknown> = {
  readonly name: import('../words/type-names.ts').DeclaredTypeName
  readonly column: ColumnType
  readonly operators: readonly Operator[]
  /** The GraphQL scalar, one of its own or of ours; `null` for a field that is not a leaf. */
  readonly scalar: import('../words/type-names.ts').ScalarName | null
  /**
   * The field of each item, where a value is a list. A filter asks for one item, and GraphQL has a
   * list of the scalar.
   */
  readonly item?: Field
  /** A value is a list without a field of its items. */
  readonly isList?: true
  /** Its values have no order and are no keys: nothing is sorted, grouped or unique by it. */
  readonly isOpaque?: true
  /** Filters compare the members of its JSON objects. */
  readonly hasMembers?: true
  /** A value is a file, or a list of files: their bytes are in a store. */
  readonly holdsFiles?: 'one' | 'many'
  /** People write and search it: `q` may look in it, and its parts are found ignoring case. */
  readonly isProse?: true
  /**
   * The names of other types whose stored values mean the same here, so that a field may change
   * from one to the other.
   */
  readonly alsoReads?: readonly string[]
  /** Set on the types of ids: the type of a field that refers to such an id. */
  readonly referredBy?: FieldType
  /**
   * `sent`: callers send it, and its hash is stored. `made`: the engine makes it and shows it once.
   * `kept`: the engine keeps a hash and never shows it. `sealed`: it keeps a value that only the
   * engine can decrypt.
   */
  readonly secret?: 'sent' | 'made' | 'kept' | 'sealed'
  /** The stored value of a record that has no value, where null is none. */
  readonly withoutValue?: string
  /** A value of a JSON body → the stored value. Throws `bad-request`: `year must be an integer`. */
  check(value: unknown, name: string, field: FieldOf<L>): unknown
  /**
   * Throws `bad-request` for a value that the field may not store, whoever made it. The value is
   * never null.
   */
  checkStored(value: unknown, name: string, field: FieldOf<L>): void
  /**
   * Whether stored values can be compared with this value of a cursor. The limits may have changed
   * since the cursor was made.
   */
  isComparable(value: unknown): boolean
  /** Text of a query parameter → the stored value. Throws `bad-request`. */
  parse(text: string, name: string, field: FieldOf<L>): unknown
  /**
   * Text of a filter → the stored value, or the one below it where none is equal. `parse` by
   * default. Throws `bad-request`.
   */
  parseBound?(text: string, name: string, field: FieldOf<L>): WholeBound
  /**
   * A value of a JSON filter → the text that `parse` takes. By default the column says which values
   * there are. Throws `bad-request`.
   */
  filterText?(value: unknown, name: string): string
  /**
   * The text of `contains` and `startsWith`, which need not look like a whole value. `parse` by
   * default. Throws `bad-request`.
   */
  parsePart?(text: string, name: string, field: FieldOf<L>): string
  /**
   * A cell as spreadsheets write it → the stored value. `parse` by default. Throws `bad-request`.
   */
  parseCell?(cell: string, name: string, field: FieldOf<L>): unknown
  /** A cell of a table holds the value as JSON, texts too. */
  readonly isCellJson?: true
  /**
   * The value of GraphQL's scalar → the value of a JSON body; by default they are the same. Throws
   * `bad-request`.
   */
  parseScalar?(value: unknown, name: string, field: FieldOf<L>): unknown
  /** The stored value, which is never null → JSON; by default the stored value is JSON already. */
  represent?(value: unknown, field: FieldOf<L>): Json
  /**
   * The most characters that a value may have, all items of a list together. Absent where every
   * value is short.
   */
  lengthMax?(field: FieldOf<L>): number
  /** A stored value as a reader of a language reads it, where that is not its JSON. */
  printFor?(value: unknown, reader: import('../words/language-reader.ts').LanguageReader): string
  /** A represented value for the documents, where the schema does not lead to one. */
  example?(field: FieldOf<L>): Json
  /** JSON Schema of the represented value (OpenAPI 3.1). */
  schema(field: FieldOf<L>): JsonSchema
  /** That of the value in a body, where it differs. */
  bodySchema?(field: FieldOf<L>): JsonSchema
  /** Its values are texts in the order of time. */
  readonly inTime?: import('./times/in-time.ts').InTime
  /** A stored value, for trials of functions: a number, true or a text by default. */
  readonly sample?: StoredJson
  /** Its values are whole numbers that can be added. */
  readonly adds?: Sums<L>
  /** The least and the most of its values mean something, although they cannot be added. */
  readonly hasEnds?: true
  /** Set where the engine makes a value that is not sent from another field. */
  readonly madeFrom?: MadeFrom<FieldOf<L>>
  /** Set where the engine counts the values, when it stores records. */
  readonly series?: CountedSeries<FieldOf<L>>
  /**
   * Set where a value is the place of the record among those with the same value of a field; among
   * all where it names none.
   */
  readonly places?: { within(field: FieldOf<L>): string | undefined }
  /**
   * The meaning of stored values, where the limits decide it: another one is a change of the type.
   * It is the name of the type by default.
   */
  storedAs?(field: FieldOf<L>): string
  /** How many decimals its stored whole numbers have; none unless said. */
  scaleOf?(field: FieldOf<L>): number
  /**
   * Makes stored values from those with another meaning, where nothing can be misread. Otherwise
   * the declaration has to say it. The function throws `bad-request` for a value that would be
   * lost.
   */
  converts?(kind: string, name: string, field: FieldOf<L>): ((value: unknown) => unknown) | undefined
  /** Added to the schema of a body where the field is required. */
  readonly requiredSchema?: JsonSchema
  /** The mistake in the limits that a declaration has set; undefined when there is none. */
  limitsMistake?(limits: L): string | undefined
}

export type DefaultContext = {
  /** The time, RFC 3339 in UTC with milliseconds. */
  readonly now: string
  /** The part of the configuration that declarations may ask about. */
  readonly settings: ServiceSettings
  /** The role of the caller; null for one without a credential. */
  readonly role: string | null
}
export type Default = StoredJson | ((context: DefaultContext) => StoredJson)
/**
 * A default of a field whose stored values are `V`. A function decides when a record is made, and
 * never for null.
 */
export type DefaultOf<V> = V | null | ((context: DefaultContext) => V)

/** The source that sets the value in place of the caller. */
export type ValueSource = 'create' | 'write' | 'transition' | 'principal' | 'parent' | 'engine'

/**
 * Further arguments of a derived field: the settings, and the time (RFC 3339 in UTC with
 * milliseconds) where it says that it depends on it.
 */
export type DerivedContext = ServiceSettings & { readonly now: string }

export type Virtual = VirtualOf<DerivedContext, Json>

/**
 * The earlier form of a field, so that a change of the declaration keeps the stored values. It may
 * be deleted when all databases have been migrated. `V`: its stored values; `W`: other forms of
 * `was`.
 */
export type EarlierForm<V = StoredJson, W = never> = {
  /**
   * The former name, or names, of the field. In a choice also the former words: `{ BACK: 'RETURNED'
   * }`.
   */
  renamedFrom?: string | W | readonly (string | W)[]
  /**
   * The value for records without one: one for all, or made from each row (a stored value, money in
   * minor units).
   */
  backfill?: V | ((row: StoredRow) => V | null)
  /**
   * Stored values of another type → stored values of this one (money in minor units). Runs once,
   * when the type changes.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of an earlier declaration is one that nobody knows any more.
  convert?: (value: any, row: StoredRow) => V | null
}

export type Field<V = unknown, M extends string = string, T extends FieldTraits = FieldTraits> = SteppedValue & {
  readonly type: FieldType
  readonly required: boolean
  /** Whether the stored value may be null. */
  readonly nullable: boolean
  readonly default?: Default
  /** `0`, `""`, `false` and `null` mean the default on any write. */
  readonly falsyIsDefault: boolean
  readonly setBy?: ValueSource
  /** Set on create and never changed afterwards. */
  readonly immutable: boolean
  /** Never shown (passwords, hashes): behaves as absent in output, filters, sort and search. */
  readonly hidden: boolean
  /** Answers have it only where the request names it. */
  readonly returned?: 'request'
  /** A replace that omits it keeps the stored value. */
  readonly keepOnReplace: boolean
  readonly unique: boolean
  /** The callers who may read it, on all records or on some. For others it does not exist. */
  readonly read?: Rule
  /** The callers who may set the field. Others get 403. */
  readonly write?: Rule
  readonly virtual?: Virtual
  /** The limits of its type. Only the type knows what they mean. */
  readonly limits: unknown
  readonly values?: readonly string[]
  /** Its words are the roles of the application, which `accounts` says. */
  readonly takesRoles?: true
  /** The abilities of each of these roles; absent where they are in order. */
  readonly abilities?: AbilitySets
  readonly transitions?: Readonly<Record<M, Transition>>
  readonly expires?: Expiry
  readonly reference?: ReferenceOptions & { readonly resource: string }
  /** The reference to the record whose erasure empties the field. */
  readonly personal?: string
  /** Its description in the documents. */
  readonly description?: string
  /** A value as a body has it, for the documents. */
  readonly example?: Json
  readonly renamedFrom?: EarlierForm<StoredJson, EarlierChoices>['renamedFrom']
  readonly backfill?: EarlierForm['backfill']
  readonly convert?: EarlierForm['convert']
  readonly deprecated?: Deprecation
  /** The mistakes in the options that it was made with. */
  readonly mistakes: readonly MemberProblem[]
  /** Only for the compiler: the type of the stored value, and the rest. */
  readonly _value?: V
  readonly _traits?: T
}

/** A field as its own type sees it. */
export type FieldOf<L> = Omit<Field, 'limits'> & { readonly limits: L }

export type Fields = Readonly<Record<string, Field>>

/**
 * Options of every field. `R`: whether it is required; `D`: its default, if any; `V` and `W` as in
 * `EarlierForm`. `L`: roles that its rules name; `Q`: fields and paths that they mention.
 */
export type CommonOptions<
  R extends boolean = boolean,
  D = Default,
  V = StoredJson,
  W = never,
  L extends string = string,
  Q extends string = string,
> = EarlierForm<V, W> & {
  /** It must be sent on create and replace, and is never null. A blank text is missing. */
  required?: R
  /**
   * The value of a new record when none is sent, and of a field that a PUT leaves out. It is a
   * constant or a function of `{ now, settings, role }`. A field with one is never null, unless the
   * default is null itself. Beside `required` it is for records that are older than the field.
   */
  default?: D
  /** No two records have the same value: a second one is 409. Texts are compared ignoring case. */
  unique?: boolean
  /** It is set on create and never changed. */
  immutable?: boolean
  /** Only the server or an action sets it. It may be sent as long as it equals what is stored. */
  readOnly?: boolean
  /** A PUT that leaves it out keeps the stored value. */
  keepOnReplace?: boolean
  /**
   * Never shown to any caller, nor set by one: for values that actions remember. No list has it as
   * a filter or sort key.
   */
  hidden?: boolean
  /**
   * `request`: answers have it only where the request names it, by `fields`, in GraphQL, or in its
   * body. So the other answers keep their bytes, and a PUT that leaves it out keeps it.
   */
  returned?: 'request'
  /**
   * The callers who may see it. For others the field does not exist: neither in responses nor in
   * filters, `sort`, `q` and bodies. Where the rule depends on the record (`owner`, `where`), only
   * the records where it holds show the field. A filter takes it as null on the others, and no list
   * is sorted or grouped by it.
   */
  read?: Rule<Q, Q, L>
  /**
   * The callers who may set it: on a stored record where the rule holds, and in a new record that
   * satisfies it. Others get 403 when they would change it.
   */
  write?: Rule<Q, Q, L>
  /**
   * It is about the person whom this reference of the record names: `personal: 'userId'`. When that
   * person is erased and the record stays, the field is emptied, in its versions and copies too. So
   * it must be able to be null.
   */
  personal?: string
  /** One sentence for the documents: its meaning and its unit. */
  description?: string
  /** A value as a body has it, for the documents: it must be one that the field takes. */
  example?: V
  /** It is deprecated: the documents say since when, and what to use. */
  deprecated?: Deprecation
}

/** The values that each member may have. Defaults are checked once the resource is known. */
export const commonMembers = {
  renamedFrom: earlierNamesKind,
  backfill: kindOf('a value, or a function that makes one', (value) => value !== null),
  convert: functionKind,
  required: flag,
  default: () => undefined,
  unique: flag,
  immutable: flag,
  readOnly: flag,
  keepOnReplace: flag,
  hidden: flag,
  returned: kindOf("'request'", (value) => value === 'request'),
  read: ruleKind,
  write: ruleKind,
  personal: textKind,
  description: textKind,
  example: kindOf('a value of the field', (value) => value !== null),
  deprecated: deprecationKind,
} satisfies Members<CommonOptions>

/**
 * The value is never null when the field is required or has a default. Without a default `D` is all
 * that one could be, also undefined.
 */
export type ValueOf<T, R, D> = R extends true ? T : undefined extends D ? T | null : null extends D ? T | null : T

/** Whether a new record gets a value of its own: where the field has a default. */
export type HasDefault<D> = undefined extends D ? false : true

/**
 * A field of this type with the options that all types share. The builders add what follows from
 * their own options.
 */
export function makeField<V, M extends string, T extends FieldTraits, L = unknown>(
  type: FieldType<L>,
  options: CommonOptions<boolean, Default, StoredJson, EarlierChoices> & Partial<FieldOf<L>> = {},
): Field<V, M, T> {
  const { readOnly, ...rest } = options
  // A field that no caller sees does not exist for callers, except a password, which is sent.
  const setBy = options.setBy ?? (readOnly || (options.hidden && type.secret !== 'sent') ? 'engine' : undefined)
  return {
    required: false,
    falsyIsDefault: false,
    immutable: false,
    hidden: false,
    // A client puts back what it was shown.
    keepOnReplace: options.returned === 'request',
    unique: false,
    ...{ limits: {}, mistakes: [] },
    nullable: options.required !== true && (options.default === undefined || options.default === null),
    ...rest,
    setBy,
    type,
  } as Field<V, M, T>
}

/** `bad-request` about a field: `year must be an integer`. `path`: the members down to it. */
export function fieldError(name: string, problem: string, path = stepsOf(name)): ApiError {
  const detail = `${name} ${problem}`
  return new ApiError('bad-request', detail, { mistakes: [{ field: name, detail, ...(path.length > 1 && { path }) }] })
}

export const orderOperators: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null']
