/** One request → one answer on its socket, whatever happens: the one place that catches errors, and the one that logs requests. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import { type Envelope, makeWriteAnswer } from './answer.ts'
import { representError, toApiError } from './error-answer.ts'
import type { RestRequest, RestResponse } from './exchange.ts'
import { type Log, safePath } from './log.ts'
import { checkMessage, discardRest, splitUrl, toRequest } from './message.ts'

export type Answer = (request: RestRequest) => Promise<RestResponse>
export type Respond = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => Promise<void>

export type Responding = {
  readonly config: Config
  readonly log: Log
  readonly makeRequestId: () => string
  inFlight(): number
  draining(): boolean
}

function isFault({ code, cause }: ApiError): boolean {
  return code === 'internal' || (code === 'unavailable' && cause !== undefined)
}

/** The answer, and if there can be none, the error; throws only when half of an answer has been sent. */
function makeAnswering({ log, inFlight }: Responding) {
  const writeAnswer = makeWriteAnswer()
  return async (request: FastifyRequest, raw: ServerResponse, answer: Answer, envelope: Envelope): Promise<number> => {
    try {
      checkMessage(request.raw)
      if (inFlight() > limits.requestsInFlightMax) {
        throw new ApiError('unavailable', 'The server is busy, try again', { retryAfterSeconds: 1 })
      }
      const response = await answer(toRequest(request, envelope.requestId))
      await writeAnswer(raw, response, envelope)
      if (request.raw.readableDidRead) discardRest(request.raw)
      return response.status
    } catch (thrown) {
      if (raw.headersSent) throw thrown
      const error = toApiError(thrown)
      if (isFault(error)) log.error(error.message, error.cause ?? error, { requestId: envelope.requestId })
      const response = representError(error)
      // A sender that was too slow once may never send the rest (RFC 9110, section 15.5.9).
      await writeAnswer(raw, response, { ...envelope, close: envelope.close || error.code === 'timeout' })
      if (error.code === 'too-large' || request.raw.readableDidRead) discardRest(request.raw)
      return response.status
    }
  }
}

export function makeRespond(responding: Responding): Respond {
  const { config, log, makeRequestId, draining } = responding
  const answering = makeAnswering(responding)

  async function respond(request: FastifyRequest, raw: ServerResponse, answer: Answer): Promise<void> {
    const startedMs = performance.now()
    const requestId = makeRequestId()
    let status = 500
    try {
      const envelope = { requestId, close: draining(), headOnly: request.method === 'HEAD' }
      status = await answering(request, raw, answer, envelope)
    } catch (error) {
      const gone = request.raw.destroyed || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!gone) log.error('The answer could not be finished', error, { requestId })
      raw.destroy()
    }
    const ms = Math.round((performance.now() - startedMs) * 1000) / 1000
    const path = safePath(splitUrl(request.url).path)
    log.request({ requestId, method: request.method, path, status, ms, address: request.ip })
  }

  /** From here on the answer is ours alone; what the CORS plugin has said of it is kept. */
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
