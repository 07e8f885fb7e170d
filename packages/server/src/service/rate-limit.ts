/**
 * How many requests a client may make (`RATE_LIMIT`), of all kinds or of one. One process counts in its memory; several count together in their database, and each
 * for itself while that is unreachable: a lost database must not shut out requests that do not need it.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { ApiError, tooManyRequests } from '../errors.ts'
import type { TakeRate } from '../http/identify-caller.ts'
import { type RateLimit, rateClasses } from '../network-settings.ts'
import type { Engine } from '../perform/engine.ts'

function refuse(msBeforeNext: number): never {
  throw tooManyRequests('Too many requests, try again later', msBeforeNext)
}

type Take = (client: string) => Promise<void>

/** `name` tells the counts of one limit from those of another. */
function makeTake({ points, windowSeconds }: RateLimit, name: string, shared: Engine | undefined): Take {
  const memory = new RateLimiterMemory({ points, duration: windowSeconds })

  async function takeOwn(client: string): Promise<void> {
    try {
      await memory.consume(client)
    } catch (refused) {
      refuse(refused instanceof RateLimiterRes ? refused.msBeforeNext : 1000)
    }
  }
  if (!shared) return takeOwn

  const { storage, clock } = shared
  return async (client) => {
    const nowMs = clock()
    const counted = await storage.countUp(`${name} ${client}`, windowSeconds * 1000, nowMs).catch((error) => {
      if (error instanceof ApiError && error.code === 'unavailable') return undefined
      throw error
    })
    if (!counted) return takeOwn(client)
    if (counted.count > points) refuse(counted.resetAtMs - nowMs)
  }
}

/** Undefined when there is no limit. Throws `too-many-requests`. */
export function makeRate({ rateLimits, database, workers }: Config, engine: Engine): TakeRate | undefined {
  if (!rateLimits) return undefined
  const shared = database.kind.isShared || workers > 1 ? engine : undefined
  const common = rateLimits.all && makeTake(rateLimits.all, 'rate', shared)
  const own = new Map(
    rateClasses.flatMap((name) => {
      const limit = rateLimits[name]
      return limit ? [[name, makeTake(limit, `rate ${name}`, shared)] as const] : []
    }),
  )
  return async (client, rateClass) => (own.get(rateClass) ?? common)?.(client)
}
