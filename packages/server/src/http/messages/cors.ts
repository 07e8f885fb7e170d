/**
 * What browsers on the other origins of the configuration may do and see: headers beside those of
 * any answer, also of a refusal.
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
]
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
    // A preflight is answered like any other OPTIONS request, with these headers beside.
    preflightContinue: true,
  })
  return (raw, reply) => add(raw, reply, goOn)
}
