/**
 * The types of a declaration, and `defineResource`, which records its types and its source file.
 * `check.ts` finds its mistakes and `catalog.ts` resolves it. Inference stays one level deep: every
 * name is checked against `fields`.
 */

import { type DeclaringPlace, declaringPlace } from '../base/declaring-place.ts'
import type { AccessDeclaration, RuleMention } from './access/access-declaration.ts'
import { type AccessWord, accessKind, type DeclaredAccess } from './access/change-rule.ts'
import { type GraphqlDeclaration, graphqlKind } from './access/graphql-fields.ts'
import { type IdentityMark, identityKind, type LoginMark } from './accounts/identity-mark.ts'
import { type Action, actionKind } from './action.ts'
import { type ActionHooks, type Hooks, hooksKindFor } from './code/hooks.ts'
import { checksKind, type DeclaredCheck, type RecordCheck } from './code/record-check.ts'
import { type Display, displayKind } from './display/declared-display.ts'
import { type ChangesDeclaration, changesKind } from './effects/declared-changes.ts'
import { type DeclaredEffect, type EffectRecord, effectKind } from './effects/declared-effect.ts'
import type { Fields, Json } from './fields/field.ts'
import { fieldKind } from './fields/field-kind.ts'
import { type ListDeclaration, listKind } from './list-declaration.ts'
import { type HistoryDeclaration, historyKind } from './made/declared-history.ts'
import { type TrashDeclaration, type TrashOperation, trashKind } from './made/declared-trash.ts'
import {
  earlierNamesKind,
  exampleKind,
  flag,
  functionKind,
  isTable,
  listOfKind,
  type MemberProblem,
  type Members,
  mistakesIn,
  oneOf,
  oneOrMore,
  tableOf,
  textKind,
} from './members.ts'
import type { EngineOperation } from './operation-kind.ts'
import type {
  FieldName,
  FilteredName,
  ListedName,
  NumberName,
  RecordOf,
  StoredName,
  TextName,
  TransitionName,
  WhereOf,
} from './record-of.ts'
import {
  type ChildDeclaration,
  type ChildDeclarations,
  childrenKind,
  type OnlyChildMembers,
} from './relations/child-declaration.ts'
import { type Rule, ruleKind } from './rule.ts'
import { tenantKind } from './tenancy/tenant-path.ts'
import type { TenantOption } from './tenancy/tenant-words.ts'
import type { ResourceTraits } from './traits.ts'
import { type DeclaredMessages, messagesKind } from './words/declared-messages.ts'
import { type Deprecation, deprecationKind } from './words/deprecation.ts'

/** The input of each action, by its name; unknown for one that takes none. */
type ActionInputs = Readonly<Record<string, unknown>>
/** The compiler infers `M` by it. */
type InputsIn<M extends ActionInputs, E> = {
  readonly [K in keyof M]: Omit<Action<E>, 'input'> & { readonly input?: M[K] }
}

/**
 * `F`: its fields; `A`: the names of its actions; `N`: its name; `P`: the fields of other records
 * that its rules name. `L`: the roles that its rules name (`Rule`); `O`: the operations that have a
 * rule. `K`, `U`, `D`: the values that its hooks prepare for a create, an update and a delete. `M`:
 * the input of each action.
 */
export type Declaration<
  F extends Fields = Fields,
  A extends string = string,
  N extends string = string,
  P extends string = string,
  L extends string = string,
  O extends string = string,
  C extends ChildDeclarations = ChildDeclarations,
  K = unknown,
  U = unknown,
  D = unknown,
  M extends ActionInputs = ActionInputs,
> = {
  /**
   * camelCase and singular: `orderItem`. GraphQL's type is `OrderItem`, sentences say `Order item`.
   */
  readonly name: N
  /**
   * Needed where adding `s` (`y` → `ies`, `s x ch sh` → `es`) is wrong. It names the table, the
   * list in GraphQL, scopes and the resource on the command line.
   */
  readonly plural?: string
  /** The meaning of the records, for the documents: a sentence or two. */
  readonly description?: string
  /**
   * Values of a record for the documents, in place of the examples of its fields: `{ title: 'Emma',
   * year: 1815 }`.
   */
  readonly example?: Readonly<{ [K in NoInfer<FieldName<F>>]?: Json }>
  /** The name, or the names, that the resource had: its records stay. */
  readonly renamedFrom?: string | readonly string[]
  /**
   * For example `/order-items`. Without it records are reached only under a parent, or not at all.
   */
  readonly path?: string
  /** Whether the path is served at the root as well as under `/api/v1`. */
  readonly atRoot?: boolean
  /**
   * Name → field, with exactly one `id()` or `integerId()`, of any name. Names are camelCase, and
   * none but `_id` begins with `_`. The reference lists the reserved words, such as `version` and
   * the parameters of lists.
   */
  readonly fields: F
  /** How its list is ordered, filtered and searched; needed where `access` has `list`. */
  readonly list?: NoInfer<ListDeclaration<ListedName<F>, TextName<F>, FilteredName<F>>>
  /**
   * Operation → rule: `list`, `get`, `create`, `replace`, `update`, `delete`, `import`, `export`,
   * and every transition and action. An operation without a rule does not exist. The rule of a
   * create, replace, update or import also judges the written record. Where the two differ,
   * `update` and `replace` take `{ before: rule, after: rule }`. `read` is the rule of `list` and
   * `get`, and `write` that of `create`, `replace`, `update` and `delete`, where they have none of
   * their own. `forbid` has rules that win over all others, by operation, or by `read` and `write`
   * for all that read or write.
   */
  readonly access: AccessDeclaration<NoInfer<F>, NoInfer<A>, P, L, O, NoInfer<C>>
  /**
   * Lists of fields that name a record together: `[['productId', 'userId']]`. A second one is 409.
   * Texts are compared ignoring case.
   */
  readonly unique?: readonly (readonly NoInfer<ListedName<F>>[])[]
  /**
   * `required`: a replace, change or delete must name the version that was read (`If-Match`), else
   * it is 428.
   */
  readonly concurrency?: 'required'
  /**
   * Unique fields by which `PUT /things?on=sku` replaces the record with that value, or creates it.
   * A list names the fields of a key of `unique`: `['sku', ['shelfId', 'place']]`, and the request
   * says `on=shelfId,place`. Imports take `on`, too.
   */
  readonly upsert?: readonly (NoInfer<ListedName<F>> | readonly NoInfer<ListedName<F>>[])[]
  /**
   * When a create meets a record with the same unique fields, it adds these numbers to that record
   * instead.
   */
  readonly addOnCreate?: readonly NoInfer<NumberName<F>>[]
  /**
   * Field → a function of the other fields that gives its value on every write: `{ inStock: (p) =>
   * (p.stock === null ? p.inStock : p.stock > 0) }`. It gives a value for every record: one that
   * throws is a fault (500), which the log has with its field.
   */
  readonly onWrite?: Readonly<{
    [K in NoInfer<StoredName<F>>]?: (record: RecordOf<NoInfer<F>>) => RecordOf<NoInfer<F>>[K]
  }>
  /**
   * Code that runs before a record is written, in its transaction, on every path: it returns values
   * to store instead, or refuses. `{ beforeCreate: ({ record, refuse }) => … }`.
   */
  readonly hooks?: Hooks<NoInfer<F>, K, U, D> &
    ActionHooks<NoInfer<F>, NoInfer<A> | TransitionName<NoInfer<F>>, NoInfer<M>>
  /**
   * Name → what must hold in every written record: `{ endAfterStart: { require: { endsAt: { gt:
   * field('startsAt') } }, at: 'endsAt', message: 'The end must be after the start' } }`. A write
   * that breaks it is 400, by every path. A change asks only the checks that read a changed field.
   */
  readonly checks?: Readonly<Record<string, RecordCheck<NoInfer<F>, RuleMention<NoInfer<F>, NoInfer<C>>, P>>>
  /** Name in the path → records that are reached below each of these: `/products/{id}/reviews`. */
  readonly children?: C & OnlyChildMembers<NoInfer<C>>
  /**
   * Name → an operation on a record beyond reads and writes: `POST /gadgets/{id}/repair`. Each
   * needs a rule of its name under `access`; one with the name of a transition runs after it.
   */
  readonly actions?: Readonly<Record<A, Action<RecordOf<NoInfer<F>>>>> & InputsIn<M, RecordOf<NoInfer<F>>>
  /**
   * Name → work that follows a write after its commit: `{ announce: { on: [changed('state', { to:
   * 'PUBLISHED' })], run: ({ record, signal }) => … } }`. It is stored with the write, and retried
   * until it succeeds, in order for each record.
   */
  readonly effects?: Readonly<Record<string, DeclaredEffect<EffectRecord<NoInfer<F>>, NoInfer<F>>>>
  /**
   * Each write of a record leaves a version of it: `history: { keep: 50, days: 365 }`. They are
   * below it, at `/history`, and the action `revert` writes one again. The rule of `update` decides
   * about a revert, which has none of its own.
   */
  readonly history?: HistoryDeclaration<RuleMention<NoInfer<F>, NoInfer<C>>, P, L>
  /**
   * The change log keeps the values before and after each write, of all open fields or of some: `{
   * fields: ['state'] }`. Hidden and secret fields never enter it.
   */
  readonly changes?: ChangesDeclaration<NoInfer<StoredName<F>>>
  /** Entries of GraphQL that add to the automatic ones or replace them. */
  readonly graphql?: GraphqlDeclaration<NoInfer<EngineOperation | TransitionName<F> | A>, WhereOf<NoInfer<F>>, L>
  /** Marks the resource whose records log in: which field is what. It is listed by `accounts`. */
  readonly identity?: LoginMark<NoInfer<StoredName<F>>>
  /** Sentences of its own for refusals. */
  readonly messages?: DeclaredMessages
  /**
   * How the console shows it, where the default is not enough: `{ title: 'name', columns: ['name',
   * 'price'], labels: { price: { en: 'Price', de: 'Preis' } } }`.
   */
  readonly display?: Display<
    NoInfer<FieldName<F>>,
    NoInfer<TextName<F>>,
    TransitionName<NoInfer<F>> | NoInfer<A> | Extract<keyof NoInfer<C>, string>
  >
  /**
   * The reference to the tenant that a record belongs to, or to a record that belongs to one. Only
   * members of the tenant reach the record, unless it is `{ by: 'clubId', public: true }`.
   */
  readonly tenant?: TenantOption<NoInfer<StoredName<F>>>
  /**
   * There is one record, which exists from its defaults: `/settings` has no id. In a tenant there
   * is one for each. It has `get`, `update`, `replace` and actions, and no list.
   */
  readonly single?: boolean
  /**
   * A deleted record moves to the trash, and is removed for good after these days: `{ days: 30 }`.
   * `POST /things/{id}/restore` brings it back.
   */
  readonly trash?: TrashDeclaration
  /**
   * Callers who may ask why an operation is allowed or refused (`?_explain=access`): a rule about
   * the caller. By default the operator.
   */
  readonly explainAccess?: Rule<never, never, L>
  /** The whole resource is deprecated: its responses and documents say so. */
  readonly deprecated?: Deprecation
  /** Operation → its deprecation, for operations that have a rule under `access`. */
  readonly deprecatedOperations?: Readonly<{
    [O in EngineOperation | TransitionName<NoInfer<F>> | NoInfer<A>]?: Deprecation
  }>
}

const members = {
  name: textKind,
  plural: textKind,
  description: textKind,
  example: exampleKind,
  renamedFrom: earlierNamesKind,
  path: textKind,
  atRoot: flag,
  fields: tableOf(fieldKind),
  list: listKind,
  access: tableOf(accessKind),
  unique: listOfKind(listOfKind(textKind)),
  concurrency: oneOf(['required']),
  upsert: listOfKind(oneOrMore(textKind)),
  addOnCreate: listOfKind(textKind),
  onWrite: tableOf(functionKind),
  hooks: hooksKindFor([]),
  checks: checksKind,
  children: childrenKind,
  actions: tableOf(actionKind),
  effects: tableOf(effectKind),
  history: historyKind,
  changes: changesKind,
  graphql: graphqlKind,
  identity: identityKind,
  messages: messagesKind,
  display: displayKind,
  tenant: tenantKind,
  single: flag,
  trash: trashKind,
  explainAccess: ruleKind,
  deprecated: deprecationKind,
  deprecatedOperations: tableOf(deprecationKind),
} satisfies Members<Declaration>

/**
 * The symbols that hold the engine's own members of a declaration: no declared name can collide.
 * They are registered symbols, because a program and an application may each have a copy of the
 * engine.
 */
export const declarationProblems: unique symbol = Symbol.for('bindery-server: faults')
export const engineMark: unique symbol = Symbol.for('bindery-server: engineMark')
export const engineTraits: unique symbol = Symbol.for('bindery-server: engineTraits')

/** A declaration with the place where it was written. */
export type DeclaredResource<
  F extends Fields = Fields,
  N extends string = string,
  P extends string = string,
  L extends string = string,
  C extends ChildDeclarations = ChildDeclarations,
> = DeclaringPlace & {
  readonly name: N
  readonly plural?: string
  readonly description?: string
  readonly example?: Readonly<Record<string, Json>>
  readonly renamedFrom?: string | readonly string[]
  readonly path?: string
  readonly atRoot?: boolean
  readonly fields: F
  readonly list?: ListDeclaration
  readonly access: DeclaredAccess
  readonly unique?: readonly (readonly string[])[]
  readonly concurrency?: 'required'
  readonly upsert?: readonly (string | readonly string[])[]
  readonly addOnCreate?: readonly string[]
  readonly onWrite?: Readonly<Record<string, ((record: Readonly<Record<string, unknown>>) => Json) | undefined>>
  readonly hooks?: Pick<Hooks, 'limitMs' | 'prepareLimitMs'> & Readonly<Record<string, unknown>>
  readonly checks?: Readonly<Record<string, DeclaredCheck>>
  readonly children?: C
  readonly actions?: Readonly<Record<string, Action>>
  readonly effects?: Readonly<Record<string, DeclaredEffect>>
  readonly history?: HistoryDeclaration
  readonly changes?: ChangesDeclaration
  readonly graphql?: GraphqlDeclaration
  readonly identity?: LoginMark
  readonly messages?: DeclaredMessages
  readonly display?: Display
  readonly tenant?: TenantOption
  readonly single?: boolean
  readonly trash?: TrashDeclaration
  readonly explainAccess?: Rule
  readonly deprecated?: Deprecation
  readonly deprecatedOperations?: Readonly<Record<string, Deprecation | undefined>>
  /** For a table that the engine declares: the meaning of its fields. */
  readonly [engineMark]?: IdentityMark
  /** The traits that a feature gives it for the rest of the engine. */
  readonly [engineTraits]?: ResourceTraits
  /**
   * The mistakes that were found where it became part of something, such as `accounts`: lines like
   * those of `check.ts`.
   */
  readonly [declarationProblems]?: readonly string[]
  /** Only for the compiler. */
  readonly _paths?: P
  readonly _roles?: L
}

/** Actions and transitions, also of a declaration with mistakes. */
function actionNamesOf({ actions, fields }: Pick<DeclaredResource, 'actions' | 'fields'>): readonly string[] {
  const transitions = Object.values(isTable(fields) ? fields : {}).map((field) => field?.transitions)
  return [actions, ...transitions].flatMap((one) => (isTable(one) ? Object.keys(one) : []))
}

/**
 * The mistakes in the form of a declaration: unknown members, and values that no such member can
 * have.
 */
export function findFormMistakes({ writtenIn: _, writtenAt: __, ...declaration }: DeclaredResource): MemberProblem[] {
  const table = { ...members, hooks: hooksKindFor(actionNamesOf(declaration)) }
  return mistakesIn(declaration, table, ['name', 'fields', 'access'])
}

/** Declares a resource. Mistakes that the compiler cannot see are found when the server starts. */
export function defineResource<
  const F extends Fields,
  const A extends string = never,
  const N extends string = string,
  const P extends string = never,
  const L extends string = never,
  const O extends
    | EngineOperation
    | TrashOperation
    | AccessWord
    | 'forbid'
    | TransitionName<NoInfer<F>>
    | NoInfer<A> = never,
  const C extends ChildDeclarations = Readonly<Record<never, ChildDeclaration>>,
  K = undefined,
  U = undefined,
  D = undefined,
  M extends ActionInputs = Readonly<Record<never, unknown>>,
>(declaration: Declaration<F, A, N, P, L, O, C, K, U, D, M>): DeclaredResource<F, N, P, L, C> {
  return { ...declaration, ...declaringPlace() } as unknown as DeclaredResource<F, N, P, L, C>
}
