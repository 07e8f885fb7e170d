/**
 * Handles a request whose body came late once more, from its first step, with the body whole. The
 * caller is then judged by its rights at the end of the body. A sender may hold a body back for
 * half a minute, in which a membership, a role or a session ends.
 */
import { endStage } from '../../observe/request-measurements.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** Ends the first handling, where it asked for a body that had not arrived. */
export class LateBodyError extends Error {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    super('The body came late')
    this.bytes = bytes
  }
}

/** For a step that catches errors: it must let this one pass. */
export function passLateBody(error: unknown): void {
  if (error instanceof LateBodyError) throw error
}

/** Whether this is the second handling: the request has been counted. */
export function isHandledAgain({ body }: HttpRequest): boolean {
  return body?.late !== undefined
}

type Answer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** Steps before the body must do nothing that may not be done twice. */
export function answerWhole(answer: Answer): Answer {
  return (request) => {
    const answered = answer(request)
    const { body, note } = request
    if (!body || !(answered instanceof Promise)) return answered
    return answered.catch((error: unknown) => {
      if (!(error instanceof LateBodyError)) throw error
      endStage(note, 'parse')
      return answer({ ...request, body: { ...body, late: error.bytes } })
    })
  }
}
