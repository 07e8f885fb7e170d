/**
 * What is learnt of a request on its way, besides its answer: for its line in the log, for what is
 * counted, and for its trace. Who learns something writes it here; nobody reads it to decide
 * anything.
 */
import type { RequestSpan } from './request-span.ts'

/**
 * The steps of the journey that are timed, in their order. `send` ends when the answer is handed to
 * the socket, a stream's when it is read.
 */
export const requestStages = ['identify', 'admit', 'parse', 'perform', 'represent', 'send'] as const
export type RequestStage = (typeof requestStages)[number]

/** Receives the end of each step. Absent where nobody measures. */
export type StageListener = { ended(note: RequestMeasurements, stage: RequestStage): void }

export type RequestMeasurements = {
  /** Of the client, or made here. */
  readonly requestId: string
  /**
   * Of the trace that the request belongs to: 32 hexadecimal digits (W3C Trace Context, section
   * 3.2.2.3).
   */
  traceId: string | undefined
  /** Its route as it was declared, `/things/:id`; undefined for a path that nobody knows. */
  readonly route: string | undefined
  caller: 'anonymous' | 'user' | 'key'
  userId: string | undefined
  keyId: string | undefined
  /** The name of a GraphQL operation, as the document has it. */
  operation: string | undefined
  /**
   * Rows that were read from the database on behalf of the caller; of an answer that was kept,
   * none.
   */
  rows: number
  /** When the last step ended, of `performance.now()`. */
  lastMs: number
  watch: StageListener | undefined
  /** Its place in a trace, where there are traces. */
  span: RequestSpan | undefined
}

type MeasurementStart = Pick<RequestMeasurements, 'requestId' | 'traceId' | 'route'> & {
  readonly startedMs: number
  readonly watch: StageListener | undefined
}

export function makeRequestMeasurements({
  requestId,
  traceId,
  route,
  startedMs,
  watch,
}: MeasurementStart): RequestMeasurements {
  return {
    requestId,
    traceId,
    route,
    caller: 'anonymous',
    userId: undefined,
    keyId: undefined,
    operation: undefined,
    rows: 0,
    lastMs: startedMs,
    watch,
    span: undefined,
  }
}

/** Says that a step of the request has ended. */
export function endStage(note: RequestMeasurements | undefined, stage: RequestStage): void {
  note?.watch?.ended(note, stage)
  note?.span?.ended(stage)
}
