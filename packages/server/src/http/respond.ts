/** One request → one response on its socket, whatever happens: the place that catches errors and logs requests. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError, isFault } from '../errors.ts'
import { type Envelope, makeWriteAnswer } from './answer.ts'
import { clientOf } from './client.ts'
import { representError, toApiError } from './error-answer.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'
import { type Log, safePath } from './log.ts'
import { checkMessage, discardRest, splitUrl, toRequest } from './message.ts'

export type Answer = (request: HttpRequest) => Promise<HttpResponse>
export type Respond = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => Promise<void>

export type Responding = {
  readonly config: Config
  readonly log: Log
  readonly makeRequestId: () => string
  inFlight(): number
  draining(): boolean
  /** Resolves when requests may be answered. Undefined from then on. */
  preparing(): Promise<void> | undefined
}

/** Only in the log: the client disconnected before it had the whole response. What it asked for may have been done. */
const clientLeft = 499
/** The codes that writing a response fails with when the client has disconnected. */
const leftCodes = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_UNABLE_TO_PIPE']

function hasLeft({ socket }: IncomingMessage, answer: ServerResponse): boolean {
  return socket.destroyed && !answer.writableFinished
}

type Exchange = { readonly raw: IncomingMessage; readonly reply: ServerResponse }

/** Writes the response, or the error where there is none. Throws only when part of a response has been sent. */
function makeAnswering({ log, inFlight }: Responding) {
  const writeAnswer = makeWriteAnswer()
  return async ({ raw, reply }: Exchange, envelope: Envelope, make: () => Promise<HttpResponse>) => {
    try {
      checkMessage(raw)
      if (inFlight() > limits.requestsInFlightMax) {
        throw new ApiError('unavailable', 'The server is busy, try again', { retryAfterSeconds: 1 })
      }
      const response = await make()
      await writeAnswer(reply, response, envelope)
      if (raw.readableDidRead) discardRest(raw)
      return response.status
    } catch (thrown) {
      if (reply.headersSent) throw thrown
      const error = toApiError(thrown)
      if (isFault(error)) log.error(error.message, error.cause ?? error, { requestId: envelope.requestId })
      const response = representError(error)
      // A client that was too slow may never send the rest, so the connection closes (RFC 9110, section 15.5.9).
      await writeAnswer(reply, response, { ...envelope, close: envelope.close || error.code === 'timeout' })
      if (error.code === 'too-large' || raw.readableDidRead) discardRest(raw)
      return response.status
    }
  }
}

export function makeRespond(responding: Responding): Respond {
  const { config, log, makeRequestId, draining, preparing } = responding
  const answering = makeAnswering(responding)

  async function respond(request: FastifyRequest, raw: ServerResponse, answer: Answer): Promise<void> {
    const startedMs = performance.now()
    const requestId = makeRequestId()
    const client = clientOf(request) // read now: a connection that has ended no longer has an address
    let status = 500
    try {
      const wait = preparing()
      if (wait) await wait
      const envelope = { requestId, close: draining(), headOnly: request.method === 'HEAD' }
      status = await answering({ raw: request.raw, reply: raw }, envelope, () =>
        answer(toRequest(request, requestId, client)),
      )
      if (hasLeft(request.raw, raw)) status = clientLeft
    } catch (error) {
      if (leftCodes.includes((error as NodeJS.ErrnoException).code ?? '')) status = clientLeft
      else log.error('The answer could not be finished', error, { requestId })
      raw.destroy()
    }
    const ms = Math.round((performance.now() - startedMs) * 1000) / 1000
    const path = safePath(splitUrl(request.url).path)
    log.request({ requestId, method: request.method, path, status, ms, address: client.address })
  }

  /** From here on the response is ours alone; headers that the CORS plugin has set are kept. */
  return (request, reply, answer) => {
    const { raw } = reply
    reply.hijack()
    if (config.corsOrigins.length > 0) {
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value)
      }
    }
    return respond(request, raw, answer)
  }
}
