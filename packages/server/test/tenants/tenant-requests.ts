/**
 * Random requests of callers of a tenant, through every door: REST with each of its forms, imports,
 * batches, GraphQL and MCP. Ids and values are those of the own tenant, of the other one, or none.
 */

import type { Catalog, Resource } from '../../src/resource/catalog.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { isBodyKind } from '../../src/resource/operation-kind.ts'
import { ownTenantField } from '../../src/resource/tenancy/scope-resource.ts'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { permissionsPath } from '../../src/rest/permissions-route.ts'
import { makeRoutes } from '../../src/rest/route.ts'
import { makeRequests, type RandomRequest } from '../scale/random-requests.ts'
import type { Pools } from './tenant-pools.ts'
import type { SentRequest } from './worlds.ts'

/** Callers of the own tenant, and callers of none. */
export const callers = ['owner', 'coach', 'player', 'outsider', 'anonymous'] as const

/** Records that prove who someone is, or that show a secret: their values are random. */
export function isAboutRecords({ invitations }: Pick<Catalog, 'invitations'>, resource: Resource): boolean {
  const { identity, traits } = resource
  // An invitation changes when its mail is sent, in the background.
  if (invitations.some((one) => one.resource === resource)) return false
  return identity === undefined && !traits.isCredential && !traits.letsIn
}

/** `makes`: the resource of which it creates a record. */
export type MadeRequest = SentRequest & { readonly makes?: string | undefined }

export function makeTenantRequests(catalog: Catalog, random: () => number) {
  const isAbout = (resource: Resource) => isAboutRecords(catalog, resource)
  const base = makeRequests(catalog, random, { callers, isAbout })
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const chance = (share: number) => random() < share
  const resources = [...catalog.resources.values()].filter((one) => isAbout(one) && one.path !== undefined)
  const having = (operation: string) => resources.filter(({ access }) => access[operation])

  /** Some values are those of stored records. */
  function withStored(resource: Resource, body: string, { values }: Pools): string {
    if (!chance(0.3) || !body.startsWith('{"')) return body
    const sent = JSON.parse(body) as Record<string, unknown>
    const texts = Object.keys(sent).filter(
      (name) => Object.hasOwn(resource.fields, name) && (resource.fields[name] as Field).type.isProse,
    )
    if (texts.length > 0) sent[pick(texts)] = pick(values)
    return JSON.stringify(sent)
  }

  function bodyFor(resource: Resource, operation: string, pools: Pools): string {
    return withStored(resource, base.bodyOf(resource, operation, pools.known), pools)
  }

  function imported(pools: Pools, as: string): RandomRequest {
    const resource = pick(having('import'))
    const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
      const body = bodyFor(resource, 'create', pools)
      const places = pools.known(resource.name)
      if (!body.startsWith('{"') || places.length === 0 || chance(0.4)) return body
      return JSON.stringify({ [resource.idField]: `{${pick(places)}}`, ...JSON.parse(body) })
    })
    const headers = { 'content-type': 'application/x-ndjson' }
    return { method: 'POST', path: `${apiPrefix}${resource.path}/import`, body: lines.join('\n'), headers, as }
  }

  function mutation(pools: Pools, as: string): RandomRequest {
    const kind = pick(['create', 'update', 'delete', 'replace'] as const)
    const resource = pick(having(kind).length > 0 ? having(kind) : having('create'))
    const { typeName, idField } = resource
    const operation = resource.access[kind] ? kind : 'create'
    const name = `${operation}${typeName}`
    const id = `{${pick(pools.known(resource.name).length > 0 ? pools.known(resource.name) : [0])}}`
    const inputType = `${operation.slice(0, 1).toUpperCase()}${operation.slice(1)}${typeName}Input`
    const needsId = operation !== 'create'
    const takesInput = operation !== 'delete'
    const takes = [...(needsId ? ['$id: ID!'] : []), ...(takesInput ? [`$input: ${inputType}!`] : [])].join(', ')
    const gives = [...(needsId ? ['id: $id'] : []), ...(takesInput ? ['input: $input'] : [])].join(', ')
    const query = `mutation (${takes}) { ${name}(${gives}) { ${idField} } }`
    const body = bodyFor(resource, operation, pools)
    const input = body.startsWith('{"') ? JSON.parse(body) : {}
    const variables = { ...(needsId && { id }), ...(takesInput && { input }) }
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), as }
  }

  function tool(pools: Pools, as: string): RandomRequest {
    const resource = pick(resources)
    const place = pick(pools.known(resource.name).length > 0 ? pools.known(resource.name) : [0])
    const all = resource.path?.slice(1)
    const path = `${all}/{${place}}`
    const [name, given] = pick<() => readonly [string, object]>([
      () => ['list', { path: all, query: { filter: base.tree(resource, pools.known) } }],
      () => ['get', { path }],
      () => ['create', { path: all, values: parsed(bodyFor(resource, 'create', pools)) }],
      () => ['update', { path, values: parsed(bodyFor(resource, 'update', pools)) }],
      () => ['delete', { path }],
      () => ['describe', {}],
    ])()
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
    const headers = { accept: 'application/json, text/event-stream' }
    return { method: 'POST', path: '/mcp', body: JSON.stringify(call), headers, as }
  }

  /** A record of this tenant that will be stored, mostly. */
  function creation(pools: Pools, tenant: string): RandomRequest {
    const resource = pick(having('create').filter(({ scope }) => scope))
    const own = ownTenantField(resource)
    const body = (parsed(withStored(resource, base.bodyOf(resource, 'create', pools.known), pools)) ?? {}) as object
    const settable = Object.entries(body).filter(([name, value]) => {
      const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
      return field && !field.setBy && value !== null && value !== ''
    })
    const values = { ...Object.fromEntries(settable), ...(own !== undefined && { [own]: tenant }) }
    const path = `${apiPrefix}${resource.path}`
    return { method: 'POST', path, body: JSON.stringify(values), as: 'owner', makes: resource.name }
  }

  function plain(pools: Pools, as: string): RandomRequest {
    const one = base(pools.known)
    const resource = one.makes === undefined ? undefined : catalog.resources.get(one.makes)
    return resource && one.body !== undefined
      ? { ...one, as, body: withStored(resource, one.body, pools) }
      : { ...one, as }
  }

  const explainable = makeRoutes(catalog).filter(
    ({ target }) => isAbout(target.resource) && target.operation !== 'import',
  )

  /** The explanation of a request about one record or one list. */
  function explained(pools: Pools, as: string): RandomRequest {
    const { method, path, target, steps } = pick(explainable)
    const place = (resource: string) => {
      const known = pools.known(resource)
      return known.length === 0 ? 'none' : `{${pick(known)}}`
    }
    const asked = path.replace(/:(\w+)/g, (_, parameter) =>
      place((steps.find((step) => step.parameter === parameter)?.resource ?? target.resource).name),
    )
    const body = isBodyKind(target.operation) ? bodyFor(target.resource, target.operation, pools) : undefined
    return { method, path: `${asked}?_explain=access`, body, as }
  }

  function told(_: Pools, as: string): RandomRequest {
    const described = `${apiPrefix}/_resources`
    const path = pick([permissionsPath, permissionsPath, described, `${described}/${pick(resources).slug}`])
    return { method: 'GET', path, as }
  }

  /** Invitations of the tenants, by callers who may send them and by others. */
  function invitation(pools: Pools, as: string): RandomRequest {
    const { resource, by } = pick(catalog.invitations)
    const path = `${apiPrefix}${resource.path}`
    const known = pools.known(resource.name)
    const one = known.length === 0 ? 'none' : `{${pick(known)}}`
    const email = `${pick(['ann', 'ben', 'eve'])}${Math.floor(random() * 20)}@example.com`
    const body = JSON.stringify({ [by]: pick(pools.tenants), email })
    return pick<RandomRequest>([
      { method: 'GET', path, as },
      { method: 'GET', path: `${path}/${one}`, as },
      { method: 'POST', path, body, as, makes: resource.name },
      { method: 'POST', path, body, as: 'owner', makes: resource.name },
      { method: 'DELETE', path: `${path}/${one}`, as },
    ])
  }

  function sent({ ids }: Pools, one: RandomRequest, headers: Readonly<Record<string, string>> = {}): MadeRequest {
    const own = (text: string) =>
      text.replace(/\{(\d+)\}/g, (_, place) => ids[Number(place)] ?? 'none').replace('{cursor}', '')
    const body = one.body === undefined ? {} : { body: own(one.body) }
    return { ...one, path: own(one.path), ...body, headers: { ...one.headers, ...headers } }
  }

  function request(pools: Pools): MadeRequest {
    const as = chance(0.5) ? 'owner' : pick(callers)
    const kinds = [
      ...Array.from({ length: 12 }, () => plain),
      mutation,
      mutation,
      tool,
      explained,
      explained,
      told,
      ...(catalog.invitations.length > 0 ? [invitation] : []),
      ...(having('import').length > 0 ? [imported] : []),
    ]
    const one = pick(kinds)(pools, as)
    const tenant: Record<string, string> = chance(0.3)
      ? { 'x-tenant': pick([...pools.tenants, ...pools.tenants, 'none']) }
      : {}
    return sent(pools, one, tenant)
  }

  return { request, create: (pools: Pools, tenant: string) => sent(pools, creation(pools, tenant)) }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
