/**
 * How many requests a client may make (`RATE_LIMIT`). One process counts in its memory; several count together in their database, and each
 * for itself while that is unreachable: a lost database must not shut out requests that do not need it.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../config.ts'
import { ApiError, tooManyRequests } from '../errors.ts'
import type { TakeRate } from '../http/identify-caller.ts'
import type { Engine } from '../perform/engine.ts'

function refuse(msBeforeNext: number): never {
  throw tooManyRequests('Too many requests, try again later', msBeforeNext)
}

/** Undefined when there is no limit. Throws `too-many-requests`. */
export function makeRate(config: Config, { storage, clock }: Engine): TakeRate | undefined {
  if (!config.rateLimit) return undefined
  const { points, windowSeconds } = config.rateLimit
  const memory = new RateLimiterMemory({ points, duration: windowSeconds })
  const isShared = config.database.kind.isShared || config.workers > 1

  async function takeOwn(client: string): Promise<void> {
    try {
      await memory.consume(client)
    } catch (refused) {
      refuse(refused instanceof RateLimiterRes ? refused.msBeforeNext : 1000)
    }
  }
  if (!isShared) return takeOwn

  return async (client) => {
    const nowMs = clock()
    const counted = await storage.countUp(`rate ${client}`, windowSeconds * 1000, nowMs).catch((error) => {
      if (error instanceof ApiError && error.code === 'unavailable') return undefined
      throw error
    })
    if (!counted) return takeOwn(client)
    if (counted.count > points) refuse(counted.resetAtMs - nowMs)
  }
}
