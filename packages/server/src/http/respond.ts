/** One request → one response on its socket, whatever happens: the place that catches errors and logs requests. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { ApiError, type Bound } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Meter } from '../observe/meter.ts'
import { makeNote, mark, type RequestNote } from '../observe/request-note.ts'
import type { Tracing } from '../observe/request-span.ts'
import { requestIdOf, traceContextOf } from '../observe/trace-context.ts'
import { type Client, makeClientOf } from './client.ts'
import type { Arrivals } from './connections/arrivals.ts'
import { type Connections, hasMore } from './connections/connections.ts'
import type { Connection } from './connections/one-connection.ts'
import { makeBudget } from './connections/shared-budget.ts'
import { makeCheckHost } from './hosts.ts'
import { makeFaultLog } from './logs/fault-log.ts'
import type { Log } from './logs/log.ts'
import { ClientLeftError, type Envelope, makeWriteAnswer } from './messages/answer.ts'
import { makeCors } from './messages/cors.ts'
import { representError, toApiError } from './messages/error-answer.ts'
import type { HttpRequest, SentResponse } from './messages/exchange.ts'
import type { Body } from './messages/gather.ts'
import {
  checkMessage,
  discardRest,
  hasBody,
  invitationOf,
  type Target,
  targetOf,
  toRequest,
} from './messages/message.ts'
import { failBody } from './node/insides.ts'
import type { Trusts } from './proxies.ts'
import type { Find, Found } from './router.ts'

/** Answers at once where nothing has to be waited for: each wait costs as much as a step of the request. */
export type Answer = (request: HttpRequest) => SentResponse | Promise<SentResponse>
/** What answers a request. Health is answered always: it is not counted, and never refused because the server is busy. */
export type Answering = {
  readonly answer: Answer
  readonly isHealth?: boolean
  /** Where it was declared: `/things/:id`. Undefined for what answers any path. */
  readonly path?: string
}

export type Responding = {
  readonly config: Config
  readonly limits: Limits
  /** What answers a method at a path; undefined where no route does. */
  readonly find: Find<Answering>
  readonly unrouted: Answering
  readonly trusts: Trusts | undefined
  readonly log: Log
  readonly meter: Meter
  /** Undefined where there are no traces. */
  readonly tracing?: Tracing | undefined
  readonly makeRequestId: () => string
  readonly connections: Connections
  readonly arrivals: Arrivals
  /** Whether the process has more to do than it can. */
  isBusy(): boolean
  draining(): boolean
  /** Resolves when requests may be answered. Undefined from then on. */
  preparing(): Promise<void> | undefined
}

/** Only in the log: the client disconnected before it had the whole response. What it asked for may have been done. */
const clientLeft = 499

function hasLeft({ socket }: IncomingMessage, answer: ServerResponse): boolean {
  return socket.destroyed && !answer.writableFinished
}

export function busy(bound: Bound = 'overload'): ApiError {
  return new ApiError('unavailable', 'The server is busy, try again', { retryAfterSeconds: 1, bound })
}

/** Of a request that no route has, and of one whose path cannot be read: that is refused when its turn to be answered comes. */
function makeFindAnswering({ find, unrouted }: Pick<Responding, 'find' | 'unrouted'>) {
  const parameters = {}
  return ({ method = '' }: IncomingMessage, { path }: Target): Found<Answering> => {
    try {
      return find(method, path) ?? { value: unrouted, parameters }
    } catch (error) {
      return { value: { answer: () => Promise.reject(error) }, parameters }
    }
  }
}

type Ended = {
  readonly connection: Connection
  readonly method: string
  readonly path: string
  readonly status: number
  readonly startedMs: number
  readonly address: string
}

type Known = Pick<RequestNote, 'requestId' | 'route' | 'watch'> & {
  readonly startedMs: number
  readonly tracing: Tracing | undefined
}

function noteOf(
  { raw: { headers, method = '' }, reply, isHealth }: Exchange,
  { tracing, requestId, route, startedMs, watch }: Known,
): RequestNote {
  const parent = headers.traceparent === undefined ? undefined : traceContextOf(headers)
  const note = makeNote({ requestId, route, startedMs, watch, traceId: parent?.traceId })
  if (!tracing || isHealth) return note
  note.span = tracing.begin(note, { method, parent, startedMs })
  note.traceId = note.span?.traceId
  if (note.span) reply.setHeader('traceresponse', note.span.header)
  return note
}

type Exchange = {
  readonly raw: IncomingMessage
  readonly reply: ServerResponse
  readonly isHealth: boolean | undefined
  readonly invite: Body['invite']
}

/** The status, for the log, of an answer that could not be finished; undefined where it stays. */
function makeStatusWithout(log: Log): (error: unknown, requestId: string) => number | undefined {
  return (error, requestId) => {
    if (error instanceof ClientLeftError) return clientLeft
    log.error('The answer could not be finished', error, { requestId })
    return undefined
  }
}

type Admitting = Pick<Responding, 'config' | 'limits' | 'connections' | 'isBusy'>

/** A request is in work from when its body is there: who sends slowly takes nobody's place. Throws `unavailable`. */
function makeAdmit({ config, limits, connections, isBusy }: Admitting) {
  const checkHost = makeCheckHost(config)
  return ({ raw, reply, isHealth }: Exchange, connection: Connection): void => {
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

/** Tells everybody who wants to know what is known of a request when it is over. One look at the clock says to all of them when that is. */
function makeEnded({ log, meter, connections }: Pick<Responding, 'log' | 'meter' | 'connections'>) {
  return (note: RequestNote, { connection, startedMs, method, path, status, address }: Ended): void => {
    mark(note, 'send')
    const endedMs = note.watch ? note.lastMs : performance.now()
    connections.end(connection, endedMs)
    const ms = Math.round((endedMs - startedMs) * 1000) / 1000
    meter.requests()?.answered(note, { method, status, ms })
    note.span?.answered(note, status)
    log.request({ note, method, path, status, address, ms })
  }
}

/**
 * Until when a request waits; undefined where it need not. Requests of a trusted proxy take turns
 * by the address that it reports; any other request had its turn when its connection was read.
 */
function makeReady({ trusts, arrivals, preparing }: Pick<Responding, 'trusts' | 'arrivals' | 'preparing'>) {
  if (!trusts) return preparing
  return ({ client: own }: Connection, { address }: Client) =>
    preparing() ?? (trusts(own.address, 0) ? arrivals.turn(address) : undefined)
}

/** What serves a request from its head to its end, whatever happens. */
export function makeRespond(responding: Responding): (raw: IncomingMessage, reply: ServerResponse) => void {
  const { config, limits, trusts, log, meter, tracing, makeRequestId, connections, draining } = responding
  const writeAnswer = makeWriteAnswer(connections, limits)
  const admit = makeAdmit(responding)
  const logFault = makeFaultLog(log)
  const ended = makeEnded(responding)
  const statusWithout = makeStatusWithout(log)
  const findAnswering = makeFindAnswering(responding)
  const clientOf = makeClientOf({ trusts, placeHeader: config.placeHeader })
  const ready = makeReady(responding)
  const addCors = makeCors(config)
  const holding = makeBudget<Readable>({
    amountMax: limits.bodiesBytesMax,
    cut: (stream) => failBody(stream as IncomingMessage, busy('request-bodies')),
  })
  meter.budget({ name: 'request-bodies', max: limits.bodiesBytesMax, used: holding.total })

  /** Writes the error as the response. Throws what was thrown when part of a response has been sent. */
  async function refuse({ raw, reply }: Exchange, thrown: unknown, envelope: Envelope): Promise<number> {
    if (reply.headersSent) throw thrown
    const error = toApiError(thrown)
    meter.failed(error)
    logFault(error, envelope.requestId)
    const response = representError(error, envelope.requestId, raw)
    // A client that was too slow may never send the rest, so the connection closes (RFC 9110, section 15.5.9); so it does when we gave the body up.
    const isCut = error.code === 'timeout' || raw.errored !== null
    const close = envelope.close || envelope.connection.isExtra || isCut
    await writeAnswer(reply, response, { ...envelope, close })
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
    let status = 500
    try {
      addCors?.(raw, reply)
      const wait = ready(connection, client)
      if (wait) await wait
      // Requests that wait on this connection are owed an answer too.
      const close = draining() && !hasMore(connection)
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
        const sending = writeAnswer(reply, response, envelope)
        if (sending) await sending
        if (raw.readableDidRead) discardRest(raw)
      } catch (thrown) {
        status = await refuse(exchange, thrown, envelope)
      }
      if (hasLeft(raw, reply)) status = clientLeft
    } catch (error) {
      reply.destroy()
      status = statusWithout(error, requestId) ?? status
    }
    const method = raw.method ?? ''
    ended(note, { connection, method, path: target.path, status, startedMs, address: client.address })
  }

  if (!tracing) return (raw, reply) => void respond(raw, reply)
  return (raw, reply) => void tracing.run(() => respond(raw, reply))
}
