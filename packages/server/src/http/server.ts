/**
 * The HTTP server: one handler a route, and everything else answered in the same format. It knows routes and responses, and nothing
 * of resources.
 */
import type { Server } from 'node:http'
import type { Config } from '../config.ts'
import { limits as allLimits, type Limits } from '../limits.ts'
import { histogram } from '../observe/family.ts'
import { makeHistogram, secondsBounds } from '../observe/histogram.ts'
import { type Meter, makeMeter } from '../observe/meter.ts'
import type { Tracing } from '../observe/request-span.ts'
import { watchConnections } from './connections/connections.ts'
import { watchIdle } from './connections/idle.ts'
import { listenOn, makeHttpServer } from './connections/listener.ts'
import { type Load, watchLoad } from './connections/overload.ts'
import { answerParserErrors, rawAnswer } from './connections/parser-errors.ts'
import { makePeers } from './connections/peers.ts'
import { makeTurns } from './connections/turns.ts'
import type { Log } from './logs/log.ts'
import { makeRequestIds } from './logs/request-ids.ts'
import { makeCompress } from './messages/compress.ts'
import type { HttpRequest, HttpResponse } from './messages/exchange.ts'
import { makeTrusts, type Trusts } from './proxies.ts'
import { type Answering, busy, makeRespond } from './respond.ts'
import { type Method, makeRouter } from './router.ts'
import { answerUnrouted } from './unrouted.ts'

export type HttpRoute = Omit<Answering, 'answer' | 'path'> & {
  readonly methods: readonly Method[]
  readonly path: string
  answer(request: HttpRequest): HttpResponse | Promise<HttpResponse>
}

export type HttpServer = {
  readonly http: Server
  /** Returns the address, `http://127.0.0.1:3000`. The port is taken first; requests then wait for their responses until `prepare` is done. */
  listen(prepare?: () => Promise<void>): Promise<string>
  /** Stops being ready, lets requests in flight finish, and resolves when every connection is closed. */
  drain(): Promise<void>
}

/** Answers go out compressed to clients that take them so, unless the operator says otherwise. */
function compressing({ compression }: Config, limits: Limits): (route: HttpRoute) => Answering {
  if (!compression) return (route) => route
  const compress = makeCompress(limits)
  return (route) => ({
    ...route,
    answer(request) {
      const answered = route.answer(request)
      if (answered instanceof Promise) return answered.then((response) => compress(request, response))
      return compress(request, answered)
    },
  })
}

function makeFind(routes: readonly HttpRoute[], compressed: (route: HttpRoute) => Answering, limits: Limits) {
  const declared = routes.map((route) => ({
    methods: route.methods.includes('GET') ? [...route.methods, 'HEAD' as const] : route.methods,
    path: route.path,
    value: compressed(route),
  }))
  return makeRouter(declared, limits.urlBytesMax)
}

function countDelays(meter: Meter): (delayMs: number) => void {
  const delays = makeHistogram(secondsBounds)
  meter.add(() => [
    histogram('bindery_event_loop_delay_seconds', 'How late a turn of the event loop came, ten times a second.', {
      bounds: secondsBounds,
      samples: [delays.read({})],
    }),
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
type Watched = {
  readonly limits: Limits
  readonly meter: Meter
  readonly trusts: Trusts | undefined
  readonly makeRequestId: () => string
}

function makeWatched(config: Config, { limits, meter, trusts, makeRequestId }: Watched) {
  const peerOf = makePeers(trusts)
  const { server, arrivals } = makeHttpServer(limits, peerOf)
  const connections = watchConnections(server, {
    limits,
    meter,
    perAddressMax: config.connectionsPerAddressMax,
    peerOf,
    refusal: () => rawAnswer(busy('connections'), makeRequestId()),
  })
  return { server, arrivals, connections, stopWatching: watchIdle(connections, limits) }
}

export function makeServer(
  config: Config,
  log: Log,
  {
    routes,
    meter = makeMeter(),
    tracing,
    limits = allLimits,
    load = watchLoad(limits, countDelays(meter)),
  }: ServerParts,
): HttpServer {
  const makeRequestId = makeRequestIds()
  let draining = false
  let preparing: Promise<void> | undefined
  const trusts = makeTrusts(config.trustProxy)
  const { server, arrivals, connections, stopWatching } = makeWatched(config, { limits, meter, trusts, makeRequestId })
  const respond = makeRespond({
    config,
    limits,
    find: makeFind(routes, compressing(config, limits), limits),
    unrouted: { answer: async (request) => answerUnrouted(routes, request) },
    trusts,
    log,
    meter,
    tracing,
    makeRequestId,
    connections,
    arrivals,
    isBusy: load.isBusy,
    draining: () => draining,
    preparing: () => preparing,
  })
  const serve = makeTurns({ server, connections, limits, meter }, respond)
  // Node has events of their own for requests with `Expect`, which it would answer by itself. An
  // expectation that is unknown is ignored (RFC 9110, section 10.1.1).
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, serve)
  answerParserErrors(server, connections.open, {
    makeRequestId,
    refused: (requestId, error) => log.warn(error.message, { requestId, code: error.code }),
  })

  const stop = () => {
    stopWatching()
    load.stop()
  }
  return {
    http: server,
    async listen(prepare) {
      const prepared = Promise.withResolvers<void>()
      if (prepare) preparing = prepared.promise
      const address = await listenOn(server, { ...config, limits })
      try {
        await prepare?.()
      } catch (error) {
        await connections.close(0)
        stop()
        throw error
      }
      preparing = undefined
      prepared.resolve()
      return address
    },
    async drain() {
      draining = true
      const deadline = performance.now() + limits.drainMsMax
      await new Promise((resolve) => setTimeout(resolve, limits.lameDuckMs))
      while (performance.now() < deadline && connections.areOwing())
        await new Promise((resolve) => setTimeout(resolve, 20))
      await connections.close(Math.max(100, deadline - performance.now()))
      stop()
    },
  }
}
