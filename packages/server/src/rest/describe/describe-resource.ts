/**
 * Describes a resource for front ends, as far as the caller may use it. Operations and fields that
 * the caller does not have are absent, as in `_permissions`.
 */
import type {
  ActionDescription,
  ChildDescription,
  ResourceDescription,
  ResourceSummary,
} from '../../client/resource-description.ts'
import type { ResourcePermissions } from '../../policy/permissions.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { groupsOf, labelTexts, namesShown } from '../../resource/display/declared-display.ts'
import { followedBy } from '../../resource/effects/declared-changes.ts'
import type { Field, Fields } from '../../resource/fields/field.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import { branches } from '../../resource/relations/tree.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { kebabOf, labelOf } from '../../resource/words/names.ts'
import { describeField, describeRecordField, settingRequests } from './describe-field.ts'
import { titleOf } from './title-of.ts'

export type DescribedResource = {
  readonly catalog: Catalog
  readonly settings: ServiceSettings
  readonly permissions: ResourcePermissions
  /** Whether the caller may ask why an operation is refused. */
  readonly mayExplain: boolean
}

/** The operations that the caller may do on some record at least, and the others. */
function toldOperations({
  permissions: { operations },
  mayExplain,
}: DescribedResource): Pick<ResourceSummary, 'operations' | 'refused'> {
  const [refused, allowed] = [true, false].map((isRefused) =>
    Object.keys(operations).filter((name) => (operations[name] === 'none') === isRefused),
  ) as [string[], string[]]
  return { operations: allowed, ...(mayExplain && { refused }) }
}

/** Where its records are the callers, and this one sees who they are. */
function usersOf({ permissions: { resource, sees } }: DescribedResource): Pick<ResourceSummary, 'users'> {
  const { people } = resource.traits
  return people && sees.includes(people.name) && sees.includes(people.role) ? { users: people } : {}
}

/** The first path below which its records are made, where it has none of its own for that. */
function madeBelow({ permissions: { resource } }: DescribedResource): Pick<ResourceSummary, 'madeBelow'> {
  if (!resource.madeUnderParent) return {}
  for (const { resource: above, link } of resource.parents) {
    const name = Object.keys(above.children).find((one) => above.children[one] === link)
    if (name !== undefined && link.operations.includes('create'))
      return { madeBelow: { resource: above.slug, path: kebabOf(name) } }
  }
  return {}
}

function tenantOf({ catalog, permissions: { resource } }: DescribedResource) {
  if (catalog.tenancies.has(resource.name)) return { tenant: 'is' } as const
  const tenantField = ownTenantField(resource)
  return resource.tenant ? ({ tenant: 'in', ...(tenantField && { tenantField }) } as const) : {}
}

/** Where this caller may follow its changes. */
function liveOf({ permissions: { resource, operations } }: DescribedResource): Pick<ResourceSummary, 'live'> {
  const operation = followedBy(resource)
  return operation && operations[operation] !== 'none' ? { live: true } : {}
}

function menuOf({ display: { menu } }: Resource): Pick<ResourceSummary, 'menu' | 'unlisted'> {
  return {
    ...(typeof menu === 'object' || typeof menu === 'string' ? { menu: labelTexts(menu) } : {}),
    ...(menu === false && { unlisted: true }),
  }
}

/** The columns and groups of the declaration, without the fields that the caller does not have. */
function layoutOf({ display }: Resource, sees: readonly string[], known: ReadonlySet<string>) {
  const columns = display.columns?.filter((name) => sees.includes(name)) ?? []
  const groups = groupsOf(display)
    .map(({ label, fields }) => ({ ...labelTexts(label), fields: fields.filter((name) => known.has(name)) }))
    .filter(({ fields }) => fields.length > 0)
  return { ...(columns.length > 0 && { columns }), ...(groups.length > 0 && { groups }) }
}

export function summarizeResource(described: DescribedResource): ResourceSummary {
  const { permissions, mayExplain } = described
  const { name, slug, description, path, byEngine, writtenAt, traits } = permissions.resource
  return {
    name,
    slug,
    ...namesShown(permissions.resource),
    ...menuOf(permissions.resource),
    ...(description !== undefined && { description }),
    ...(path !== undefined && { path }),
    engine: byEngine,
    ...(permissions.resource.single && { single: true as const }),
    ...tenantOf(described),
    ...(mayExplain && { declaredIn: writtenAt }),
    ...madeBelow(described),
    ...usersOf(described),
    ...liveOf(described),
    ...(traits.holds && { holds: traits.holds }),
    ...(traits.made?.kind === 'history' && ({ made: 'history', unlisted: true } as const)),
    ...toldOperations(described),
  }
}

function describeAction({ catalog, settings, permissions }: DescribedResource, name: string): ActionDescription {
  const { resource } = permissions
  const { input = {}, summary, job } = resource.actions[name] ?? {}
  const describeAll = (fields: Fields, settable: readonly ('create' | 'update')[]) =>
    Object.entries(fields).map(([of, field]) => describeField({ catalog, settings, name: of, field, settable }))
  const own = resource.transitions[name]
  const said = summary ?? own?.transition.description
  return {
    name,
    ...labelTexts(resource.display.labels?.[name] ?? labelOf(name)),
    path: kebabOf(name),
    ...(said !== undefined && { summary: said }),
    ...(job && { job: { name: job.add.partName, result: describeAll(job.add.job.output ?? {}, []) } }),
    input: describeAll(input, ['create']),
    ...(own && { transition: { field: own.field, from: own.transition.from, to: own.transition.to } }),
  }
}

/** The lists of a tree, which stand as children do. */
function branchesOf({ tree, access, slug, display }: Resource): ChildDescription[] {
  if (!tree || !access.list) return []
  return branches.map((name) => ({
    name,
    ...labelTexts(display.labels?.[name] ?? labelOf(name)),
    path: name,
    resource: slug,
    by: tree.by,
    branch: true,
    single: false,
    operations: ['list'],
  }))
}

function childrenOf({ children, display }: Resource): ChildDescription[] {
  return Object.entries(children).map(([name, { resource, by, single, operations, inBody }]) => ({
    name,
    ...labelTexts(display.labels?.[name] ?? labelOf(name)),
    path: kebabOf(name),
    resource: resource.slug,
    by,
    single,
    operations,
    ...(inBody && { inBody: true as const }),
  }))
}

function listOf({ list, access }: Resource): Pick<ResourceDescription, 'list'> {
  if (!access.list) return {}
  const { style, defaultSort, filters, search, bulk } = list
  const named = Object.entries(filters).map(([name, { field, by }]) => ({ name, field, by }))
  return { list: { style, defaultSort, filters: named, search: search.length > 0, bulk } }
}

export function describeResource(described: DescribedResource): ResourceDescription {
  const { catalog, settings, permissions } = described
  const { resource, sees, sets } = permissions
  const summary = summarizeResource(described)
  const known = new Set([...sees, ...Object.values(sets).flat()])
  return {
    ...summary,
    idField: resource.idField,
    title: titleOf(resource, new Set(sees)),
    fields: resource.fieldNames
      .filter((name) => known.has(name))
      .map((name) =>
        describeRecordField(resource, {
          catalog,
          settings,
          name,
          field: resource.fields[name] as Field,
          settable: settingRequests(sets, name),
        }),
      ),
    ...layoutOf(resource, sees, known),
    actions: resource.actionNames
      .filter((name) => summary.operations.includes(name) && !factsOf(name).reads)
      .map((name) => describeAction(described, name)),
    children: [...childrenOf(resource), ...branchesOf(resource)],
    ...listOf(resource),
    relations: Object.entries(resource.relations).map(([name, { kind, resource: of, by }]) => ({
      name,
      kind,
      resource: of.slug,
      by,
    })),
    needsVersion: resource.needsVersion,
    upsert: [...resource.upsert.keys()],
  }
}
