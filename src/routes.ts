/** Every path that the server answers: resources, authentication, GraphQL, documents and health. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Config } from './config.ts'
import { ApiError } from './errors.ts'
import type { Log } from './http/log.ts'
import type { HttpRoute } from './http/server.ts'
import { type Journey, type TakeRate, travel } from './journey.ts'
import type { Engine } from './perform/engine.ts'
import { makeAuthRoutes } from './rest/auth.ts'
import { json } from './rest/exchange.ts'
import { makeRoutes } from './rest/route.ts'

function makeRate(config: Config): TakeRate | undefined {
  if (!config.rateLimit) return undefined
  const limiter = new RateLimiterMemory({ points: config.rateLimit.points, duration: config.rateLimit.windowSeconds })
  return async (client) => {
    try {
      await limiter.consume(client)
    } catch (refused) {
      const ms = (refused as { msBeforeNext?: number }).msBeforeNext ?? 1000
      throw new ApiError('too-many-requests', 'Too many requests, try again later', { retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)) })
    }
  }
}

function healthRoutes(engine: Engine, state: { readonly draining: boolean }): HttpRoute[] {
  return [
    { methods: ['GET'], path: '/livez', answer: async () => json(200, { status: 'ok' }) },
    {
      methods: ['GET'],
      path: '/readyz',
      async answer() {
        if (state.draining) throw new ApiError('unavailable', 'Draining', { retryAfterSeconds: 1 })
        try {
          await engine.storage.check()
        } catch (cause) {
          throw new ApiError('unavailable', 'The database cannot be reached', { cause, retryAfterSeconds: 1 })
        }
        return json(200, { status: 'ok' })
      },
    },
  ]
}

export function makeHttpRoutes(engine: Engine, config: Config, _log: Log, state: { readonly draining: boolean }): HttpRoute[] {
  const journey: Journey = { engine, takeRate: makeRate(config) }
  const auth = makeAuthRoutes({ sessions: engine.identity.sessions, cookieSecure: config.cookieSecure, corsOrigins: config.corsOrigins })
  return [
    ...makeRoutes(engine.catalog).map(
      (route): HttpRoute => ({ methods: [route.method], path: route.path, answer: (request) => travel(journey, route, request) }),
    ),
    ...auth.map(({ method, path, answer }): HttpRoute => ({ methods: [method], path, answer })),
    ...healthRoutes(engine, state),
  ]
}
