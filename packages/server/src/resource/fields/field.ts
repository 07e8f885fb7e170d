/**
 * What every field type has in common. A field is inert data: its `type` says how values are checked, parsed,
 * stored and represented, its options what the declaration asked for. One file a field type beside this one.
 */
import { ApiError } from '../../errors.ts'
import type { Rule, Settings } from '../rule.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type JsonSchema = { readonly [keyword: string]: Json }

export const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'startsWith', 'null'] as const
export type Operator = (typeof operators)[number]

/** How a value lies in a column; each database says what that is in its own words. */
export type ColumnType = 'text' | 'integer' | 'boolean' | 'timestamp' | 'json'

/** `L`: the limits that a declaration may set, which only the type itself reads. */
export type FieldType<L = unknown> = {
  readonly name: string
  readonly column: ColumnType
  readonly operators: readonly Operator[]
  /** The GraphQL scalar; `null` for what is no leaf. */
  readonly scalar: 'ID' | 'String' | 'Int' | 'Float' | 'Boolean' | null
  /** It holds several values: a filter asks whether one is among them, GraphQL has a list of the scalar. */
  readonly isList?: true
  /** People write and search it: `q` looks into it, and a part of it is found without regard to case. */
  readonly isProse?: true
  /** It names records; this is the type of a field that refers to one. */
  readonly referredBy?: FieldType
  /** A caller sends it and its hash is stored; the engine makes it and shows it once; or the engine keeps a hash that nobody sees. */
  readonly secret?: 'sent' | 'made' | 'kept'
  /** A value of a JSON body → the stored value. Throws `bad-request`: `year must be an integer`. */
  check(value: unknown, name: string, field: FieldOf<L>): unknown
  /** Throws `bad-request` for what is no stored value of this field, whoever made it. It is not asked about null. */
  checkStored(value: unknown, name: string, field: FieldOf<L>): void
  /** Whether a stored value may be compared with this one, which a cursor brings back. The limits may have changed since. */
  isComparable(value: unknown): boolean
  /** Text of a query parameter → the stored value. Throws `bad-request`. */
  parse(text: string, name: string, field: FieldOf<L>): unknown
  /** The text of `contains` and `startsWith`, which need not look like a whole value. Absent: as `parse`. Throws `bad-request`. */
  parsePart?(text: string, name: string, field: FieldOf<L>): string
  /** A cell as spreadsheets write it → the stored value. Absent: as `parse`. Throws `bad-request`. */
  parseCell?(cell: string, name: string, field: FieldOf<L>): unknown
  /** What GraphQL's scalar gives → the value of a JSON body. Absent: they are the same. Throws `bad-request`. */
  parseScalar?(value: unknown, name: string, field: FieldOf<L>): unknown
  /** The stored value, never null → JSON. Absent: the stored value is JSON as it is. */
  represent?(value: unknown): Json
  /** JSON Schema of the represented value (OpenAPI 3.1). */
  schema(field: FieldOf<L>): JsonSchema
  /** What the schema of a body says besides, where the field is required. */
  readonly requiredSchema?: JsonSchema
}

export type DefaultContext = {
  readonly now: string
  readonly settings: Settings
  readonly role: string | null
}
export type Default = Json | ((context: DefaultContext) => Json)

/** What the engine puts in, so that no caller does. */
export type SetBy = 'create' | 'write' | 'move' | 'principal' | 'parent' | 'engine'

/** Values that are not stored: made from other records when a record is read. */
export type Virtual =
  | { readonly kind: 'embedded'; readonly resource: string; readonly by: string }
  | { readonly kind: 'looked-up'; readonly via: string; readonly field: string }
  | { readonly kind: 'derived'; readonly compute: (record: DerivedInput, settings: Settings) => Json }

/** What a derived field may look at: the record's own values, money in minor units, embedded records as lists. */
// biome-ignore lint/suspicious/noExplicitAny: a derivation reads fields of several types, and the declaration names them.
export type DerivedInput = Readonly<Record<string, any>>

export type Move = {
  readonly from: readonly string[]
  readonly to: string
  /** A timestamp field that takes the time of the move. */
  readonly stamp?: string
  /** A record that is already there stays as it is, and the move answers with it. */
  readonly repeatable?: boolean
}

export type Field<V = unknown, M extends string = string> = {
  readonly type: FieldType
  readonly required: boolean
  /** Whether the stored value may be null. */
  readonly nullable: boolean
  readonly default?: Default
  /** `0`, `""`, `false` and `null` mean the default on any write. */
  readonly falsyIsDefault: boolean
  readonly setBy?: SetBy
  /** Set on create, never changed after. */
  readonly immutable: boolean
  /** Never shown (passwords, hashes): behaves as absent in output, filters, sort and search. */
  readonly hidden: boolean
  /** A replace that omits it keeps the stored value. */
  readonly keepOnReplace: boolean
  readonly unique: boolean
  /** Who may see it; others find no such field. A rule without conditions on the record. */
  readonly read?: Rule<never>
  /** Who may set it; others get 403. A rule without conditions on the record. */
  readonly write?: Rule<never>
  readonly virtual?: Virtual
  /** Those of its type, which alone knows what they mean. */
  readonly limits: unknown
  readonly values?: readonly string[]
  readonly moves?: Readonly<Record<M, Move>>
  readonly reference?: ReferenceOptions & { readonly resource: string }
  /** Only for the compiler: the type of the stored value. */
  readonly _value?: V
}

/** A field as its own type sees it. */
export type FieldOf<L> = Omit<Field, 'limits'> & { readonly limits: L }

export type ReferenceOptions = {
  /** When the record that it names is deleted: delete this one too, clear the field, or delete some and clear the rest. */
  readonly onDelete: 'delete' | 'clear' | { readonly deleteWhere: Readonly<Record<string, string | number | boolean>> }
  /** Every write here also counts as a write there (its version and updatedAt). */
  readonly touch: boolean
}

export type Fields = Readonly<Record<string, Field>>

export type CommonOptions = {
  required?: boolean
  default?: Default
  unique?: boolean
  immutable?: boolean
  readOnly?: boolean
  keepOnReplace?: boolean
  read?: Rule<never>
  write?: Rule<never>
}

/** Never null when it is required or has a default. */
export type ValueOf<T, O> = O extends { required: true }
  ? T
  : O extends { default: null }
    ? T | null
    : O extends { default: unknown }
      ? T
      : T | null

/** A field of this type with the options that all types share; builders add their own. */
export function makeField<V, L = unknown>(
  type: FieldType<L>,
  options: CommonOptions & Partial<FieldOf<L>> = {},
): Field<V> {
  const { readOnly, ...rest } = options
  const setBy = options.setBy ?? (readOnly ? 'engine' : undefined)
  return {
    required: false,
    falsyIsDefault: false,
    immutable: false,
    hidden: false,
    keepOnReplace: false,
    unique: false,
    limits: {},
    nullable: options.required !== true && (options.default === undefined || options.default === null),
    ...rest,
    setBy,
    type,
  } as Field<V>
}

/** `bad-request` about a field: `year must be an integer`. */
export function fieldError(name: string, problem: string): ApiError {
  return new ApiError('bad-request', `${name} ${problem}`)
}

export const orderOperators: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null']
