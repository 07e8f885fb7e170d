/**
 * Serves one request from its parsed head to its response. It finds the handler, waits for a turn,
 * turns thrown errors into responses, and logs the request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { ApiError, type RefusalLimit, toApiError } from '../errors.ts'
import type { ServerLimits } from '../limits.ts'
import type { Meter } from '../observe/meter.ts'
import { makeRequestMeasurements, type RequestMeasurements } from '../observe/request-measurements.ts'
import type { Tracing } from '../observe/request-span.ts'
import { requestIdOf, traceContextOf } from '../observe/trace-context.ts'
import { type HttpClientInfo, makeClientInfoOf } from './client-info.ts'
import type { AcceptQueue } from './connections/accept-burst.ts'
import { type ConnectionTable, hasQueuedRequests } from './connections/connections.ts'
import type { HttpConnection } from './connections/one-connection.ts'
import { makeBudget, type SharedBudget } from './connections/shared-budget.ts'
import { clientLeft, type FinishedRequest, makeEnded, makeSendLasting } from './finished-request.ts'
import { makeCheckHost } from './hosts.ts'
import { makeFaultLog } from './logs/fault-log.ts'
import type { Log } from './logs/log.ts'
import { makeCors } from './messages/cors.ts'
import { representError } from './messages/error-response.ts'
import type { HttpRequest, HttpResponse } from './messages/exchange.ts'
import {
  checkMessage,
  discardRest,
  hasBody,
  invitationOf,
  type RequestTarget,
  targetOf,
  toRequest,
} from './messages/message.ts'
import type { UnreadBody } from './messages/whole-body.ts'
import { ClientLeftError, makeWriteResponse, type ResponseEnvelope } from './messages/write-response.ts'
import { failBody } from './node/undocumented-node.ts'
import type { TrustsProxy } from './proxies.ts'
import type { MatchRoute, RouteMatch } from './router.ts'

/** Answers at once where it need not wait: each wait costs as much as a step of the request. */
export type RequestHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
/**
 * The handler of a request. Health routes are always answered: they are not counted, and never
 * refused because the server is busy.
 */
export type RouteHandler = {
  readonly answer: RequestHandler
  readonly isHealth?: boolean
  /** The declared path: `/things/:id`. Undefined for a handler that answers any path. */
  readonly path?: string
}

export type RespondDeps = {
  readonly config: Config
  readonly limits: ServerLimits
  /** The handler of a method at a path; undefined where no route matches. */
  readonly find: MatchRoute<RouteHandler>
  readonly unrouted: RouteHandler
  readonly trusts: TrustsProxy | undefined
  readonly log: Log
  readonly meter: Meter
  /** Undefined where tracing is off. */
  readonly tracing?: Tracing | undefined
  readonly makeRequestId: () => string
  readonly connections: ConnectionTable
  readonly arrivals: AcceptQueue
  /** Whether the process is overloaded. */
  isBusy(): boolean
  draining(): boolean
  /** Resolves when requests may be answered. Undefined from then on. */
  preparing(): Promise<void> | undefined
}

function hasLeft({ socket }: IncomingMessage, answer: ServerResponse): boolean {
  return socket.destroyed && !answer.writableFinished
}

export function busy(bound: RefusalLimit = 'overload'): ApiError {
  return new ApiError('unavailable', 'The server is busy, try again', { retryAfterSeconds: 1, bound })
}

/**
 * Also finds the handler of a request without a route, and of one whose path cannot be read. The
 * latter is refused when its turn comes.
 */
function makeFindAnswering({ find, unrouted }: Pick<RespondDeps, 'find' | 'unrouted'>) {
  const parameters = {}
  return ({ method = '' }: IncomingMessage, { path }: RequestTarget): RouteMatch<RouteHandler> => {
    try {
      return find(method, path) ?? { value: unrouted, parameters }
    } catch (error) {
      return { value: { answer: () => Promise.reject(error) }, parameters }
    }
  }
}

type RequestStart = Pick<RequestMeasurements, 'requestId' | 'route' | 'watch'> & {
  readonly startedMs: number
  readonly tracing: Tracing | undefined
}

function noteOf(
  { raw: { headers, method = '' }, reply, isHealth }: RawExchange,
  { tracing, requestId, route, startedMs, watch }: RequestStart,
): RequestMeasurements {
  const parent = headers.traceparent === undefined ? undefined : traceContextOf(headers)
  const note = makeRequestMeasurements({ requestId, route, startedMs, watch, traceId: parent?.traceId })
  if (!tracing || isHealth) return note
  note.span = tracing.begin(note, { method, parent, startedMs })
  note.traceId = note.span?.traceId
  if (note.span) reply.setHeader('traceresponse', note.span.header)
  return note
}

type RawExchange = {
  readonly raw: IncomingMessage
  readonly reply: ServerResponse
  readonly isHealth: boolean | undefined
  readonly invite: UnreadBody['invite']
}

/**
 * The status to log for a response that failed midway; undefined where the status that was sent
 * stays.
 */
function makeStatusWithout(log: Log): (error: unknown, requestId: string) => number | undefined {
  return (error, requestId) => {
    if (error instanceof ClientLeftError) return clientLeft
    log.error('The answer could not be finished', error, { requestId })
    return undefined
  }
}

type AdmitOptions = Pick<RespondDeps, 'config' | 'limits' | 'connections' | 'isBusy'>

/**
 * A request counts as in work once its body has arrived, so slow senders take no slot. Throws
 * `unavailable`.
 */
function makeAdmit({ config, limits, connections, isBusy }: AdmitOptions) {
  const checkHost = makeCheckHost(config)
  return ({ raw, reply, isHealth }: RawExchange, connection: HttpConnection): void => {
    checkMessage(raw)
    if (isHealth) return
    checkHost?.(raw)
    if (connection.isExtra || connections.inWork() >= limits.requestsInFlightMax || isBusy()) throw busy()
    if (!hasBody(raw)) connections.begin(connection)
    else {
      raw.once('end', () => {
        if (connection.current === reply && !reply.headersSent) connections.begin(connection)
      })
    }
  }
}

type KnownFinished = Pick<FinishedRequest, 'connection' | 'startedMs' | 'status'> & {
  readonly target: RequestTarget
  readonly client: HttpClientInfo
}

function finishedOf({ method = '' }: IncomingMessage, { target, client, ...known }: KnownFinished): FinishedRequest {
  return { ...known, method, path: target.path, address: client.address }
}

function discardHalfRead(raw: IncomingMessage): void {
  if (raw.readableDidRead) discardRest(raw)
}

/**
 * The promise for which a request waits; undefined where it need not wait. Requests of a trusted
 * proxy take turns by the address that the proxy reports. Any other request had its turn when its
 * connection was read.
 */
function makeReady({ trusts, arrivals, preparing }: Pick<RespondDeps, 'trusts' | 'arrivals' | 'preparing'>) {
  if (!trusts) return preparing
  return ({ client: own }: HttpConnection, { address }: HttpClientInfo) =>
    preparing() ?? (trusts(own.address, 0) ? arrivals.turn(address) : undefined)
}

/** The bytes of all bodies that are not complete. */
function holdBodies({ bodiesBytesMax }: ServerLimits, meter: Meter): SharedBudget<Readable> {
  const holding = makeBudget<Readable>({
    amountMax: bodiesBytesMax,
    cut: (stream) => failBody(stream as IncomingMessage, busy('request-bodies')),
  })
  meter.budget({ name: 'request-bodies', max: bodiesBytesMax, used: holding.total })
  return holding
}

/**
 * Returns the handler of Node's requests: it serves each from its head to its end, and catches
 * every error.
 */
export function makeRespond(responding: RespondDeps): (raw: IncomingMessage, reply: ServerResponse) => void {
  const { config, limits, trusts, log, meter, tracing, makeRequestId, connections, draining } = responding
  const writeAnswer = makeWriteResponse(connections, limits)
  const admit = makeAdmit(responding)
  const logFault = makeFaultLog(log)
  const ended = makeEnded(responding)
  const sendLasting = makeSendLasting(writeAnswer, ended)
  const statusWithout = makeStatusWithout(log)
  const findAnswering = makeFindAnswering(responding)
  const clientOf = makeClientInfoOf({ trusts, placeHeader: config.placeHeader })
  const ready = makeReady(responding)
  const addCors = makeCors(config)
  const holding = holdBodies(limits, meter)

  /** Sends the error as the response. Rethrows it when part of a response has been sent. */
  async function refuse({ raw, reply }: RawExchange, thrown: unknown, envelope: ResponseEnvelope): Promise<number> {
    if (reply.headersSent) throw thrown
    const error = toApiError(thrown)
    meter.failed(error)
    logFault(error, envelope.requestId)
    const response = representError(error, envelope.requestId, raw)
    // A client that was too slow may never send the rest: RFC 9110, section 15.5.9.
    const isCut = error.code === 'timeout' || raw.errored !== null
    const close = envelope.close || envelope.connection.isExtra || isCut
    await writeAnswer.whole(reply, response, { ...envelope, close })
    if (error.code === 'too-large' || raw.readableDidRead) discardRest(raw)
    return response.status
  }

  async function respond(raw: IncomingMessage, reply: ServerResponse): Promise<void> {
    const startedMs = performance.now()
    const connection = connections.open.get(raw.socket)
    if (!connection) return // it has just been closed
    const target = targetOf(raw)
    const { value: answering, parameters } = findAnswering(raw, target)
    const { answer, isHealth, path: route } = answering
    const exchange = { raw, reply, isHealth, invite: invitationOf(raw, reply) }
    const requestId = requestIdOf(raw.headers) ?? makeRequestId()
    const watch = meter.requests()?.stageWatch(startedMs)
    const note = noteOf(exchange, { requestId, route, startedMs, watch, tracing })
    const client = clientOf(raw, connection)
    const finishedAs = (as: number) => finishedOf(raw, { connection, target, client, startedMs, status: as })
    let status = 500
    try {
      addCors?.(raw, reply)
      const wait = ready(connection, client)
      if (wait) await wait
      // Requests that wait on this connection are owed an answer too.
      const close = draining() && !hasQueuedRequests(connection)
      const headOnly = raw.method === 'HEAD'
      const envelope = { headOnly, isTls: client.protocol === 'https', requestId, close, connection }
      try {
        admit(exchange, connection)
        const tell: HttpRequest['tell'] = (name, value) => void reply.setHeader(name, value)
        const { departure } = connection
        const known = { id: requestId, target, parameters, client, departure, tell, note, holding }
        const answered = answer(toRequest(exchange, known))
        const response = answered instanceof Promise ? await answered : answered
        status = response.status
        if (sendLasting(reply, response, { envelope, note, finished: finishedAs(status) })) return
        const sending = writeAnswer.whole(reply, response, envelope)
        if (sending) await sending
        discardHalfRead(raw)
      } catch (thrown) {
        status = await refuse(exchange, thrown, envelope)
      }
      if (hasLeft(raw, reply)) status = clientLeft
    } catch (error) {
      reply.destroy()
      status = statusWithout(error, requestId) ?? status
    }
    ended(note, finishedAs(status))
  }

  if (!tracing) return (raw, reply) => void respond(raw, reply)
  return (raw, reply) => void tracing.run(() => respond(raw, reply))
}
