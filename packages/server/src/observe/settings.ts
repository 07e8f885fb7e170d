/**
 * Parses the environment variables of metrics, slow statements and traces; an invalid one becomes
 * one clear line.
 */
import { type Environment, fail, type Variable, wholeNumber } from '../base/environment.ts'

export type ObserveSettings = {
  /** The metrics port. Undefined: none. */
  readonly metrics: { readonly port: number; readonly host: string } | undefined
  /** Statements that take this long are logged. Undefined: none. */
  readonly slowMs: number | undefined
  /** Where traces are sent. Undefined: tracing is off. */
  readonly traces: TraceSettings | undefined
}

export type TraceSettings = {
  /** The address of the collector, with its path for traces. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly service: string
  /**
   * The share of requests that begin a trace, from 0 to 1. A request that brings a trace continues
   * it.
   */
  readonly share: number
}

const slowMsOtherwise = 1000
const slowRange = { min: 1, max: 600_000, otherwise: slowMsOtherwise }
const serviceOtherwise = 'bindery'

export const observeVariables: readonly Variable[] = [
  {
    name: 'SLOW_MS',
    takes: 'whole number of milliseconds, 1 to 600000, or `off`',
    value: String(slowMsOtherwise),
    about: 'statements that take so long are logged with their plan; off for none',
    more: 'See [Find out why it is slow](../how-to/operate-slow.md).',
  },
  {
    name: 'METRICS_PORT',
    takes: 'whole number, 0 to 65535',
    value: '',
    about: 'port for Prometheus, by prom-client; off unless set',
    more: '0 takes a free one. See [Collect metrics](../how-to/operate-metrics.md).',
  },
  {
    name: 'METRICS_HOST',
    takes: 'IP address or name',
    value: '127.0.0.1',
    about: 'address of that port',
    more: 'The port asks for no credential: open it to a network that may see the numbers.',
  },
  {
    name: 'BINDERY_KEY',
    takes: 'API key',
    value: '',
    about: 'API key of an operator, for bindery top where there is no METRICS_PORT',
    isSecret: true,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    takes: 'URL',
    value: '',
    about: 'collector of traces, such as http://127.0.0.1:4318; off unless set',
    more: 'See [Send traces](../how-to/operate-traces.md).',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    takes: '`NAME=VALUE`, with commas',
    value: '',
    about: 'headers for it, name=value with commas',
    isSecret: true,
  },
  { name: 'OTEL_SERVICE_NAME', takes: 'text', value: serviceOtherwise, about: 'name of this service in traces' },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    takes: 'number, 0 to 1',
    value: '1',
    about: 'share of requests that begin a trace, 0 to 1',
    more: 'A request that brings a trace follows the decision of that trace.',
  },
]

/** The address that `bindery top` reads, and its key. */
export type TopSource = { readonly url: string; readonly key: string | undefined }

/**
 * `given`: an address on the command line. Otherwise the metrics port, or the server itself where a
 * key is set. Throws `StartError`.
 */
export function parseTopSource(env: Environment, given: string | undefined): TopSource {
  const { METRICS_PORT: port } = env
  const key = env.BINDERY_KEY || undefined
  const host = env.METRICS_HOST || '127.0.0.1'
  if (given !== undefined) {
    if (!/^https?:\/\/./.test(given) || !URL.canParse(given))
      fail('--url', `must be an address such as http://127.0.0.1:3000, not ${given}`)
    return { url: given.replace(/\/+$/, ''), key }
  }
  const at = (name: string, number: string) => `http://${name.includes(':') ? `[${name}]` : name}:${number}`
  if (port) return { url: at(host, port), key: undefined }
  return { url: at(env.HOST || '127.0.0.1', env.PORT || '3000'), key }
}

/** `a=b,c=d%20e`, the format of OpenTelemetry. */
function parseHeaders(text: string | undefined): Record<string, string> {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS'
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) fail(name, 'must be name=value, with commas between')
      try {
        return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())]
      } catch {
        return fail(name, 'has a malformed percent escape')
      }
    }),
  )
}

function parseTraces(env: Environment): TraceSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = env
  if (!endpoint) return undefined
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    fail('OTEL_EXPORTER_OTLP_ENDPOINT', `must be an address such as http://127.0.0.1:4318, not ${endpoint}`)
  const share = Number(env.OTEL_TRACES_SAMPLER_ARG || '1')
  if (!(share >= 0 && share <= 1)) fail('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1')
  return {
    url: `${url.href.replace(/\/+$/, '')}/v1/traces`,
    headers: parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS),
    service: env.OTEL_SERVICE_NAME || serviceOtherwise,
    share,
  }
}

/** Throws `StartError`. */
export function parseObserve(env: Environment): ObserveSettings {
  const port = env.METRICS_PORT ? wholeNumber(env, 'METRICS_PORT', { min: 0, max: 65_535, otherwise: 0 }) : undefined
  return {
    metrics: port === undefined ? undefined : { port, host: env.METRICS_HOST || '127.0.0.1' },
    slowMs: env.SLOW_MS === 'off' ? undefined : wholeNumber(env, 'SLOW_MS', slowRange),
    traces: parseTraces(env),
  }
}
