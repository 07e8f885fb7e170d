/**
 * CORS: the headers that allow scripts of the configured origins to call the API and read its
 * responses, also errors.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'
import type { Config } from '../../config.ts'
import type { HttpMethod } from '../router.ts'

const methods: readonly HttpMethod[] = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']
const listed = (words: readonly string[]) => words.join(', ')
const exposedHeaders = [
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
  'Change-Position',
]
/** The header that lets scripts read these too, for a response that has them. */
export function exposing(more: readonly string[]): Readonly<Record<string, string>> {
  return { 'access-control-expose-headers': listed([...exposedHeaders, ...more]) }
}
const maxAgeSeconds = 600

const goOn = () => undefined

/** Adds the headers to the response. Undefined where no other origin is allowed. */
export function makeCors({
  corsOrigins,
}: Pick<Config, 'corsOrigins'>): ((raw: IncomingMessage, reply: ServerResponse) => void) | undefined {
  if (corsOrigins.length === 0) return undefined
  const add = cors({
    origin: [...corsOrigins],
    credentials: true,
    methods: listed(methods),
    exposedHeaders: listed(exposedHeaders),
    maxAge: maxAgeSeconds,
    // A preflight is answered like any other OPTIONS request, with these headers added.
    preflightContinue: true,
  })
  return (raw, reply) => add(raw, reply, goOn)
}
