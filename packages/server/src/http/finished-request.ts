/**
 * The end of a request: in the log, the metrics and the trace. A response that goes on is reported
 * when it ends, long after the request.
 */
import type { ServerResponse } from 'node:http'
import type { Meter } from '../observe/meter.ts'
import { endStage, type RequestMeasurements } from '../observe/request-measurements.ts'
import type { ConnectionTable } from './connections/connections.ts'
import type { HttpConnection } from './connections/one-connection.ts'
import type { Log } from './logs/log.ts'
import type { HttpResponse } from './messages/exchange.ts'
import type { ResponseEnvelope, WriteResponse } from './messages/write-response.ts'

/**
 * Only in the log: the client disconnected before it had the whole response. The operation may have
 * been done.
 */
export const clientLeft = 499

export type FinishedRequest = {
  readonly connection: HttpConnection
  readonly method: string
  readonly path: string
  readonly status: number
  readonly startedMs: number
  readonly address: string
}

type EndedDeps = {
  readonly log: Log
  readonly meter: Meter
  readonly connections: Pick<ConnectionTable, 'end'>
}

/**
 * Reports a finished request to the log, the metrics and the trace. All use the same end time, from
 * one clock reading.
 */
export function makeEnded({ log, meter, connections }: EndedDeps) {
  return (
    note: RequestMeasurements,
    { connection, startedMs, method, path, status, address }: FinishedRequest,
  ): void => {
    endStage(note, 'send')
    const endedMs = note.watch ? note.lastMs : performance.now()
    connections.end(connection, endedMs)
    const ms = Math.round((endedMs - startedMs) * 1000) / 1000
    meter.requests()?.answered(note, { method, status, ms })
    note.span?.answered(note, status)
    log.request({ note, method, path, status, address, ms })
  }
}

type LastingRequest = {
  readonly envelope: ResponseEnvelope
  readonly note: RequestMeasurements
  readonly finished: FinishedRequest
}

/**
 * Returns whether the response goes on; its end is reported then. It keeps nothing of the request.
 */
export function makeSendLasting(writeAnswer: WriteResponse, ended: ReturnType<typeof makeEnded>) {
  return (reply: ServerResponse, response: HttpResponse, { envelope, note, finished }: LastingRequest): boolean => {
    const { lasting: text } = response
    if (!text || envelope.headOnly) return false
    const over = (isCut: boolean) => ended(note, isCut ? { ...finished, status: clientLeft } : finished)
    writeAnswer.lasting(reply, response, { envelope, text, over })
    return true
  }
}
