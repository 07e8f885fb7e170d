/**
 * What the engine knows of traces: that a request may have one. Whoever makes them is loaded where
 * traces are configured.
 */
import type { OptionalPackage } from '../base/optional-package.ts'
import type { RequestMeasurements, RequestStage } from './request-measurements.ts'
import type { TraceSettings } from './settings.ts'
import type { StatementListener } from './storage-metrics.ts'
import type { TraceContext } from './trace-context.ts'

/** One request in its trace. */
export type RequestSpan = {
  readonly traceId: string
  /** As `traceparent` has it: what a client, or the next service, is told of this span. */
  readonly header: string
  ended(stage: RequestStage): void
  answered(note: RequestMeasurements, status: number): void
}

type SpanStart = { readonly method: string; readonly parent: TraceContext | undefined; readonly startedMs: number }

export type Tracing = {
  /** Runs a request: what happens inside belongs to it. */
  run<T>(work: () => T): T
  /** Inside of `run`. */
  begin(note: Pick<RequestMeasurements, 'route'>, beginning: SpanStart): RequestSpan | undefined
  readonly statements: Required<Omit<StatementListener, 'isOn'>>
  /** Sends what is left, for as long as a stop may take. */
  close(): Promise<void>
}

export const tracingPackages: readonly OptionalPackage[] = [
  { name: '@opentelemetry/api' },
  { name: '@opentelemetry/sdk-trace' },
  { name: '@opentelemetry/resources' },
  { name: '@opentelemetry/exporter-trace-otlp-http' },
]

/** Throws what `import` throws: look first whether the packages are installed. */
export async function loadTracing(settings: TraceSettings, version: string): Promise<Tracing> {
  const { makeTracing } = await import('./tracing.ts')
  return makeTracing(settings, version)
}
