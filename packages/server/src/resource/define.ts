/**
 * What a declaration is. `defineResource` only types it and notes where it was written; `check.ts` finds its mistakes and `catalog.ts`
 * resolves it. Inference stays one level deep: every name is checked against `fields`.
 */
import { dirname } from 'node:path'
import { getCallSites } from 'node:util'
import type { Action } from './action.ts'
import type { Field, Fields, Json } from './fields/field.ts'
import type { ListStyle } from './list-style.ts'
import type { CrudKind, EngineOperation } from './operation-kind.ts'
import type { Rule } from './rule.ts'

export type FieldName<F> = Extract<keyof F, string>
type MoveName<F> = {
  [K in keyof F]: F[K] extends Field<unknown, infer M> ? (string extends M ? never : M) : never
}[keyof F]

/** A record as actions see it: stored values by field name, money in minor units, nullable where the field is. */
export type RecordOf<F> = {
  readonly [K in keyof F]: F[K] extends { readonly _value?: infer V } ? Exclude<V, undefined> : never
}

/** A query parameter with its own meaning. */
export type NamedFilter<K extends string = string> = {
  readonly field: K
  /** `true` means true only for the text `true` and false for any other text. An empty `eq` does not apply. */
  readonly by: 'eq' | 'gte' | 'lte' | 'contains' | 'true'
}

export function equals<K extends string>(field: K): NamedFilter<K> {
  return { field, by: 'eq' }
}
export function isTrue<K extends string>(field: K): NamedFilter<K> {
  return { field, by: 'true' }
}
export function atLeast<K extends string>(field: K): NamedFilter<K> {
  return { field, by: 'gte' }
}
export function atMost<K extends string>(field: K): NamedFilter<K> {
  return { field, by: 'lte' }
}
/** Finds a substring, ignoring case. */
export function includes<K extends string>(field: K): NamedFilter<K> {
  return { field, by: 'contains' }
}

export type ListDeclaration<K extends string = string> = {
  readonly style: ListStyle
  readonly sortable?: readonly K[]
  /** For example `'-createdAt'`; the id when absent. */
  readonly defaultSort?: K | `-${K}`
  readonly filters?: Readonly<Record<string, NamedFilter<K>>>
  /** Fields that take `field=` and `field[op]=`; every stored, visible field when absent. */
  readonly filterable?: readonly K[]
  /**
   * Fields of `sortable` or `filters` that get no index: writes are cheaper, and lists that sort or filter by them read more rows. Keys and
   * references keep theirs.
   */
  readonly unindexed?: readonly K[]
  /** Fields that `q` looks in. */
  readonly search?: readonly K[]
}

export type Child = {
  readonly resource: string
  /** The field of the child that names this record. */
  readonly by: string
  /** Each parent has exactly one, without an id in the path. It is made when it is first read. */
  readonly single?: boolean
  /** The operations that the nested path offers; all that the child's `access` names when absent. */
  readonly operations?: readonly CrudKind[]
}

export type GraphqlField = {
  readonly operation: string
  /** Replaces the operation's own rule. */
  readonly access?: Rule
  /** Only records with these values. */
  readonly where?: Readonly<Record<string, string | number | boolean>>
  /** `page` and `limit` are the only arguments. A page has this many records, by default and at most. */
  readonly limit?: number
  /** `self`: the record of the current user. `list`: records without page information. `success`: true. */
  readonly returns?: 'self' | 'list' | 'success'
}
export type GraphqlDeclaration = {
  readonly query?: Readonly<Record<string, string | GraphqlField>>
  readonly mutation?: Readonly<Record<string, string | GraphqlField>>
}

/** Names the fields of the resource whose records log in. */
export type LoginMark<K extends string = string> = {
  readonly kind: 'login'
  readonly login: K
  readonly secret: K
  readonly role: K
} & (
  | { readonly status: K; readonly activeStatus: string }
  /** Without a status every user may act. */
  | { readonly status?: undefined; readonly activeStatus?: undefined }
)
export type ApiKeyMark<K extends string = string> = {
  readonly kind: 'api-key'
  readonly owner: K
  readonly token: K
  readonly scopes: K
  readonly active: K
  readonly expiresAt: K
  readonly lastUsedAt: K
}
export type SessionMark<K extends string = string> = {
  readonly kind: 'session'
  readonly owner: K
  readonly expiresAt: K
  readonly lastUsedAt: K
  readonly userAgent: K
  readonly address: K
}
export type RefreshTokenMark<K extends string = string> = {
  readonly kind: 'refresh-token'
  readonly session: K
  readonly hash: K
  readonly usedAt: K
}
export type IdentityMark<K extends string = string> =
  | LoginMark<K>
  | ApiKeyMark<K>
  | SessionMark<K>
  | RefreshTokenMark<K>

export type Declaration<F extends Fields = Fields, A extends string = string> = {
  /** camelCase and singular: `orderItem`. GraphQL's type is `OrderItem`, sentences say `Order item`. */
  readonly name: string
  /** Needed where adding an s is wrong. */
  readonly plural?: string
  /** The name, or the names, that the resource had: its records stay. */
  readonly was?: string | readonly string[]
  /** For example `/order-items`. Without it records are reached only under a parent, or not at all. */
  readonly path?: string
  /** Whether the path is served at the root as well as under `/api/v1`. */
  readonly atRoot?: boolean
  readonly fields: F
  readonly list?: ListDeclaration<NoInfer<FieldName<F>>>
  /** An operation that is not named here does not exist. */
  readonly access: Readonly<{
    [O in EngineOperation | MoveName<NoInfer<F>> | NoInfer<A>]?: Rule<NoInfer<FieldName<F>>>
  }>
  /** The fields of each list identify a record together; a second record with the same values is a conflict. */
  readonly unique?: readonly (readonly NoInfer<FieldName<F>>[])[]
  /** When a create meets a record with the same unique fields, it adds these numbers to that record instead. */
  readonly addOnCreate?: readonly NoInfer<FieldName<F>>[]
  /** Stored values that follow from the others, on every write. */
  readonly follow?: Readonly<{ [K in NoInfer<FieldName<F>>]?: (record: RecordOf<NoInfer<F>>) => Json }>
  readonly children?: Readonly<Record<string, Child>>
  readonly actions?: Readonly<Record<A, Action>>
  readonly graphql?: GraphqlDeclaration
  readonly identity?: IdentityMark<NoInfer<FieldName<F>>>
  readonly messages?: {
    /** Replaces `name is required`. It comes before any other fault of the body. */
    readonly required?: string
    readonly notFound?: Readonly<Partial<Record<CrudKind, string>>>
    readonly conflict?: string
  }
}

/** A declaration with the place where it was written. */
export type Declared<F extends Fields = Fields> = Omit<
  Declaration<F>,
  'access' | 'list' | 'follow' | 'identity' | 'unique' | 'addOnCreate'
> & {
  readonly access: Readonly<Record<string, Rule | undefined>>
  readonly list?: ListDeclaration
  readonly follow?: Readonly<Record<string, ((record: Readonly<Record<string, unknown>>) => Json) | undefined>>
  readonly identity?: IdentityMark
  readonly unique?: readonly (readonly string[])[]
  readonly addOnCreate?: readonly string[]
  readonly writtenIn: string
}

const ownFolder = dirname(import.meta.dirname)

/** The first file in the stack that is not the engine's own, relative to the working directory. */
function declaringFile(): string {
  const names = getCallSites(20).map(({ scriptName }) => scriptName.replace(/^file:\/\//, ''))
  const file = names.find((name) => name.startsWith('/') && !name.startsWith(`${ownFolder}/`)) ?? 'a declaration'
  const here = `${process.cwd()}/`
  return file.startsWith(here) ? file.slice(here.length) : file
}

/** Declares a resource. Mistakes that the compiler cannot see are found when the server starts. */
export function defineResource<const F extends Fields, const A extends string = never>(
  declaration: Declaration<F, A>,
): Declared<F> {
  return { ...declaration, writtenIn: declaringFile() } as unknown as Declared<F>
}
