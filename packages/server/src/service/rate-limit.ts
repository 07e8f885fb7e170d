/**
 * Limits the requests of a client (`RATE_LIMIT`), in all or by class. One process counts in memory;
 * several share counts in their database. Each counts by itself while that is unreachable, because
 * a lost database must not block requests that do not need it. Every response reports the remaining
 * requests (draft-ietf-httpapi-ratelimit-headers-10).
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { ApiError, tooManyRequests } from '../errors.ts'
import type { TakeRate } from '../http/identify-request.ts'
import type { Engine } from '../perform/engine.ts'
import { endpointsOf } from '../resource/endpoints/endpoint-operations.ts'
import type { TakeEndpointRate } from '../rest/endpoints/answer-endpoint.ts'
import { parseRateLimit, type RateLimit, rateClasses } from '../settings/network-settings.ts'

function refuse(msBeforeNext: number): never {
  throw tooManyRequests('Too many requests, try again later', msBeforeNext, 'rate-limit')
}

/**
 * The remaining requests, negative when over the limit, and the milliseconds until the window ends.
 */
type RateState = { readonly remaining: number; readonly msBeforeNext: number }
type TellRate = Parameters<TakeRate>[2]
type TakeFromRate = (client: string, tell: TellRate) => Promise<void>

/** `name` separates the counts of one limit from those of another. */
function makeTake({ points, windowSeconds }: RateLimit, name: string, shared: Engine | undefined): TakeFromRate {
  const memory = new RateLimiterMemory({ points, duration: windowSeconds })
  const policy = `"${name}";q=${points};w=${windowSeconds}`

  async function takeOwn(client: string): Promise<RateState> {
    try {
      const { remainingPoints, msBeforeNext } = await memory.consume(client)
      return { remaining: remainingPoints, msBeforeNext }
    } catch (refused) {
      return { remaining: -1, msBeforeNext: refused instanceof RateLimiterRes ? refused.msBeforeNext : 1000 }
    }
  }

  async function takeShared(client: string, { storage, clock }: Engine): Promise<RateState> {
    const nowMs = clock()
    const counted = await storage.countUp(`${name} ${client}`, windowSeconds * 1000, nowMs).catch((error) => {
      if (error instanceof ApiError && error.code === 'unavailable') return undefined
      throw error
    })
    if (!counted) return takeOwn(client)
    return { remaining: points - counted.count, msBeforeNext: counted.resetAtMs - nowMs }
  }

  return async (client, tell) => {
    const { remaining, msBeforeNext } = await (shared ? takeShared(client, shared) : takeOwn(client))
    tell?.('RateLimit-Policy', policy)
    tell?.('RateLimit', `"${name}";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(msBeforeNext / 1000))}`)
    if (remaining < 0) refuse(msBeforeNext)
  }
}

/** The engine whose database has the counts of all processes; undefined where there is one. */
function sharedBy({ database, workers }: Config, engine: Engine): Engine | undefined {
  return database.kind.isShared || workers > 1 ? engine : undefined
}

/** The limits that endpoints declare, each counted by itself. Throws `too-many-requests`. */
export function makeEndpointRates(config: Config, engine: Engine): TakeEndpointRate {
  const takes = new Map<string, TakeFromRate>()
  for (const { partName, endpoint } of endpointsOf(engine.catalog)) {
    const limit = parseRateLimit(endpoint.limits?.rate, 'rate')
    if (limit) takes.set(partName, makeTake(limit, `endpoint ${partName}`, sharedBy(config, engine)))
  }
  return async ({ declared }, client, tell) => takes.get(declared.partName)?.(client, tell)
}

/** Undefined when there is no limit. Throws `too-many-requests`. */
export function makeRate(config: Config, engine: Engine): TakeRate | undefined {
  const { rateLimits } = config
  if (!rateLimits) return undefined
  const shared = sharedBy(config, engine)
  const common = rateLimits.all && makeTake(rateLimits.all, 'rate', shared)
  const own = new Map(
    rateClasses.flatMap((name) => {
      const limit = rateLimits[name]
      return limit ? [[name, makeTake(limit, `rate ${name}`, shared)] as const] : []
    }),
  )
  return async (client, rateClass, tell) => (own.get(rateClass) ?? common)?.(client, tell)
}
