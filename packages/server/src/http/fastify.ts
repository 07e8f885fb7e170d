/** Fastify, configured for routing, limits and timeouts only: it sends no response in its own words. */
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Config, limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import { rewriteUrl } from './message.ts'

/** Responds to a request with an error. */
export type Refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) => Promise<void>

/** Methods that Fastify does not know of itself. Added so that they get 405, as any other method does. */
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

/** A number means that many trusted hops. */
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
      requireHostHeader: false, // checkMessage refuses it, in our own format
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
  for (const method of unusualMethods) {
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method)
  }
  fastify.setErrorHandler((error, request, reply) => {
    // Fastify stops at a Content-Type that is not a media type. The route refuses it instead, once it knows who is asking.
    const { handler } = request.routeOptions
    const noType = (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    return noType && handler ? handler.call(fastify, request, reply) : refuse(request, reply, error)
  })
  return fastify
}
