/**
 * The HTTP server: sends each request to the handler of its route, and answers all others in the
 * same error format. It knows nothing of resources.
 */
import type { Server } from 'node:http'
import type { Config } from '../config.ts'
import { limits as allLimits, type ServerLimits } from '../limits.ts'
import { makeHistogram, secondsBounds } from '../observe/histogram.ts'
import { type Meter, makeMeter } from '../observe/meter.ts'
import { histogram } from '../observe/metric-family.ts'
import type { Tracing } from '../observe/request-span.ts'
import { makeAddressGroupOf } from './connections/address-group.ts'
import { trackConnections } from './connections/connections.ts'
import { closeIdleConnections } from './connections/idle-timeout.ts'
import { listenOn, makeHttpServer } from './connections/listener.ts'
import { type LoadMonitor, monitorLoad } from './connections/overload.ts'
import { answerParserErrors, rawAnswer } from './connections/parser-errors.ts'
import { makePipelining } from './connections/pipelining.ts'
import type { Log } from './logs/log.ts'
import { makeRequestIds } from './logs/request-ids.ts'
import { makeCompress } from './messages/compress.ts'
import type { HttpRequest, HttpResponse } from './messages/exchange.ts'
import { answerWhole } from './messages/late-body.ts'
import { makeTrustsProxy, type TrustsProxy } from './proxies.ts'
import { busy, makeRespond, type RouteHandler } from './respond.ts'
import { type HttpMethod, makeRouter } from './router.ts'
import { answerUnrouted } from './unrouted.ts'

export type HttpRoute = Omit<RouteHandler, 'answer' | 'path'> & {
  readonly methods: readonly HttpMethod[]
  readonly path: string
  /** The headers of an answer to `OPTIONS`. */
  readonly optionHeaders?: Readonly<Record<string, string>>
  answer(request: HttpRequest): HttpResponse | Promise<HttpResponse>
}

export type HttpServer = {
  readonly http: Server
  /**
   * Returns the address, `http://127.0.0.1:3000`. The server takes the port first; requests then
   * wait until `prepare` is done.
   */
  listen(prepare?: () => Promise<void>): Promise<string>
  /**
   * Stops being ready, lets requests in flight finish, and resolves when every connection is
   * closed.
   */
  drain(): Promise<void>
}

/** Responses are compressed for clients that accept it, unless the operator says otherwise. */
function compressing({ compression }: Config, limits: ServerLimits): (route: HttpRoute) => RouteHandler {
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

function makeFind(routes: readonly HttpRoute[], compressed: (route: HttpRoute) => RouteHandler, limits: ServerLimits) {
  const declared = routes.map((route) => ({
    methods: route.methods.includes('GET') ? [...route.methods, 'HEAD' as const] : route.methods,
    path: route.path,
    value: compressed({ ...route, answer: answerWhole(route.answer) }),
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
  /** The limits of the configuration, unless a test passes its own. */
  readonly limits?: ServerLimits
  readonly load?: LoadMonitor
}

/** Limits, connections and the handling of parser errors, around a server without routes. */
type ServerCore = {
  readonly limits: ServerLimits
  readonly meter: Meter
  readonly trusts: TrustsProxy | undefined
  readonly makeRequestId: () => string
}

function makeWatched(config: Config, { limits, meter, trusts, makeRequestId }: ServerCore) {
  const peerOf = makeAddressGroupOf(trusts)
  const { server, arrivals } = makeHttpServer(limits, peerOf)
  const connections = trackConnections(server, {
    limits,
    meter,
    perAddressMax: config.connectionsPerAddressMax,
    addressGroupOf: peerOf,
    refusal: () => rawAnswer(busy('connections'), makeRequestId()),
  })
  return { server, arrivals, connections, stopWatching: closeIdleConnections(connections, limits) }
}

export function makeServer(
  config: Config,
  log: Log,
  {
    routes,
    meter = makeMeter(),
    tracing,
    limits = allLimits,
    load = monitorLoad(limits, countDelays(meter)),
  }: ServerParts,
): HttpServer {
  const makeRequestId = makeRequestIds()
  let draining = false
  let preparing: Promise<void> | undefined
  const trusts = makeTrustsProxy(config.trustProxy)
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
  const serve = makePipelining({ server, connections, limits, meter }, respond)
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
