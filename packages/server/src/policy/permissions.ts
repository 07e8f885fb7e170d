/**
 * Enumerates permissions: what a caller may do with each resource, and which fields the caller
 * sees and sets. Documents, tools of agents, `doctor` and the command line ask this file, so none
 * of them has an opinion of its own.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { type Condition, matchesNothing, never } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { isAlwaysRequired, isSettable, takesValues } from '../resource/fields/field-facts.ts'
import { isTrash } from '../resource/made/shown-resources.ts'
import { type BodyKind, factsOf } from '../resource/operation-kind.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import type { Admission, Policy } from './policy.ts'
import type { OperationTarget } from './rule-of.ts'

/**
 * The records on which a caller may do an operation, of those that exist for the caller. `some`: a
 * condition on the record, or on what a write makes of it, decides.
 */
export const extents = ['all', 'some', 'none'] as const
export type Extent = (typeof extents)[number]

export type ResourcePermissions = {
  readonly resource: Resource
  /** Every operation of the declaration, in its order. */
  readonly operations: Readonly<Record<string, Extent>>
  /** The fields that the caller's answers show; none for a caller who may do nothing. */
  readonly sees: readonly string[]
  /** The fields that a body of the caller may have; none where the caller may not do it. */
  readonly sets: Readonly<Record<BodyKind, readonly string[]>>
}

type PermissionContext = { readonly catalog: Catalog; readonly policy: Policy }

/** A rule on the result narrows what the rule before it allows. */
function extentOf(admission: Admission | undefined): Extent {
  if (!admission || matchesNothing(admission.where)) return 'none'
  if (admission.result && matchesNothing(admission.result.where)) return 'none'
  return admission.where.kind === 'true' && admission.result === undefined ? 'all' : 'some'
}

/** Whether it makes a tenant, which a request that names one does not. */
function makesOther({ tenant }: Principal, { resource, operation }: OperationTarget): boolean {
  return tenant?.name === resource.name && (operation === 'create' || operation === 'import')
}

/** The caller in the path of a tenant: there it reads what is public, whichever tenant that is. */
function inSomePath(principal: Principal, { resource, operation }: OperationTarget): Principal | undefined {
  const { scope } = resource
  if (!scope?.isPublic || principal.tenant || !factsOf(operation).reads) return undefined
  return { ...principal, tenant: { name: scope.tenancy, id: '' } }
}

type Permission = { readonly admission: Admission | undefined; readonly extent: Extent }

function permissionOf(policy: Policy, principal: Principal, target: OperationTarget): Permission {
  if (makesOther(principal, target)) return { admission: undefined, extent: 'none' }
  const admission = policy.tryAdmit(principal, target)
  const extent = extentOf(admission)
  const reader = extent === 'none' ? inSomePath(principal, target) : undefined
  if (!reader) return { admission, extent }
  const inPath = policy.tryAdmit(reader, target)
  return { admission: inPath, extent: extentOf(inPath) }
}

/** Whether the caller may do this to some record, as far as that is known before one is read. */
export function mayTry(policy: Policy, principal: Principal, target: OperationTarget): boolean {
  return permissionOf(policy, principal, target).extent !== 'none'
}

/**
 * The fields that a body of the caller may have, in the order of the declaration. A field that the
 * caller may not read does not exist in bodies either, unless no caller ever reads it. A create may
 * set a field that only some records show.
 */
export function settableFields(policy: Policy, admission: Admission, kind: BodyKind): readonly [string, Field][] {
  const { principal, visible, target } = admission
  const { resource } = target
  const { guarded } = policy.guardedFields(principal, resource)
  const isKnown = (name: string) => visible.has(name) || (kind === 'create' && resource.partlyShown.includes(name))
  return Object.entries(resource.fields).filter(
    ([name, field]) =>
      isSettable(field, kind) && takesValues(field) && !guarded.has(name) && (!field.read || isKnown(name)),
  )
}

/** The names that a body must have, and those that it may have. */
export function bodyNames(
  policy: Policy,
  admission: Admission,
  kind: BodyKind,
): { readonly required: readonly string[]; readonly optional: readonly string[] } {
  const settable = settableFields(policy, admission, kind)
  const names = (wanted: boolean) =>
    settable.filter(([, field]) => isAlwaysRequired(field, kind) === wanted).map(([name]) => name)
  return { required: names(true), optional: names(false) }
}

/** The permissions of a caller for one resource. */
export function permissionsFor(
  { policy }: PermissionContext,
  principal: Principal,
  resource: Resource,
): ResourcePermissions {
  const told = Object.keys(resource.access).map(
    (operation) => [operation, permissionOf(policy, principal, { resource, operation })] as const,
  )
  const operations = Object.fromEntries(told.map(([operation, { extent }]) => [operation, extent]))
  const allowed = told.flatMap(([operation, { admission, extent }]) =>
    admission && extent !== 'none' ? [[operation, admission] as const] : [],
  )
  const seen = new Set(allowed.flatMap(([, { visible }]) => [...visible]))
  const byOperation = new Map(allowed)
  const setsOf = (kind: BodyKind) => {
    const admission = byOperation.get(kind)
    return admission ? settableFields(policy, admission, kind).map(([name]) => name) : []
  }
  return {
    resource,
    operations,
    sees: resource.fieldNames.filter((name) => seen.has(name)),
    sets: { create: setsOf('create'), replace: setsOf('replace'), update: setsOf('update') },
  }
}

/** Every resource that has operations, in the order of the declarations. */
export function permissionsOf(context: PermissionContext, principal: Principal): readonly ResourcePermissions[] {
  const resources = [...context.catalog.resources.values()]
  return resources
    .filter((one) => Object.keys(one.access).length > 0 && !isTrash(one))
    .map((resource) => permissionsFor(context, principal, resource))
}

/**
 * For each operation on one record, the records on which the caller may do it. The rule on
 * the result of a write is judged when there is one.
 */
export function recordPermissions(
  policy: Policy,
  principal: Principal,
  resource: Resource,
): ReadonlyMap<string, Condition> {
  const { operations = [], judgedAs } = resource.can ?? {}
  return new Map(
    operations.map((shown) => {
      const operation = judgedAs ? judgedAs[shown] : shown
      const admission = operation === undefined ? undefined : policy.tryAdmit(principal, { resource, operation })
      return [shown, admission && extentOf(admission) !== 'none' ? policy.reach(admission) : never]
    }),
  )
}

/** The writes that callers without a credential may do: `create things`, `delete drafts (some)`. */
export function openWrites(context: PermissionContext): readonly string[] {
  return permissionsOf(context, anonymous).flatMap(({ resource, operations }) =>
    Object.entries(operations)
      .filter(([operation, extent]) => extent !== 'none' && !factsOf(operation).reads)
      .map(([operation, extent]) => `${operation} ${resource.slug}${extent === 'some' ? ' (some)' : ''}`),
  )
}

/** The permissions of a caller as JSON: by the slug of each resource, as scopes name it. */
export function printPermissions(permissions: readonly ResourcePermissions[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    permissions.map(({ resource, operations, sees, sets }) => [
      resource.slug,
      { operations, fields: { read: sees, ...sets } },
    ]),
  )
}

/** The caller as answers show it; null without a credential. */
export function printCaller(principal: Principal): Readonly<Record<string, unknown>> | null {
  if (principal.kind !== 'user') return null
  const { userId, role, scopes } = principal
  return { id: userId, role, ...(scopes && { scopes }) }
}
