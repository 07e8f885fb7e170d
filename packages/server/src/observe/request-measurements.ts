/**
 * Measurements of a request, for its log line, the metrics and its trace. Each step writes its own;
 * no step reads them to make a decision.
 */
import type { RequestSpan } from './request-span.ts'

/**
 * The timed steps of a request, in order. `send` ends when the response is handed to the socket, or
 * a stream is read.
 */
export const requestStages = ['identify', 'admit', 'parse', 'perform', 'represent', 'send'] as const
export type RequestStage = (typeof requestStages)[number]

/** Called at the end of each step. Absent where steps are not timed. */
export type StageListener = { ended(note: RequestMeasurements, stage: RequestStage): void }

export type RequestMeasurements = {
  /** From the client, or made here. */
  readonly requestId: string
  /** The trace of the request: 32 hexadecimal digits (W3C Trace Context, section 3.2.2.3). */
  traceId: string | undefined
  /** The declared path of its route, `/things/:id`; undefined for an unknown path. */
  readonly route: string | undefined
  caller: 'anonymous' | 'user' | 'key'
  userId: string | undefined
  keyId: string | undefined
  /** The operator that views the user of `userId`. */
  viewerId: string | undefined
  /** The name of the GraphQL operation. */
  operation: string | undefined
  /** Rows that were read from the database for the caller; none for a cached response. */
  rows: number
  /** When the last step ended, as `performance.now()`. */
  lastMs: number
  watch: StageListener | undefined
  /** Its span, where tracing is on. */
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
    viewerId: undefined,
    operation: undefined,
    rows: 0,
    lastMs: startedMs,
    watch,
    span: undefined,
  }
}

/** Marks the end of a step of the request. */
export function endStage(note: RequestMeasurements | undefined, stage: RequestStage): void {
  note?.watch?.ended(note, stage)
  note?.span?.ended(stage)
}
