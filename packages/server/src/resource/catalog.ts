/**
 * The catalog: every declaration, checked and resolved. It resolves references between resources
 * once, at start, so that no later code searches by name. It knows no resource by name; identity's
 * resources are found by their marks.
 */
import { ownFirst, withTenantEvents } from './accounts/engine-table.ts'
import type {
  ApiKeyMark,
  AuditMark,
  FactorMark,
  IdentityMark,
  LinkedAccountMark,
  LoginMark,
  OneTimeTokenMark,
  OutgoingMailMark,
  RecoveryCodeMark,
  RefreshTokenMark,
  SessionMark,
} from './accounts/identity-mark.ts'
import { checkMailTables } from './accounts/mail-names.ts'
import type { Action } from './action.ts'
import { findMistakes, throwMistakes } from './check.ts'
import type { ResolvedCheck } from './code/record-check.ts'
import type { DeclaredResource, DeclaringPlace, GraphqlField } from './define.ts'
import type { DeclaredEffect } from './effects/declared-effect.ts'
import type { Field, Json } from './fields/field.ts'
import type { Transitions } from './fields/transition.ts'
import type { ListDeclaration, NamedFilter } from './list-declaration.ts'
import type { CrudKind } from './operation-kind.ts'
import { linkResources } from './relations/link-resources.ts'
import type { RelationDescription } from './relations/relations.ts'
import { resolveResource } from './resolve-resource.ts'
import type { Rule } from './rule.ts'
import type { Roles } from './rules/role-order.ts'
import { rolesOf } from './rules/roles.ts'
import { factNamesOf, findRuleMistakes } from './rules/walk-rules.ts'
import { splitDeclarations } from './tenancy/apply-tenancies.ts'
import { findOpenOperators } from './tenancy/check-operator.ts'
import type { Declared } from './tenancy/define-tenancy.ts'
import type { TenantScope } from './tenancy/in-tenant.ts'
import { scopeResources } from './tenancy/scope-resource.ts'
import { type ResourceTenant, resolveTenants, type TenancyCatalog, tenancyCatalog } from './tenancy/tenancy-tables.ts'
import type { ActionTraits, ResourceTraits } from './traits.ts'
import { makeSchemaNames, type SchemaNames } from './words/document-names.ts'
import { typeNameOf } from './words/names.ts'

export type SortKey = { readonly field: string; readonly descending: boolean }

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
}
/**
 * A record, or records, that belong to a record: named by `expand`, by filters across a reference,
 * and by GraphQL's fields.
 */
export type Relation = RelationDescription<Resource>
export type ReferenceRelation = {
  readonly resource: Resource
  readonly field: string
  readonly options: NonNullable<Field['reference']>
}

/**
 * Where another resource shows these records in its own: at most `max` of those whose field `by`
 * names one record.
 */
export type EmbeddedRelation = { readonly resource: Resource; readonly by: string; readonly max: number }

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
  readonly fields: Readonly<Record<string, Field>>
  /** In the order of the declaration. */
  readonly fieldNames: readonly string[]
  readonly storedNames: readonly string[]
  readonly virtualNames: readonly string[]
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
  readonly updatedField: string | undefined
  readonly list: ListSettings
  /** The rules that admit operations, and that judge a record before a write. */
  readonly access: Readonly<Record<string, Rule | undefined>>
  /** The rules for the written record, where they differ from those before the write. */
  readonly accessAfter: Readonly<Record<string, Rule | undefined>>
  readonly unique: readonly (readonly string[])[]
  /** Whether a write names the version that it changes. */
  readonly needsVersion: boolean
  /** Unique fields by which a record is replaced or created. */
  readonly upsert: readonly string[]
  readonly addOnCreate: readonly string[]
  readonly onWrite: readonly (readonly [string, (record: Readonly<Record<string, unknown>>) => Json])[]
  readonly hooks: NonNullable<DeclaredResource['hooks']>
  readonly checks: readonly ResolvedCheck[]
  readonly actions: Readonly<Record<string, Action>>
  readonly effects: Readonly<Record<string, DeclaredEffect>>
  readonly transitions: Transitions
  /** The names of all actions: transitions, own actions, and transitions with work after them. */
  readonly actionNames: readonly string[]
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
  readonly children: Readonly<Record<string, ChildRelation>>
  readonly relations: Readonly<Record<string, Relation>>
  /** Virtual fields that show another value as time goes by. */
  readonly timedNames: readonly string[]
  readonly referencedBy: readonly ReferenceRelation[]
  readonly embeddedIn: readonly EmbeddedRelation[]
}

export type MarkedTable<M> = { readonly resource: Resource; readonly mark: M }
export type Catalog = TenancyCatalog<Resource> & {
  readonly resources: ReadonlyMap<string, Resource>
  readonly roles: Roles
  /** The resource whose records are the callers: a user's own record is there. */
  readonly self: Resource | undefined
  readonly login: MarkedTable<LoginMark> | undefined
  readonly apiKey: MarkedTable<ApiKeyMark> | undefined
  readonly session: MarkedTable<SessionMark> | undefined
  readonly refreshToken: MarkedTable<RefreshTokenMark> | undefined
  readonly linkedAccount: MarkedTable<LinkedAccountMark> | undefined
  readonly oneTimeToken: MarkedTable<OneTimeTokenMark> | undefined
  readonly outgoingMail: MarkedTable<OutgoingMailMark> | undefined
  readonly factor: MarkedTable<FactorMark> | undefined
  readonly recoveryCode: MarkedTable<RecoveryCodeMark> | undefined
  readonly audit: MarkedTable<AuditMark> | undefined
  /** The fields of users that rules compare with, by `caller('…')`. */
  readonly callerFields: readonly string[]
  /** The claims of tokens of trusted issuers that they compare with. */
  readonly callerClaims: readonly string[]
  /**
   * Throws an `Error` for a name that is not in the catalog: the declarations were checked, so that
   * is a bug.
   */
  get(name: string): Resource
}

/**
 * Checks every declaration. Throws a `StartError` that names each mistake with its file and field.
 */
export function makeCatalog(list: readonly Declared[]): Catalog {
  throwMistakes(findMistakes(list))
  const split = splitDeclarations(list)
  const declarations = split.resources
  const tenantOf = resolveTenants(split)
  const namesOf = makeSchemaNames(declarations.map(({ name }) => typeNameOf(name)))
  const held = withTenantEvents(ownFirst(checkMailTables(declarations)), split.tenancies)
  const resources = new Map(
    held.map((one) => [
      one.name,
      resolveResource(one, { schemaNames: namesOf(typeNameOf(one.name)), tenant: tenantOf(one) }),
    ]),
  )
  const tenants = tenancyCatalog(split.tenancies, resources)
  scopeResources(resources, tenants.tenancies)
  linkResources(resources, held)

  function get(name: string): Resource {
    const resource = resources.get(name)
    if (!resource) throw new Error(`no resource ${name} in the catalog`)
    return resource
  }
  function marked<M extends IdentityMark>(kind: M['kind']): MarkedTable<M> | undefined {
    const resource = [...resources.values()].find((r) => r.identity?.kind === kind)
    return resource && { resource, mark: resource.identity as M }
  }
  const judged = { roles: rolesOf(declarations), memberTables: tenants.memberTables, get }
  throwMistakes([...findRuleMistakes(judged, resources.values()), ...findOpenOperators(judged, split.tenancies)])
  return {
    resources,
    roles: judged.roles,
    callerFields: factNamesOf('field', judged, resources.values()),
    callerClaims: factNamesOf('claim', judged, resources.values()),
    self: marked<LoginMark>('login')?.resource,
    login: marked<LoginMark>('login'),
    apiKey: marked<ApiKeyMark>('api-key'),
    session: marked<SessionMark>('session'),
    refreshToken: marked<RefreshTokenMark>('refresh-token'),
    linkedAccount: marked<LinkedAccountMark>('linked-account'),
    oneTimeToken: marked<OneTimeTokenMark>('one-time-token'),
    outgoingMail: marked<OutgoingMailMark>('outgoing-mail'),
    factor: marked<FactorMark>('factor'),
    recoveryCode: marked<RecoveryCodeMark>('recovery-code'),
    audit: marked<AuditMark>('audit'),
    ...tenants,
    get,
  }
}
