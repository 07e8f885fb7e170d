/**
 * The catalog: every declaration, checked and resolved. It resolves references between resources
 * once, at start, so that no later code searches by name. It knows no resource by name; identity's
 * resources are found by their marks.
 */
import { ownFirst, withMoreEvents } from './accounts/engine-table.ts'
import { checkMailTables } from './accounts/mail-names.ts'
import { findMarkedTables, type MarkedTables } from './accounts/marked-tables.ts'
import { findMistakes, throwMistakes } from './check.ts'
import type { DeclaredConsole } from './display/define-console.ts'
import { noteLoggedFields } from './effects/logged-fields.ts'
import { withEndpoints } from './endpoints/endpoint-operations.ts'
import { fileTableName } from './made/file-table.ts'
import { trashOf, withTrashRules } from './made/trash-table.ts'
import { type ApplicationParts, makeApplicationParts } from './parts/application-parts.ts'
import { noteJudgedReferences } from './relations/judged-references.ts'
import { linkCounted } from './relations/link-counted.ts'
import { linkResources } from './relations/link-resources.ts'
import { resolveResource } from './resolve-resource.ts'
import type { Resource } from './resolved-resource.ts'
import type { Roles } from './rules/role-order.ts'
import { rolesOf } from './rules/roles.ts'
import { factNamesOf, findRuleMistakes } from './rules/walk-rules.ts'
import { splitDeclarations } from './tenancy/apply-tenancies.ts'
import { findOpenOperators } from './tenancy/check-operator.ts'
import type { Declared } from './tenancy/define-tenancy.ts'
import { scopeResources } from './tenancy/scope-resource.ts'
import { resolveTenants, type TenancyCatalog, tenancyCatalog } from './tenancy/tenancy-tables.ts'
import { makeSchemaNames } from './words/document-names.ts'
import { typeNameOf } from './words/names.ts'

export type { MarkedTable } from './accounts/marked-tables.ts'
export type {
  ChildRelation,
  EmbeddedRelation,
  LinkRelation,
  ListSettings,
  ReferenceRelation,
  Relation,
  Resource,
  SortKey,
  TrashRelation,
} from './resolved-resource.ts'

export type Catalog = TenancyCatalog<Resource> &
  MarkedTables & {
    readonly resources: ReadonlyMap<string, Resource>
    readonly roles: Roles
    /** The table of files; undefined where no field holds one. */
    readonly files: Resource | undefined
    /** The console of the application, where it declares one. */
    readonly console: DeclaredConsole | undefined
    /** The other parts of the application: its settings, services, mails and the like. */
    readonly parts: ApplicationParts
    /** The fields of users that rules compare with, by `caller('…')`. */
    readonly callerFields: readonly string[]
    /** The claims of tokens of trusted issuers that they compare with. */
    readonly callerClaims: readonly string[]
    /**
     * Throws an `Error` for a name that is not in the catalog. It is a bug, since the names of
     * declarations were checked.
     */
    get(name: string): Resource
  }

/**
 * Checks every declaration. Throws a `StartError` that names each mistake with its file and field.
 */
export function makeCatalog(list: readonly Declared[]): Catalog {
  throwMistakes(findMistakes(list))
  const split = splitDeclarations(list)
  const declarations = withTrashRules(split.resources)
  const tenantOf = resolveTenants(split)
  const shown = declarations.filter((one) => !trashOf(one))
  const namesOf = makeSchemaNames(shown.map(({ name }) => typeNameOf(name)))
  const held = withMoreEvents(ownFirst(checkMailTables(declarations)), split.tenancies)
  const parts = makeApplicationParts(split.parts)
  const resources = new Map(
    held.map((one) => {
      const schemaNames = namesOf(typeNameOf(trashOf(one)?.of ?? one.name))
      return [one.name, withEndpoints(resolveResource(one, { schemaNames, tenant: tenantOf(one) }), parts)]
    }),
  )
  const tenants = tenancyCatalog(split.tenancies, resources)
  scopeResources(resources, tenants.tenancies)
  linkResources(resources, held)

  function get(name: string): Resource {
    const resource = resources.get(name)
    if (!resource) throw new Error(`no resource ${name} in the catalog`)
    return resource
  }
  const judged = { roles: rolesOf(declarations), memberTables: tenants.memberTables, resources, get }
  throwMistakes([...findRuleMistakes(judged, resources.values()), ...findOpenOperators(judged, split.tenancies)])
  linkCounted({ catalog: judged, resources })
  noteJudgedReferences(judged, resources.values())
  noteLoggedFields(judged, resources)
  return {
    resources,
    roles: judged.roles,
    files: resources.get(fileTableName),
    console: split.consoles[0],
    parts,
    callerFields: factNamesOf('field', judged, resources.values()),
    callerClaims: factNamesOf('claim', judged, resources.values()),
    ...findMarkedTables(resources),
    ...tenants,
    get,
  }
}
