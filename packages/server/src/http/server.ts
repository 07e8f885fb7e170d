/**
 * The HTTP server: one handler a route, and everything else answered in the same format. It knows routes and responses, and nothing
 * of resources.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { limits as allLimits, type Limits } from '../limits.ts'
import { makeHistogram, secondsBounds } from '../observe/histogram.ts'
import { type Meter, makeMeter } from '../observe/meter.ts'
import type { Tracing } from '../observe/request-span.ts'
import { makeCompress } from './compress.ts'
import { watchConnections } from './connections.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'
import { makeFastify, makeHttpServer } from './fastify.ts'
import type { Log } from './log.ts'
import { hasEmptySegment } from './message.ts'
import { type Load, watchLoad } from './overload.ts'
import { answerParserErrors, rawAnswer } from './parser-errors.ts'
import { allowedMethods, type PathTable, queryType } from './paths.ts'
import { makePeers } from './peers.ts'
import { type Answering, busy, makeRespond } from './respond.ts'
import { makeTurns } from './turns.ts'

export type HttpRoute = Omit<Answering, 'answer' | 'path'> & {
  readonly methods: readonly HTTPMethods[]
  readonly path: string
  answer(request: HttpRequest): Promise<HttpResponse>
}

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
  if (method === 'OPTIONS') {
    const headers = { allow: allow.join(', '), ...(allow.includes('QUERY') && { 'accept-query': queryType }) }
    return { status: 204, headers, body: null }
  }
  throw new ApiError('method-not-allowed', `${method} is not allowed here; allowed: ${allow.join(', ')}`, { allow })
}

/** Answers go out compressed to clients that take them so, unless the operator says otherwise. */
function compressing({ compression }: Config, limits: Limits): (route: HttpRoute) => Answering {
  if (!compression) return (route) => route
  const compress = makeCompress(limits)
  return (route) => ({ ...route, answer: async (request) => compress(request, await route.answer(request)) })
}

function countDelays(meter: Meter): (delayMs: number) => void {
  const delays = makeHistogram(secondsBounds)
  meter.add(() => [
    {
      name: 'bindery_event_loop_delay_seconds',
      help: 'How late a turn of the event loop came, ten times a second.',
      kind: 'histogram',
      bounds: secondsBounds,
      samples: [delays.read({})],
    },
  ])
  return (delayMs) => delays.add(delayMs / 1000)
}

type ServerParts = {
  readonly routes: readonly HttpRoute[]
  readonly meter?: Meter
  readonly tracing?: Tracing | undefined
  /** Those of the configuration, unless a test has its own. */
  readonly limits?: Limits
  readonly load?: Load
}

/** Limits, connections and what answers parser errors, around a server that has no routes yet. */
type Watched = { readonly limits: Limits; readonly meter: Meter; readonly makeRequestId: () => string }

function makeWatched(config: Config, { limits, meter, makeRequestId }: Watched) {
  const server = makeHttpServer(limits)
  const connections = watchConnections(server, {
    limits,
    meter,
    perAddressMax: config.connectionsPerAddressMax,
    peerOf: makePeers(config.trustProxy),
    refusal: () => rawAnswer(busy('connections'), makeRequestId()),
  })
  return { server, connections }
}

export async function makeServer(
  config: Config,
  log: Log,
  {
    routes,
    meter = makeMeter(),
    tracing,
    limits = allLimits,
    load = watchLoad(limits, countDelays(meter)),
  }: ServerParts,
): Promise<HttpServer> {
  const makeRequestId = makeRequestIds()
  let draining = false
  let preparing: Promise<void> | undefined
  const { server, connections } = makeWatched(config, { limits, meter, makeRequestId })
  const respond = makeRespond({
    config,
    limits,
    log,
    meter,
    tracing,
    makeRequestId,
    connections,
    isBusy: load.isBusy,
    draining: () => draining,
    preparing: () => preparing,
  })
  const unrouted: Answering = { answer: (request) => answerUnrouted(routes, request) }

  const fastify = await makeFastify(config, limits, {
    server,
    inTurn: (serve) => makeTurns({ server, connections, limits, meter }, serve),
    refuse: (request, reply, error) => respond(request, reply, { answer: () => Promise.reject(error) }),
  })
  const compressed = compressing(config, limits)
  for (const route of routes) {
    const { methods, path } = route
    const answering = compressed(route)
    fastify.route({
      method: methods.includes('GET') ? [...methods, 'HEAD'] : [...methods],
      url: path,
      handler: (request, reply) => respond(request, reply, hasEmptySegment(request) ? unrouted : answering),
    })
  }
  fastify.setNotFoundHandler((request, reply) => respond(request, reply, unrouted))
  await fastify.ready()
  server.removeAllListeners('clientError')
  answerParserErrors(server, connections.open, {
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
        await connections.close(0)
        load.stop()
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
      while (performance.now() < deadline && connections.areOwing())
        await new Promise((resolve) => setTimeout(resolve, 20))
      await connections.close(Math.max(100, deadline - performance.now()))
      load.stop()
    },
  }
}
