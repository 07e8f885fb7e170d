/**
 * Parses a request for changes: the resources with their filters, the position, the limit and how
 * long the client waits.
 */
import { prefersToJson } from '../http/accept-header.ts'
import { type HttpRequest, ndjsonType } from '../http/messages/exchange.ts'
import { namedTenant } from '../http/named-tenant.ts'
import { type Parameters, parameterError, parseParameters, unknownParameter } from '../operation/parameters.ts'
import type { Resource } from '../resource/catalog.ts'
import { followedBy } from '../resource/effects/declared-changes.ts'
import { listParameters } from '../resource/list-style.ts'
import type { Principal } from '../resource/principal.ts'
import { type FeedRoom, feedResources } from './feed-room.ts'
import { type Followed, follow } from './followed.ts'

export const feedParameters = { after: 'after', resources: 'resources', limit: 'limit', wait: 'wait' } as const
export const feedLimits = { limit: 100, limitMax: 1_000, waitSecondsMax: 30 } as const

export type RequestedFeed = {
  readonly followed: readonly Followed[]
  /** As it was sent; undefined for a reader that only asks for the position. */
  readonly after: string | undefined
  readonly most: number
  readonly waitMs: number
  readonly asLines: boolean
}

const ownNames: ReadonlySet<string> = new Set([...Object.values(feedParameters), listParameters.credential.name])
const ofResource = /^filter\[([^[\]]+)\]$/

/** Throws `bad-request`. */
function wholeNumber(parameters: Parameters, name: string, { least, most }: { least: number; most: number }) {
  const text = parameters.get(name)
  if (text === undefined) return undefined
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1
  if (number < least || number > most) throw parameterError(name, `${name} must be from ${least} to ${most}`)
  return number
}

function resourceNamed({ engine }: FeedRoom, slug: string, parameter: string): Resource {
  const found = feedResources(engine.catalog).find((one) => one.slug === slug)
  if (found) return found
  const names = feedResources(engine.catalog).map((one) => one.slug)
  throw parameterError(parameter, `The feed has no ${slug.slice(0, 100)}; it has ${names.join(', ')}`)
}

/** Without a name, all that the caller may list. */
function namedResources(room: FeedRoom, principal: Principal, parameters: Parameters): readonly Resource[] {
  const text = parameters.get(feedParameters.resources)
  if (text === undefined)
    return feedResources(room.engine.catalog).filter((resource) =>
      room.engine.policy.tryAdmit(principal, { resource, operation: followedBy(resource) ?? 'list' }),
    )
  const names = new Set(text.split(',').map((name) => name.trim()))
  return [...names].map((name) => resourceNamed(room, name, feedParameters.resources))
}

/** The parameters of each list. Those without a resource are about the only one. */
function filtersOf(room: FeedRoom, resources: readonly Resource[], parameters: Parameters) {
  const filters = new Map(resources.map((resource) => [resource, new Map<string, string>()] as const))
  for (const [name, text] of parameters) {
    if (ownNames.has(name)) continue
    const slug = ofResource.exec(name)?.[1]
    const [only] = resources
    const resource = slug === undefined ? only : resourceNamed(room, slug, name)
    const own = resource && filters.get(resource)
    if (slug !== undefined && !own) throw parameterError(name, `resources does not name ${slug}`)
    if (!own) throw unknownParameter(name)
    if (slug === undefined && resources.length > 1)
      throw parameterError(name, `Name one resource for ${name.slice(0, 100)}, or write filter[${only?.slug}]={…}`)
    own.set(slug === undefined ? name : listParameters.filter.name, text)
  }
  return filters
}

/** Throws `bad-request`. The filters are parsed when they are followed. */
export function requestedFeed(room: FeedRoom, principal: Principal, request: HttpRequest): RequestedFeed {
  const parameters = parseParameters(request.query, new Set([feedParameters.resources]))
  const resources = namedResources(room, principal, parameters)
  const filters = filtersOf(room, resources, parameters)
  const tenant = namedTenant(request)
  const followed = [...filters].map(([resource, own]) => follow(room.engine, { resource, parameters: own, tenant }))
  const after = parameters.get(feedParameters.after)
  const { limit, limitMax, waitSecondsMax } = feedLimits
  return {
    followed,
    after: after === '' ? undefined : after,
    most: wholeNumber(parameters, feedParameters.limit, { least: 1, most: limitMax }) ?? limit,
    waitMs: (wholeNumber(parameters, feedParameters.wait, { least: 0, most: waitSecondsMax }) ?? 0) * 1000,
    asLines: prefersToJson(request.headers.accept, ndjsonType.split(';')[0] as string),
  }
}
