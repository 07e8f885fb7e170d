/**
 * Finds the fields of which the change log keeps values. Those that `changes` names are shown to
 * readers. Rules decide which of the changes a reader sees. So the log also keeps what they judge,
 * in other tables too, and shows none of that. It keeps no secret.
 */
import type { Field } from '../fields/field.ts'
import type { JudgedCatalog, JudgedField, JudgedResource, Rule, RulePart } from '../rule.ts'
import type { Roles } from '../rules/role-order.ts'
import { fieldsOnPath } from '../tenancy/fields-on-path.ts'
import type { ResourceTenant } from '../tenancy/tenancy-tables.ts'

/** A catalog with the tables whose rows say of which tenants and groups a caller is a member. */
type LoggedCatalog = Omit<JudgedCatalog, 'memberTables'> & {
  readonly memberTables: ReadonlyMap<string, LoggedMembers>
}

type LoggedMembers = {
  readonly roles: Roles
  readonly resource: { readonly name: string }
  readonly of: { readonly name: string; readonly tenant: ResourceTenant | undefined }
}

type ResourceWithLog = JudgedResource & {
  readonly storedNames: readonly string[]
  readonly bounds: Rule | undefined
  readonly shownNames: readonly string[] | undefined
  /** Written here, for resources whose changes others depend on. */
  readonly loggedNames: readonly string[] | undefined
}

/** The rules that decide which records and values of a resource its readers see. */
function* readRulesOf({ access, bounds, fields }: ResourceWithLog): Generator<Rule> {
  for (const rule of [access.get, access.list, bounds]) if (rule) yield rule
  for (const { read } of Object.values(fields)) if (read) yield read
}

/** Rules without parts judge by the same facts under every configuration. */
const anySettings = { currency: 'USD', signUp: 'open' } as const

function* judgedFields(part: RulePart, catalog: LoggedCatalog): Generator<JudgedField> {
  const { rule, resource } = part
  const { type } = rule
  yield* type.judgedFields?.(rule, { catalog, resource }) ?? []
  const parts = type.parts(rule, { catalog, resource })
  for (const { link, ...inner } of parts) {
    if (link) yield { resource: resource.name, field: link.field }
    if (link) yield { resource: inner.resource.name, field: link.at ?? inner.resource.idField }
    yield* judgedFields(inner, catalog)
  }
  if (parts.length > 0) return
  for (const fact of type.judgesBy(rule, { catalog, resource, settings: anySettings }))
    if (fact.startsWith('members:')) yield* membershipFields(fact.slice('members:'.length), catalog)
}

/**
 * A membership counts by all of its row. That of a group counts for members of the group's tenant,
 * so the way there decides too.
 */
function* membershipFields(of: string, catalog: LoggedCatalog): Generator<JudgedField> {
  const table = catalog.memberTables.get(of)
  if (!table) return
  const { name, fields } = catalog.get(table.resource.name)
  for (const [field, { virtual }] of Object.entries(fields)) if (!virtual) yield { resource: name, field }
  const { tenant } = table.of
  if (!tenant || tenant.path.length === 0) return
  yield* fieldsOnPath(catalog, catalog.get(table.of.name), tenant.path)
  yield* membershipFields(tenant.tenancy, catalog)
}

const isSecret = (field: Field | undefined) => field?.type.secret !== undefined

/** Writes them into the resources. No other code has read them yet. */
export function noteLoggedFields<R extends ResourceWithLog>(
  catalog: LoggedCatalog,
  resources: ReadonlyMap<string, R>,
): void {
  const needed = new Map<string, Set<string>>()
  const judge = (resource: ResourceWithLog) => {
    for (const rule of readRulesOf(resource))
      for (const { resource: name, field } of judgedFields({ rule, resource }, catalog))
        needed.set(name, (needed.get(name) ?? new Set()).add(field))
  }
  for (const resource of resources.values()) if (resource.shownNames) judge(resource)
  for (const [name, fields] of needed) {
    const resource = resources.get(name) as ResourceWithLog
    const { storedNames, shownNames = [] } = resource
    const isKept = (one: string) => shownNames.includes(one) || (fields.has(one) && !isSecret(resource.fields[one]))
    Object.assign(resource, { loggedNames: storedNames.filter(isKept) } satisfies Partial<ResourceWithLog>)
  }
}
