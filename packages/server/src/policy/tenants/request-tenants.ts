/**
 * The tenant of a request: the one that its path, its header `X-Tenant` or its key names. A caller
 * is then judged within that tenant alone. Requests that name none reach all tenants of the caller.
 */
import { ApiError } from '../../errors.ts'
import { notFound } from '../../operation/not-found.ts'
import type { RecordKey } from '../../operation/operation.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { factsOf } from '../../resource/operation-kind.ts'
import { isAtConsole, type Principal, type RequestTenant } from '../../resource/principal.ts'
import { isAboveTenants, memberTenants } from '../../resource/tenancy/in-tenant.ts'
import type { Tenancy } from '../../resource/tenancy/tenancies.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { PolicyContext } from '../judge.ts'
import type { OperationTarget } from '../rule-of.ts'

/** The header of requests that names a tenant, in small letters. */
export const tenantHeader = 'x-tenant'

/** A record in a path above the target. `id`: as the path has it. */
export type NamedRecord = { readonly resource: Resource; readonly id?: string | undefined }
type NamedTenants = {
  readonly header?: string | undefined
  readonly above?: readonly NamedRecord[] | undefined
  readonly target?: Pick<OperationTarget, 'resource' | 'operation'> | undefined
  /** It has several targets, and each of them asks once more, by the caller that this gives. */
  readonly hasTargets?: boolean
}

export type RequestTenants = {
  /**
   * The caller in the tenant that the request names. Throws `bad-request` where it names two,
   * `not-found` for one that the caller is not in, and `unauthenticated`.
   */
  within(caller: Principal, named: NamedTenants): Principal
  /** Whether the caller is a member of the tenant, or stands above all. */
  reaches(caller: Principal, tenancy: string, id: Scalar): boolean
  /** Whether the caller reaches every tenant without a membership. */
  isAbove(caller: Principal, tenancy: string): boolean
  /**
   * The tenant in which the request means a value of a unique field: the named one, or the only one
   * of the caller. Undefined where each value is unique for the caller. Throws `bad-request`.
   */
  ofKey(caller: Principal, field: KeyedField): Scalar | undefined
}

type KeyedField = { readonly resource: Resource; readonly name: string }

/** The key of a record that is found by a unique field. Throws `bad-request`. */
export function recordKeyOf(tenants: RequestTenants | undefined, caller: Principal, field: KeyedField): RecordKey {
  return { name: field.name, tenant: tenants?.ofKey(caller, field) }
}

/** Callers that were made of one principal. Requests of anonymous callers may name any tenant. */
const callersMax = 200

/** `id`: undefined for a text that is no id. */
type SentTenant = { readonly tenant: Resource; readonly id: Scalar | undefined }
type NamedSource = RequestTenant & { readonly by: string }

/** One object for each principal and tenant, because admissions are remembered by object. */
function makeCallers(): (principal: Principal, tenant: RequestTenant) => Principal {
  const made = new WeakMap<Principal, Map<string, Principal>>()
  return (principal, { name, id }) => {
    if (principal.tenant?.name === name && principal.tenant.id === id) return principal
    const own = made.get(principal) ?? new Map<string, Principal>()
    const key = `${name} ${id}`
    const known = own.get(key)
    if (known) return known
    if (own.size >= callersMax) own.clear()
    const caller: Principal = { ...principal, tenant: { name, id } }
    own.set(key, caller)
    made.set(principal, own)
    return caller
  }
}

function idIn(tenant: Resource, text: string): Scalar | undefined {
  const field = tenant.fields[tenant.idField] as Field
  try {
    return field.type.parse(text, tenant.idField, field) as Scalar
  } catch {
    return undefined
  }
}

/** The text that names this tenant in the header, in every application. */
export const tenantText = ({ name, id }: RequestTenant): string => `${name}:${id}`

/** `X-Tenant: ID`, or `X-Tenant: club:ID` where there are several kinds of tenants. */
function inHeader({ tenancies }: Catalog, text: string): SentTenant {
  const colon = text.indexOf(':')
  const [first] = [...tenancies.values()]
  const named = colon === -1 ? undefined : tenancies.get(text.slice(0, colon))
  const tenancy = named ?? (tenancies.size === 1 ? first : undefined)
  if (!tenancy) {
    const names = [...tenancies.keys()].map((name) => `${name}:ID`)
    throw new ApiError('bad-request', `X-Tenant must name a tenant as ${names.join(' or ')}`)
  }
  return { tenant: tenancy.tenant, id: idIn(tenancy.tenant, named ? text.slice(colon + 1) : text) }
}

function notIn(caller: Principal, tenant: Resource): ApiError {
  return caller.kind === 'anonymous' ? new ApiError('unauthenticated', 'Token required') : notFound(tenant, 'get')
}

/** Whether a read of this resource needs no membership in the tenant that the request names. */
function isPublicRead({ resource, operation }: Pick<OperationTarget, 'resource' | 'operation'>, tenancy: string) {
  const { scope } = resource
  return scope?.isPublic === true && scope.tenancy === tenancy && factsOf(operation).reads
}

function namesTwo({ label }: Resource, one: NamedSource, other: NamedSource): ApiError {
  return new ApiError(
    'bad-request',
    `The request names one ${inSentence(label)} by ${one.by}, and another by ${other.by}`,
  )
}

/** The resource with one record for each tenant that the path names without an id. */
function singleOf({ above = [], target }: NamedTenants): Resource | undefined {
  const resource = above[0]?.resource ?? target?.resource
  return resource?.single && resource.scope ? resource : undefined
}

/** Undefined in an application without tenants. */
export function makeRequestTenants(context: PolicyContext): RequestTenants | undefined {
  const { catalog } = context
  if (catalog.tenancies.size === 0) return undefined
  const callerIn = makeCallers()

  const scopes = [...catalog.resources.values()].map(({ scope }) => scope)
  const withPublic = new Set(scopes.flatMap((scope) => (scope?.isPublic ? [scope.tenancy] : [])))

  /** Whether the caller may name a tenant that it is not in. */
  function isOpen(tenancy: string, { target, hasTargets }: NamedTenants): boolean {
    return target ? isPublicRead(target, tenancy) : hasTargets === true && withPublic.has(tenancy)
  }

  const tenancyOf = (name: string) => catalog.tenancies.get(name) as Tenancy

  function isAbove(caller: Principal, name: string): boolean {
    const { operator, tenant } = tenancyOf(name)
    return isAtConsole(caller) || isAboveTenants({ operator }, { ...context, resource: tenant, principal: caller })
  }

  function reaches(caller: Principal, name: string, id: Scalar): boolean {
    return memberTenants(caller, name).includes(id) || isAbove(caller, name)
  }

  function checkReaches(caller: Principal, tenant: Resource, id: Scalar | undefined): Scalar {
    if (id === undefined || !reaches(caller, tenant.name, id)) throw notIn(caller, tenant)
    return id
  }

  /** The id, which the caller may name for this target. */
  function checkMayName(named: NamedTenants, caller: Principal, { tenant, id }: SentTenant): Scalar {
    return id !== undefined && isOpen(tenant.name, named) ? id : checkReaches(caller, tenant, id)
  }

  function* inPath(caller: Principal, named: NamedTenants): Generator<NamedSource> {
    for (const { resource, id: text } of named.above ?? []) {
      if (text === undefined || !catalog.tenancies.has(resource.name)) continue
      const id = idIn(resource, text)
      const isBelow = named.target?.resource.scope?.tenancy === resource.name
      if (isBelow && !isOpen(resource.name, named)) checkReaches(caller, resource, id)
      if (id !== undefined) yield { name: resource.name, id, by: 'its path' }
    }
  }

  function* namedBy(caller: Principal, named: NamedTenants): Generator<NamedSource> {
    if (caller.tenant) {
      const { name, id } = caller.tenant
      yield { name, id: checkMayName(named, caller, { tenant: tenancyOf(name).tenant, id }), by: 'its key or header' }
    }
    if (named.header !== undefined) {
      const sent = inHeader(catalog, named.header.trim())
      yield { name: sent.tenant.name, id: checkMayName(named, caller, sent), by: 'X-Tenant' }
    }
    yield* inPath(caller, named)
  }

  function ofKey(caller: Principal, { resource, name }: KeyedField): Scalar | undefined {
    const { scope } = resource
    if (!scope || caller.tenant?.name === scope.tenancy) return scope && caller.tenant?.id
    const own = memberTenants(caller, scope.tenancy)
    // A caller without a tenant finds no record by the rule.
    if (own.length <= 1 && !isAbove(caller, scope.tenancy)) return own[0]
    const label = inSentence(tenancyOf(scope.tenancy).tenant.label)
    throw new ApiError('bad-request', `Name the ${label} with X-Tenant: each has its own ${name}`)
  }

  function ofSingle(caller: Principal, resource: Resource | undefined): NamedSource | undefined {
    const id = resource && ofKey(caller, { resource, name: inSentence(resource.label) })
    return resource?.scope && id !== undefined ? { name: resource.scope.tenancy, id, by: 'its path' } : undefined
  }

  return {
    reaches,
    isAbove,
    ofKey,
    within(caller, named) {
      let found: NamedSource | undefined
      for (const one of namedBy(caller, named)) {
        if (found && (found.name !== one.name || found.id !== one.id)) {
          throw namesTwo(tenancyOf(found.name).tenant, found, one)
        }
        found = one
      }
      found ??= ofSingle(caller, singleOf(named))
      return found ? callerIn(caller, found) : caller
    },
  }
}
