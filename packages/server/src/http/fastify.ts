/** Fastify, configured for routing alone, on a server with our limits and timeouts: it sends no response in its own words. */
import { createServer, METHODS, type RequestListener, type Server } from 'node:http'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { rewriteUrl } from './message.ts'

/** Responds to a request with an error. */
export type Refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => Promise<void>

/** A number means that many trusted hops. */
function trustOf(trust: Config['trustProxy']) {
  return typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust
}

export function makeHttpServer(limits: Limits): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckMs,
    insecureHTTPParser: false,
    requireHostHeader: false, // checkMessage refuses it, in our own format
  })
  server.setTimeout(limits.idleTimeoutMs)
  return server
}

export type Carrying = {
  readonly server: Server
  /** Wraps what serves a request. */
  readonly inTurn: (serve: RequestListener) => RequestListener
  readonly refuse: Refuse
}

function makeInstance(config: Config, limits: Limits, { server, inTurn, refuse }: Carrying): FastifyInstance {
  return Fastify({
    logger: false,
    trustProxy: trustOf(config.trustProxy),
    exposeHeadRoutes: false,
    rewriteUrl,
    forceCloseConnections: false,
    return503OnClosing: false,
    serverFactory: (serve) => server.on('request', inTurn(serve as RequestListener)),
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      maxParamLength: limits.urlBytesMax,
      querystringParser: () => ({}),
    },
    frameworkErrors: (cause, request, reply) => {
      const malformed = cause.code === 'FST_ERR_BAD_URL'
      const message = malformed ? 'Malformed percent escape in the path' : 'The request cannot be routed'
      void refuse(request, reply, new ApiError('bad-request', message, { cause }))
    },
    clientErrorHandler: () => undefined, // answered by answerParserErrors, in order
  })
}

export async function makeFastify(config: Config, limits: Limits, carrying: Carrying): Promise<FastifyInstance> {
  const fastify = makeInstance(config, limits, carrying)
  if (config.corsOrigins.length > 0) {
    await fastify.register(cors, {
      origin: [...config.corsOrigins],
      credentials: true,
      methods: ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'ETag',
        'Location',
        'Retry-After',
        'RateLimit',
        'RateLimit-Policy',
        'Deprecation',
        'Sunset',
        'X-Request-Id',
        'Link',
        'X-Total-Count',
        'Preference-Applied',
        'Idempotency-Replayed',
      ],
      maxAge: 600,
      // A preflight is answered like any other OPTIONS request; the plugin only adds its headers.
      strictPreflight: false,
      preflightContinue: true,
    })
    fastify.addHook('onRequest', async (request) => {
      // The plugin would answer a preflight from a route of its own, which sends no `Allow` and accepts unknown paths.
      Object.assign(request, { corsPreflightEnabled: false })
    })
  }
  // The route reads the body itself, once it knows who is asking.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  // Those that Fastify does not know of itself are added so that they get 405, as any other method does. CONNECT never reaches a route.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }
  // Fastify would refuse one without a Content-Type, in its own words.
  fastify.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  fastify.setErrorHandler((error, request, reply) => {
    // Fastify stops at a Content-Type that is not a media type. The route refuses it instead, once it knows who is asking.
    const { handler } = request.routeOptions
    const noType = (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    return noType && handler ? handler.call(fastify, request, reply) : carrying.refuse(request, reply, error)
  })
  return fastify
}
