/**
 * The engine's interface to tracing: a request may have a span. The implementation is loaded only
 * where traces are configured.
 */
import type { OptionalPackage } from '../base/optional-package.ts'
import type { RequestMeasurements, RequestStage } from './request-measurements.ts'
import type { TraceSettings } from './settings.ts'
import type { StatementListener } from './storage-metrics.ts'
import type { TraceContext } from './trace-context.ts'

/** The span of one request. */
export type RequestSpan = {
  readonly traceId: string
  /** The value of `traceparent`, for the client and for the next service. */
  readonly header: string
  ended(stage: RequestStage): void
  answered(note: RequestMeasurements, status: number): void
}

type SpanStart = { readonly method: string; readonly parent: TraceContext | undefined; readonly startedMs: number }

/** A request to another service. `status`: undefined without an answer. */
type OutgoingSpan = {
  readonly method: string
  readonly host: string
  readonly status: number | undefined
  readonly beganMs: number
  readonly endedMs: number
}

export type Tracing = {
  /** Runs a request within its span. */
  run<T>(work: () => T): T
  /** Call it inside of `run`. */
  begin(note: Pick<RequestMeasurements, 'route'>, beginning: SpanStart): RequestSpan | undefined
  readonly statements: Required<Omit<StatementListener, 'isOn'>>
  /** A request to another service, within the current span; times of `performance.now()`. */
  outgoingEnded(sent: OutgoingSpan): void
  /** Sends the remaining spans, within the time limit of a shutdown. */
  close(): Promise<void>
}

export const tracingPackages: readonly OptionalPackage[] = [
  { name: '@opentelemetry/api' },
  { name: '@opentelemetry/sdk-trace' },
  { name: '@opentelemetry/resources' },
  { name: '@opentelemetry/exporter-trace-otlp-http' },
]

/** Throws the error of `import`: check first that the packages are installed. */
export async function loadTracing(settings: TraceSettings, version: string): Promise<Tracing> {
  const { makeTracing } = await import('./tracing.ts')
  return makeTracing(settings, version)
}
