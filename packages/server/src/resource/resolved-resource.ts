/** The types of a resource as the catalog has it: a declaration, with all that follows from it. */

import type { DeclaringPlace } from '../base/declaring-place.ts'
import type { GraphqlField } from './access/graphql-fields.ts'
import type { IdentityMark } from './accounts/identity-mark.ts'
import type { Action } from './action.ts'
import type { ResolvedCheck } from './code/record-check.ts'
import type { Condition } from './condition.ts'
import type { DeclaredResource } from './define.ts'
import type { DeclaredEffect } from './effects/declared-effect.ts'
import type { EndpointMethods } from './endpoints/endpoint-operations.ts'
import type { CountedBy } from './fields/counted-by.ts'
import type { Field, Json } from './fields/field.ts'
import type { Transitions } from './fields/transition.ts'
import type { ListDeclaration, NamedFilter } from './list-declaration.ts'
import type { CrudKind } from './operation-kind.ts'
import type { CanMember } from './relations/can-member.ts'
import type { FarField } from './relations/far-field.ts'
import type { RelationDescription } from './relations/relations.ts'
import type { Tree } from './relations/tree.ts'
import type { Rule } from './rule.ts'
import type { TenantScope } from './tenancy/in-tenant.ts'
import type { ResourceTenant } from './tenancy/tenancy-tables.ts'
import type { ActionTraits, ResourceTraits } from './traits.ts'
import type { SchemaNames } from './words/document-names.ts'

/**
 * `far`: set for a field behind references. Then `field` is its path, under which the rows of the
 * list have its value.
 */
export type SortKey = { readonly field: string; readonly descending: boolean; readonly far?: FarField }

export type ListSettings = {
  readonly style: ListDeclaration['style']
  readonly sortable: ReadonlySet<string>
  /** The last key is the id. */
  readonly defaultSort: readonly SortKey[]
  readonly filters: Readonly<Record<string, NamedFilter>>
  readonly filterable: ReadonlySet<string>
  /** Sortable or filtered, but without an index. */
  readonly unindexed: ReadonlySet<string>
  readonly search: readonly string[]
  readonly bulk: boolean
}

export type ChildRelation = {
  readonly resource: Resource
  readonly by: string
  readonly single: boolean
  readonly operations: readonly CrudKind[]
  /** Bodies of the record above may write them. */
  readonly inBody: boolean
}
/**
 * A record, or records, that belong to a record: named by `expand`, by filters across a reference,
 * and by GraphQL's fields.
 */
export type Relation = RelationDescription<Resource>
/** The links of a field: their table, and the records that they name. */
export type LinkRelation = {
  readonly table: Resource
  readonly target: Resource
  readonly max: number
  readonly ordered: boolean
  /** The declared fields of each link. */
  readonly valueNames: readonly string[]
}
export type ReferenceRelation = {
  readonly resource: Resource
  readonly field: string
  readonly options: NonNullable<Field['reference']>
}

/**
 * The table of deleted records. `takesOwn`: whether a deletion of such a record moves it there;
 * others come there only with records that they belong to.
 */
export type TrashRelation = { readonly resource: Resource; readonly takesOwn: boolean }

/**
 * Where another resource shows these records in its own: at most `max` of those whose field `by`
 * names one record.
 */
export type EmbeddedRelation = { readonly resource: Resource; readonly by: string; readonly max: number }

/** A counted field of another resource that follows from these records. */
export type CountedIn = Pick<CountedBy, 'kind' | 'field'> & {
  readonly parent: Resource
  readonly name: string
  /** The records that are counted. */
  readonly resource: Resource
  /** The reference to the parent. */
  readonly by: string
  /** The records that count; undefined for all. */
  readonly where: Condition | undefined
}

export type Resource = DeclaringPlace & {
  readonly name: string
  readonly plural: string
  readonly description: string | undefined
  /** Values of a record for the documents. */
  readonly example: Readonly<Record<string, Json>>
  /** `Order item`, for sentences. */
  readonly label: string
  /** `OrderItem`, for GraphQL and OpenAPI, and what OpenAPI makes of it. */
  readonly typeName: string
  readonly schemaNames: SchemaNames
  /** `order-items`, for scopes, the command line and documents. */
  readonly slug: string
  readonly table: string
  readonly path: string | undefined
  readonly atRoot: boolean
  /** There is one record, or one for each tenant, which paths name without an id. */
  readonly single: boolean
  readonly fields: Readonly<Record<string, Field>>
  /** In the order of the declaration. */
  readonly fieldNames: readonly string[]
  readonly storedNames: readonly string[]
  readonly virtualNames: readonly string[]
  /** Those of the virtual fields that hold links. */
  readonly linkNames: readonly string[]
  /** The fields that answers have only where the request names them. */
  readonly requestedNames: readonly string[]
  /** The fields that only some records show: their `read` rule looks at the record. */
  readonly partlyShown: readonly string[]
  readonly requiredNames: readonly string[]
  /** References that must share fields with the record that they name. */
  readonly matchingNames: readonly string[]
  /** The parent comes from the path, so records can only be made under one. */
  readonly madeUnderParent: boolean
  readonly idField: string
  /** Its ids are integers that the database counts. */
  readonly hasCountedId: boolean
  /** The fields whose values the engine counts. */
  readonly numberedNames: readonly string[]
  /** The field of the manual order, and the fields whose values its records share. */
  readonly placed: { readonly name: string; readonly within: readonly string[] } | undefined
  /** The fields whose values the engine makes from another one, where none is sent. */
  readonly slugNames: readonly string[]
  /** The fields that are computed from others of the record, in this order. */
  readonly computedNames: readonly string[]
  /** The fields that hold files. */
  readonly fileNames: readonly string[]
  /** The fields that the write path keeps by the records that refer to these. */
  readonly countedNames: readonly string[]
  readonly updatedField: string | undefined
  readonly list: ListSettings
  /** The rules that admit operations, and that judge a record before a write. */
  readonly access: Readonly<Record<string, Rule | undefined>>
  /** The rules for the written record, where they differ from those before the write. */
  readonly accessAfter: Readonly<Record<string, Rule | undefined>>
  readonly unique: readonly (readonly string[])[]
  /** Whether a write names the version that it changes. */
  readonly needsVersion: boolean
  /** Unique keys by which a record is replaced or created, each with the text that names it. */
  readonly upsert: ReadonlyMap<string, readonly string[]>
  readonly addOnCreate: readonly string[]
  readonly onWrite: readonly (readonly [string, (record: Readonly<Record<string, unknown>>) => unknown])[]
  readonly hooks: NonNullable<DeclaredResource['hooks']>
  readonly checks: readonly ResolvedCheck[]
  readonly actions: Readonly<Record<string, Action>>
  readonly effects: Readonly<Record<string, DeclaredEffect>>
  /** The fields of `changes`, which readers of the change log get; undefined without `changes`. */
  readonly shownNames: readonly string[] | undefined
  /**
   * The fields of which the change log keeps values before and after; undefined without such. They
   * include those that rules need to decide who sees a change, also of other resources.
   */
  readonly loggedNames: readonly string[] | undefined
  /** The table of its versions, and how many of each record it keeps. */
  readonly history: { readonly resource: string; readonly keep: number } | undefined
  readonly transitions: Transitions
  /** The names of all actions: transitions, own actions, and transitions with work after them. */
  readonly actionNames: readonly string[]
  /** The endpoints that are on it: operations with a rule, whose routes are made elsewhere. */
  readonly endpointMethods: EndpointMethods
  readonly graphql: {
    readonly query: Readonly<Record<string, GraphqlField>>
    readonly mutation: Readonly<Record<string, GraphqlField>>
  }
  readonly identity: IdentityMark | undefined
  /** A table that the engine declares, such as those of `accounts`. */
  readonly byEngine: boolean
  readonly traits: ResourceTraits
  readonly actionTraits: Readonly<Record<string, ActionTraits | undefined>>
  readonly messages: NonNullable<DeclaredResource['messages']>
  readonly display: NonNullable<DeclaredResource['display']>
  /** The callers who may ask for explanations; the operator where it is absent. */
  readonly explainAccess: Rule | undefined
  readonly deprecated: DeclaredResource['deprecated']
  readonly deprecatedOperations: DeclaredResource['deprecatedOperations']
  /** Its earlier names. */
  readonly renamedFrom: readonly string[]
  /** How its records belong to tenants; undefined for records of all. */
  readonly tenant: ResourceTenant | undefined
  /** How its records lead to a tenant; undefined for records of all, and for tenants themselves. */
  readonly scope: TenantScope | undefined
  /** The records that exist for a caller, whatever is public; undefined for records of all. */
  readonly bounds: Rule | undefined
  /** Filled while the catalog is made, and fixed afterwards. */
  readonly judgedReferences: readonly string[]
  readonly children: Readonly<Record<string, ChildRelation>>
  /** The children that its bodies may write. */
  readonly nestedNames: readonly string[]
  /** By the names of the fields. */
  readonly links: Readonly<Record<string, LinkRelation>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The trees whose records its references name, by the names of the fields. */
  readonly branches: Readonly<Record<string, Resource>>
  /** The paths to these records through others. */
  readonly parents: readonly { readonly resource: Resource; readonly link: ChildRelation }[]
  /** The member `can` of records; undefined where no path has an operation on one record. */
  readonly can: CanMember | undefined
  /** Virtual fields that show another value as time goes by. */
  readonly timedNames: readonly string[]
  readonly referencedBy: readonly ReferenceRelation[]
  /** Where its deleted records go; undefined where they end. */
  readonly trash: TrashRelation | undefined
  /** Its records refer to each other as a tree. */
  readonly tree: Tree | undefined
  readonly embeddedIn: readonly EmbeddedRelation[]
  readonly countedIn: readonly CountedIn[]
  /** The records that each counted field counts. */
  readonly counts: Readonly<Record<string, CountedIn>>
}
