/**
 * The second port, for monitoring: Prometheus at `/metrics`, `bindery top` at `/status`. It asks
 * for no credential and says nothing of records. It listens on the loopback address unless the
 * operator says otherwise.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostNameOf, isLoopbackName } from '../base/host-name.ts'
import { checkInstalled } from '../base/optional-package.ts'
import { StartError } from '../errors.ts'
import { makePrintMetrics, promPackage } from '../observe/print-metrics.ts'
import type { GatherFamilies, StatusWatch } from '../observe/status-watch.ts'
import { anonymous } from '../resource/principal.ts'
import { hostInUrl, isOwnMachine } from '../settings/network-settings.ts'
import type { HttpRequest, HttpResponse } from './messages/exchange.ts'
import { splitUrl } from './messages/message.ts'
import { metricsRoutes } from './metrics-routes.ts'

type ListenAddress = { readonly port: number; readonly host: string }
type MetricsPortDeps = { readonly gather: GatherFamilies; readonly watch: StatusWatch }

export type MetricsPort = {
  /** `http://127.0.0.1:9464` */
  readonly address: string
  close(): Promise<void>
}

const plain = 'text/plain; charset=utf-8'
const unread = { input: {} as never, query: {} as never }
const connectionsMax = 50
const timeoutMs = 10_000

/**
 * Throws `StartError` where the package that prints metrics is not installed. Call it before
 * anything else starts.
 */
export function checkMetrics({ metrics }: { readonly metrics: ListenAddress | undefined }): void {
  if (metrics) checkInstalled(promPackage, `METRICS_PORT=${metrics.port}`)
}

/** A request for another host name on a loopback port comes from a page by DNS rebinding. */
function isMisdirected({ host }: ListenAddress, { headers }: IncomingMessage): boolean {
  return isOwnMachine(host) && !isLoopbackName(hostNameOf(headers.host ?? ''))
}

function plainly(status: number, text: string): HttpResponse {
  return { status, headers: { 'content-type': plain }, body: text }
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const text = String(body)
  const guards = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { ...headers, ...guards, 'content-length': Buffer.byteLength(text) }).end(text)
}

/** The request without its body; headers that later steps add to the response are dropped. */
function requestOf({ method = '', url = '/', headers, socket }: IncomingMessage): HttpRequest {
  const { path, query } = splitUrl(url)
  const fixed = { id: '', parameters: {}, protocol: 'http', place: undefined, body: undefined }
  return {
    ...fixed,
    method,
    path,
    query,
    headers,
    address: socket.remoteAddress ?? '',
    left: () => socket.destroyed,
    onLeft: () => () => undefined,
    tell: () => undefined,
  }
}

function makeAnswer(place: ListenAddress, deps: MetricsPortDeps): (request: IncomingMessage) => Promise<HttpResponse> {
  const needs = { ...deps, print: makePrintMetrics() }
  const { routes } = metricsRoutes
  const known = routes.map(({ path }) => path).join(' and ')
  return async (incoming) => {
    if (isMisdirected(place, incoming)) return plainly(421, 'Ask by the name of this machine\n')
    const request = requestOf(incoming)
    const route = routes.find(({ path }) => path === request.path)
    if (!route) return plainly(404, `There are ${known}\n`)
    if (request.method !== route.method && request.method !== 'HEAD') return plainly(405, `Ask with ${route.method}\n`)
    return (await route.run({ ...unread, parameters: {}, caller: anonymous, request }, needs)) as HttpResponse
  }
}

function tune(server: Server): void {
  server.maxConnections = connectionsMax
  server.headersTimeout = timeoutMs
  server.requestTimeout = timeoutMs
  server.keepAliveTimeout = 120_000 // longer than the interval at which Prometheus scrapes
}

/** Throws `StartError` when the port cannot be had. */
export async function openMetricsPort(place: ListenAddress, deps: MetricsPortDeps): Promise<MetricsPort> {
  const answer = makeAnswer(place, deps)
  const server = createServer((request, response) => {
    answer(request).then(
      (found) => send(response, found),
      () => send(response, plainly(500, 'The numbers cannot be had now\n')),
    )
  })
  tune(server)
  try {
    server.listen(place.port, place.host)
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(`Cannot listen on ${place.host}:${place.port} (METRICS_PORT): ${(error as Error).message}`)
  }
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    address: `http://${hostInUrl(place.host)}:${port}`,
    async close() {
      deps.watch.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}
