/**
 * Traces by OpenTelemetry: a span for each request, each of its steps and each statement, without
 * values. It is loaded only where a collector is configured; the rest of the engine knows its types
 * alone.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { RequestMeasurements, RequestStage } from './request-measurements.ts'
import type { RequestSpan, Tracing } from './request-span.ts'
import type { TraceSettings } from './settings.ts'
import { printTraceparent, type TraceContext } from './trace-context.ts'

const sendEveryMs = 2_000
const spansMax = 4_096
const closeMsMax = 2_000
const statementLengthMax = 2_000
const valueLengthMax = 4_000

/** The current span of one request, through all of its asynchronous work. */
type CurrentSpan = { span: Span | undefined; stage: Span | undefined }

function contextOf({ traceId, spanId, isSampled }: TraceContext) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function attributesOf({ requestId, userId, operation, rows }: RequestMeasurements, status: number) {
  return {
    'http.response.status_code': status,
    'http.request.header.x-request-id': requestId,
    'bindery.rows': rows,
    ...(userId !== undefined && { 'user.id': userId }),
    ...(operation !== undefined && { 'graphql.operation.name': operation }),
  }
}

/** `SELECT …` → `SELECT` */
function verbOf(sql: string): string {
  return /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'statement'
}

function makeProvider({ url, headers, service, share }: TraceSettings, version: string): TracerProvider {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers } })
  const batches = { exporter, scheduledDelayMillis: sendEveryMs, maxQueueSize: spansMax } as const
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: valueLengthMax },
    spanProcessors: [new BatchSpanProcessor(batches as never)],
  })
}

export function makeTracing(settings: TraceSettings, version: string): Tracing {
  const provider = makeProvider(settings, version)
  const tracer = provider.getTracer('bindery-server', version)
  const running = new AsyncLocalStorage<CurrentSpan>()

  function spanOf(span: Span, here: CurrentSpan): RequestSpan {
    const { traceId, spanId, traceFlags } = span.spanContext()
    const inside = trace.setSpan(ROOT_CONTEXT, span)
    const begin = (atMs: number) => span.isRecording() && tracer.startSpan('stage', { startTime: atMs }, inside)
    here.span = span
    here.stage = begin(performance.now()) || undefined
    return {
      traceId,
      header: printTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }),
      ended(stage: RequestStage) {
        const nowMs = performance.now()
        here.stage?.updateName(stage).end(nowMs)
        here.stage = stage === 'send' ? undefined : begin(nowMs) || undefined
      },
      answered(note, status) {
        here.stage?.end(performance.now())
        span.setAttributes(attributesOf(note, status))
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(performance.now())
        here.span = undefined
        here.stage = undefined
      },
    }
  }

  return {
    run: (work) => running.run({ span: undefined, stage: undefined }, work),
    begin({ route }, { method, parent, startedMs }) {
      const here = running.getStore()
      if (!here) return undefined
      const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) }
      const name = route === undefined ? method : `${method} ${route}`
      const options = { kind: SpanKind.SERVER, attributes, startTime: startedMs }
      return spanOf(tracer.startSpan(name, options, parent ? contextOf(parent) : ROOT_CONTEXT), here)
    },
    statements: {
      ended(sql, beganMs, endedMs) {
        const { span, stage } = running.getStore() ?? {}
        const above = stage ?? span
        if (!above?.isRecording()) return
        const attributes = { 'db.query.text': sql.slice(0, statementLengthMax), 'db.operation.name': verbOf(sql) }
        const options = { kind: SpanKind.CLIENT, attributes, startTime: beganMs }
        tracer.startSpan(verbOf(sql), options, trace.setSpan(ROOT_CONTEXT, above)).end(endedMs)
      },
      bind: (work) => AsyncLocalStorage.bind(work as never) as typeof work,
    },
    outgoingEnded({ method, host, status, beganMs, endedMs }) {
      const { span, stage } = running.getStore() ?? {}
      const above = stage ?? span
      if (!above?.isRecording()) return
      const attributes = {
        'http.request.method': method,
        'server.address': host,
        ...(status !== undefined && { 'http.response.status_code': status }),
      }
      const options = { kind: SpanKind.CLIENT, attributes, startTime: beganMs }
      const sent = tracer.startSpan(method, options, trace.setSpan(ROOT_CONTEXT, above))
      if (status === undefined || status >= 500) sent.setStatus({ code: SpanStatusCode.ERROR })
      sent.end(endedMs)
    },
    async close() {
      const timer = new Promise((resolve) => setTimeout(resolve, closeMsMax).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), timer])
    },
  }
}
