/**
 * The port for whoever watches the server: Prometheus at `/metrics`, `bindery top` at `/status`. It asks for no credential, so it is a port
 * of its own, on the loopback unless the operator says otherwise, and it tells nothing of records.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostNameOf, isLoopbackName } from '../base/host-name.ts'
import { checkInstalled } from '../base/optional-package.ts'
import { StartError } from '../errors.ts'
import { makePrintMetrics, promPackage } from '../observe/print-metrics.ts'
import type { Gather, StatusWatch } from '../observe/status-watch.ts'
import { hostInUrl, isOwnMachine } from '../settings/network-settings.ts'

type Place = { readonly port: number; readonly host: string }
type Parts = { readonly gather: Gather; readonly watch: StatusWatch }

export type MetricsPort = {
  /** `http://127.0.0.1:9464` */
  readonly address: string
  close(): Promise<void>
}

type Answer = { readonly status: number; readonly type: string; readonly text: string }

const plain = 'text/plain; charset=utf-8'
const connectionsMax = 50
const timeoutMs = 10_000

/** Throws `StartError` where what prints metrics is not installed: call it before anything else is begun. */
export function checkMetrics({ metrics }: { readonly metrics: Place | undefined }): void {
  if (metrics) checkInstalled(promPackage, `METRICS_PORT=${metrics.port}`)
}

/** Who reaches a port of this machine by another name was led there by a page (DNS rebinding). */
function isMisdirected({ host }: Place, { headers }: IncomingMessage): boolean {
  return isOwnMachine(host) && !isLoopbackName(hostNameOf(headers.host ?? ''))
}

function send(response: ServerResponse, { status, type, text }: Answer): void {
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

function makeAnswer(place: Place, { gather, watch }: Parts): (request: IncomingMessage) => Promise<Answer> {
  const print = makePrintMetrics()
  return async (request) => {
    const { method, url = '/', headers } = request
    if (isMisdirected(place, request)) return { status: 421, type: plain, text: 'Ask by the name of this machine\n' }
    const [path] = url.split('?')
    if (path !== '/metrics' && path !== '/status')
      return { status: 404, type: plain, text: 'There are /metrics and /status\n' }
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: plain, text: 'Ask with GET\n' }
    if (path === '/status')
      return { status: 200, type: 'application/json; charset=utf-8', text: JSON.stringify(await watch.status()) }
    return { status: 200, ...(await print(await gather(0), headers.accept)) }
  }
}

function tune(server: Server): void {
  server.maxConnections = connectionsMax
  server.headersTimeout = timeoutMs
  server.requestTimeout = timeoutMs
  server.keepAliveTimeout = 120_000 // longer than Prometheus waits between two looks
}

/** Throws `StartError` when the port cannot be had. */
export async function openMetricsPort(place: Place, parts: Parts): Promise<MetricsPort> {
  const answer = makeAnswer(place, parts)
  const server = createServer((request, response) => {
    answer(request).then(
      (found) => send(response, found),
      () => send(response, { status: 500, type: plain, text: 'The numbers cannot be had now\n' }),
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
      parts.watch.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}
