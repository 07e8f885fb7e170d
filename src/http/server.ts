/**
 * The HTTP server: Fastify routes to one handler a route, everything else is answered here in the same form. It knows routes and
 * answers, nothing of resources.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import { makeWriteAnswer } from './answer.ts'
import { type Connections, watchConnections } from './connections.ts'
import { representError, toApiError } from './error.ts'
import type { RestRequest, RestResponse } from './exchange.ts'
import { type Log, safePath } from './log.ts'
import { answerParserErrors } from './parser-errors.ts'
import { allowedMethods, type PathTable } from './paths.ts'

export type Answer = (request: RestRequest) => Promise<RestResponse>
export type HttpRoute = { readonly methods: readonly HTTPMethods[]; readonly path: string; readonly answer: Answer }

export type HttpServer = {
  readonly fastify: FastifyInstance
  /** `http://127.0.0.1:3000` */
  listen(): Promise<string>
  /** From now on not ready; requests in flight finish; resolves when every connection is closed. */
  drain(): Promise<void>
  draining(): boolean
}

/** Methods that Fastify does not know are told that they are not allowed, like any other. */
const unusualMethods = [
  'TRACE',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'REPORT',
  'PURGE',
  'LINK',
  'UNLINK',
]

/** While draining, new requests are still answered for this long: a balancer needs a moment to see that we are not ready. */
const lameDuckMs = 300

function makeRequestIds(): () => string {
  const process = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${process}-${(count++).toString(36)}`
}

/** A number trusts that many hops. */
function trustOf(trust: Config['trustProxy']) {
  return typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust
}

function splitUrl(url: string): { path: string; query: string } {
  const at = url.indexOf('?')
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

/** Absolute-form targets name the same resources (RFC 9112, section 3.2.2). */
function rewriteUrl(request: { url?: string }): string {
  const url = request.url ?? '/'
  const match = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)
  if (!match) return url
  const rest = match[1] as string
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Throws for what HTTP forbids and Node lets through. */
function checkMessage(raw: IncomingMessage): void {
  if ((raw.url?.length ?? 0) > limits.urlBytesMax) throw new ApiError('uri-too-long', 'The request target is too long')
  const names = raw.rawHeaders
  let seen = ''
  for (let i = 0; i < names.length; i += 2) {
    const name = names[i] as string
    if (name.length !== 4 && name.length !== 13) continue
    const lower = name.toLowerCase()
    if (lower !== 'host' && lower !== 'authorization') continue
    if (seen.includes(lower))
      throw new ApiError(
        'bad-request',
        `The request has more than one ${lower === 'host' ? 'Host' : 'Authorization'} header`,
      )
    seen += lower
  }
  if (!seen.includes('host') && raw.httpVersion === '1.1')
    throw new ApiError('bad-request', 'The request has no Host header')
}

/**
 * A client that only writes sees no answer before it has written everything (RFC 9112, section 9.6): what is too large is read to its end
 * and forgotten, up to a bound.
 */
function discardRest(raw: IncomingMessage): void {
  let bytes = 0
  const cut = setTimeout(() => raw.socket.destroy(), limits.bodyTimeoutMs)
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.discardedBytesMax) raw.socket.destroy()
  })
  raw.once('close', () => clearTimeout(cut))
  raw.resume()
}

function toRequest(request: FastifyRequest, id: string): RestRequest {
  const { path, query } = splitUrl(request.url)
  const { headers } = request
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return {
    id,
    method: request.method,
    path,
    query,
    parameters: request.params as Record<string, string>,
    headers,
    address: request.ip,
    protocol: request.protocol,
    body: hasBody ? (request.raw as Readable) : undefined,
  }
}

/** The router lets a parameter be empty: `/books/` is not `/books/:id`. */
function hasEmptySegment(request: FastifyRequest): boolean {
  for (const value of Object.values(request.params as Record<string, string>)) if (value === '') return true
  return false
}

export async function makeServer(config: Config, log: Log, routes: readonly HttpRoute[]): Promise<HttpServer> {
  const makeRequestId = makeRequestIds()
  const writeAnswer = makeWriteAnswer()
  const unrouted: Answer = (request) => answerUnrouted(routes, request)
  let connections: Connections | undefined
  let draining = false

  /** From here on the answer is ours alone; what the CORS plugin has said of it is kept. */
  function respond(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<void> {
    const { raw } = reply
    reply.hijack()
    if (config.corsOrigins.length > 0) {
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value)
    }
    return answerTo(request, raw, answer)
  }

  async function answerTo(request: FastifyRequest, raw: ServerResponse, answer: Answer): Promise<void> {
    const startedMs = performance.now()
    const requestId = makeRequestId()
    const envelope = { requestId, close: draining, headOnly: request.method === 'HEAD' }
    let status = 500
    try {
      let response: RestResponse
      try {
        checkMessage(request.raw)
        if ((connections?.inFlight() ?? 0) > limits.requestsInFlightMax) {
          throw new ApiError('unavailable', 'The server is busy, try again', { retryAfterSeconds: 1 })
        }
        response = await answer(toRequest(request, requestId))
        status = response.status
        await writeAnswer(raw, response, envelope)
      } catch (thrown) {
        if (raw.headersSent) throw thrown
        const error = toApiError(thrown)
        if (error.code === 'internal' || (error.code === 'unavailable' && error.cause !== undefined))
          log.error(error.message, error.cause ?? error, { requestId })
        response = representError(error)
        status = response.status
        await writeAnswer(raw, response, { ...envelope, close: draining })
        if (error.code === 'too-large') discardRest(request.raw)
      }
    } catch (error) {
      if (!request.raw.destroyed && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE')
        log.error('The answer could not be finished', error, { requestId })
      raw.destroy()
    }
    const ms = Math.round((performance.now() - startedMs) * 1000) / 1000
    log.request({
      requestId,
      method: request.method,
      path: safePath(splitUrl(request.url).path),
      status,
      ms,
      address: request.ip,
    })
  }

  const fastify: FastifyInstance = Fastify({
    logger: false,
    trustProxy: trustOf(config.trustProxy),
    exposeHeadRoutes: false,
    rewriteUrl,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.idleTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    forceCloseConnections: false,
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckMs,
      insecureHTTPParser: false,
      requireHostHeader: false, // checkMessage says it, in our form
    },
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      maxParamLength: limits.urlBytesMax,
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      const malformed = error.code === 'FST_ERR_BAD_URL'
      const message = malformed ? 'Malformed percent escape in the path' : 'The request cannot be routed'
      void respond(request, reply, () => Promise.reject(new ApiError('bad-request', message, { cause: error })))
    },
    clientErrorHandler: () => undefined, // answered by answerParserErrors, in order
  })
  if (config.corsOrigins.length > 0) {
    await fastify.register(cors, {
      origin: [...config.corsOrigins],
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['ETag', 'Location', 'Retry-After', 'X-Request-Id'],
      maxAge: 600,
    })
  }
  // Bodies are read by the route, after it is known who asks.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  for (const method of unusualMethods) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }

  for (const { methods, path, answer } of routes) {
    const method = methods.includes('GET') ? [...methods, 'HEAD' as const] : [...methods]
    fastify.route({
      method,
      url: path,
      handler(request: FastifyRequest, reply: FastifyReply) {
        return respond(request, reply, hasEmptySegment(request) ? unrouted : answer)
      },
    })
  }
  fastify.setNotFoundHandler((request, reply) => {
    return respond(request, reply, unrouted)
  })
  fastify.setErrorHandler((error, request, reply) => {
    // A Content-Type that is no media type stops at Fastify, before any route.
    const noType = (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    const message = 'Send the body as application/json in UTF-8'
    const refused = noType ? new ApiError('unsupported-media-type', message, { cause: error }) : error
    return respond(request, reply, () => Promise.reject(refused))
  })
  await fastify.ready()
  fastify.server.removeAllListeners('clientError')
  connections = watchConnections(fastify.server)
  answerParserErrors(fastify.server, connections.owed, makeRequestId, (requestId, error) =>
    log.warn(error.message, { requestId, code: error.code }),
  )

  return {
    fastify,
    draining: () => draining,
    listen: () => fastify.listen({ port: config.port, host: config.host }),
    async drain() {
      draining = true
      const deadline = performance.now() + limits.drainMsMax
      const waits = () => performance.now() < deadline && (connections?.inFlight() ?? 0) > 0
      await new Promise((resolve) => setTimeout(resolve, lameDuckMs))
      while (waits()) await new Promise((resolve) => setTimeout(resolve, 20))
      await connections?.close(Math.max(100, deadline - performance.now()))
    },
  }
}

/** No route: another method of a known path, or no such path. */
async function answerUnrouted(paths: PathTable, { method, path }: RestRequest): Promise<RestResponse> {
  const allow = allowedMethods(paths, path)
  if (allow.length === 0) throw new ApiError('not-found', 'Not found')
  if (method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') }, body: null }
  throw new ApiError('method-not-allowed', `${method} is not allowed here; allowed: ${allow.join(', ')}`, { allow })
}
