/**
 * The HTTP server: one handler a route, and everything else answered in the same format. It knows routes and responses, and nothing
 * of resources.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import { type Connections, watchConnections } from './connections.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'
import { makeFastify } from './fastify.ts'
import type { Log } from './log.ts'
import { hasEmptySegment } from './message.ts'
import { answerParserErrors } from './parser-errors.ts'
import { allowedMethods, type PathTable } from './paths.ts'
import { type Answer, makeRespond } from './respond.ts'

export type HttpRoute = { readonly methods: readonly HTTPMethods[]; readonly path: string; readonly answer: Answer }

export type HttpServer = {
  readonly fastify: FastifyInstance
  /** Returns the address, `http://127.0.0.1:3000`. The port is taken first; requests then wait for their responses until `prepare` is done. */
  listen(prepare?: () => Promise<void>): Promise<string>
  /** Stops being ready, lets requests in flight finish, and resolves when every connection is closed. */
  drain(): Promise<void>
}

/** While draining, new requests are still answered for this long: a load balancer needs a moment to see that we are not ready. */
const lameDuckMs = 300

function makeRequestIds(): () => string {
  const process = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${process}-${(count++).toString(36)}`
}

/** No route matched: either the path is unknown, or it has only other methods. */
async function answerUnrouted(paths: PathTable, { method, path }: HttpRequest): Promise<HttpResponse> {
  const allow = allowedMethods(paths, path)
  if (allow.length === 0) throw new ApiError('not-found', 'Not found')
  if (method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') }, body: null }
  throw new ApiError('method-not-allowed', `${method} is not allowed here; allowed: ${allow.join(', ')}`, { allow })
}

export async function makeServer(config: Config, log: Log, routes: readonly HttpRoute[]): Promise<HttpServer> {
  const makeRequestId = makeRequestIds()
  let connections: Connections | undefined
  let draining = false
  let preparing: Promise<void> | undefined
  const inFlight = () => connections?.inFlight() ?? 0
  const respond = makeRespond({
    config,
    log,
    makeRequestId,
    inFlight,
    draining: () => draining,
    preparing: () => preparing,
  })
  const unrouted: Answer = (request) => answerUnrouted(routes, request)

  const fastify = await makeFastify(config, (request, reply, error) =>
    respond(request, reply, () => Promise.reject(error)),
  )
  for (const { methods, path, answer } of routes) {
    fastify.route({
      method: methods.includes('GET') ? [...methods, 'HEAD'] : [...methods],
      url: path,
      handler: (request, reply) => respond(request, reply, hasEmptySegment(request) ? unrouted : answer),
    })
  }
  fastify.setNotFoundHandler((request, reply) => respond(request, reply, unrouted))
  await fastify.ready()
  fastify.server.removeAllListeners('clientError')
  connections = watchConnections(fastify.server)
  answerParserErrors(fastify.server, connections.open, {
    makeRequestId,
    refused: (requestId, error) => log.warn(error.message, { requestId, code: error.code }),
  })

  return {
    fastify,
    async listen(prepare) {
      const prepared = Promise.withResolvers<void>()
      if (prepare) preparing = prepared.promise
      const address = await fastify.listen({ port: config.port, host: config.host })
      try {
        await prepare?.()
      } catch (error) {
        await connections?.close(0)
        throw error
      }
      preparing = undefined
      prepared.resolve()
      return address
    },
    async drain() {
      draining = true
      const deadline = performance.now() + limits.drainMsMax
      await new Promise((resolve) => setTimeout(resolve, lameDuckMs))
      while (performance.now() < deadline && inFlight() > 0) await new Promise((resolve) => setTimeout(resolve, 20))
      await connections?.close(Math.max(100, deadline - performance.now()))
    },
  }
}
