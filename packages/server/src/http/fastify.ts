/** Fastify as we want it: routing, limits and time-outs, and nothing that answers in its own words. */
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import { rewriteUrl } from './message.ts'

/** Answers a request with an error. */
export type Refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => Promise<void>

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

/** A number trusts that many hops. */
function trustOf(trust: Config['trustProxy']) {
  return typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust
}

function makeInstance(config: Config, refuse: Refuse): FastifyInstance {
  return Fastify({
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
    frameworkErrors: (cause, request, reply) => {
      const malformed = cause.code === 'FST_ERR_BAD_URL'
      const message = malformed ? 'Malformed percent escape in the path' : 'The request cannot be routed'
      void refuse(request, reply, new ApiError('bad-request', message, { cause }))
    },
    clientErrorHandler: () => undefined, // answered by answerParserErrors, in order
  })
}

export async function makeFastify(config: Config, refuse: Refuse): Promise<FastifyInstance> {
  const fastify = makeInstance(config, refuse)
  if (config.corsOrigins.length > 0) {
    await fastify.register(cors, {
      origin: [...config.corsOrigins],
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['ETag', 'Location', 'Retry-After', 'X-Request-Id'],
      maxAge: 600,
      // A preflight is an OPTIONS like any other, answered as one; the plugin only adds its headers.
      strictPreflight: false,
      preflightContinue: true,
    })
    fastify.addHook('onRequest', async (request) => {
      // The plugin would end a preflight in a route of its own, which knows neither `Allow` nor an unknown path.
      Object.assign(request, { corsPreflightEnabled: false })
    })
  }
  // Bodies are read by the route, after it is known who asks.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  for (const method of unusualMethods) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }
  fastify.setErrorHandler((error, request, reply) => {
    // A Content-Type that is no media type would stop here; the route says what it thinks of it, once it is known who asks.
    const { handler } = request.routeOptions
    const noType = (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    return noType && handler ? handler.call(fastify, request, reply) : refuse(request, reply, error)
  })
  return fastify
}
