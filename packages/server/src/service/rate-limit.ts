/**
 * How many requests a client may make (`RATE_LIMIT`). One process counts in its memory; several count together in their database, and each
 * for itself while that is unreachable: a lost database must not shut out requests that do not need it. Every answer says what is left
 * (draft-ietf-httpapi-ratelimit-headers-10).
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { ApiError, tooManyRequests } from '../errors.ts'
import type { TakeRate } from '../http/identify-caller.ts'
import type { Engine } from '../perform/engine.ts'

function refuse(msBeforeNext: number): never {
  throw tooManyRequests('Too many requests, try again later', msBeforeNext)
}

/** What is left, and in how many milliseconds the window ends. */
type Left = { readonly remaining: number; readonly msBeforeNext: number }

/** Undefined when there is no limit. Throws `too-many-requests`. */
export function makeRate(config: Config, { storage, clock }: Engine): TakeRate | undefined {
  if (!config.rateLimit) return undefined
  const { points, windowSeconds } = config.rateLimit
  const memory = new RateLimiterMemory({ points, duration: windowSeconds })
  const isShared = config.database.kind.isShared || config.workers > 1
  const policy = `"default";q=${points};w=${windowSeconds}`

  async function takeOwn(client: string): Promise<Left> {
    try {
      const { remainingPoints, msBeforeNext } = await memory.consume(client)
      return { remaining: remainingPoints, msBeforeNext }
    } catch (refused) {
      return { remaining: -1, msBeforeNext: refused instanceof RateLimiterRes ? refused.msBeforeNext : 1000 }
    }
  }

  async function takeShared(client: string): Promise<Left> {
    const nowMs = clock()
    const counted = await storage.countUp(`rate ${client}`, windowSeconds * 1000, nowMs).catch((error) => {
      if (error instanceof ApiError && error.code === 'unavailable') return undefined
      throw error
    })
    if (!counted) return takeOwn(client)
    return { remaining: points - counted.count, msBeforeNext: counted.resetAtMs - nowMs }
  }

  return async (client, tell) => {
    const { remaining, msBeforeNext } = await (isShared ? takeShared(client) : takeOwn(client))
    tell?.('RateLimit-Policy', policy)
    tell?.('RateLimit', `"default";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(msBeforeNext / 1000))}`)
    if (remaining < 0) refuse(msBeforeNext)
  }
}
