/** A trace collector for tests: receives OTLP as JSON and remembers every span. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

type Value = { readonly stringValue?: string; readonly intValue?: number | string }
type Sent = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
}
export type CollectedSpan = Omit<Sent, 'attributes'> & {
  readonly service: string
  readonly attributes: Readonly<Record<string, unknown>>
}

type Message = {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Sent, 'attributes'>
    readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[]
  }[]
}

const plain = (attributes: Sent['attributes']) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

export async function startCollector() {
  const spans: CollectedSpan[] = []
  const headers: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const bytes = Buffer.concat(pieces)
    headers.push({ ...request.headers, url: request.url })
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
    for (const { resource, scopeSpans } of (JSON.parse(text.toString()) as Message).resourceSpans) {
      const service = String(plain(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, service, attributes: plain(span.attributes) })
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
