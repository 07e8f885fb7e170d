/** Describes response headers. A header with `required` is in every response that lists it. */
import { nodesOf, type OpenapiNode, refTo } from './openapi-node.ts'

const text = (maxLength: number): OpenapiNode => ({ type: 'string', maxLength })
const whole: OpenapiNode = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** Headers that every response may have. The introduction tells of others. */
const everywhere = ['X-Request-Id', 'RateLimit']

const challenge: OpenapiNode = {
  description: 'The credentials that the server accepts.',
  schema: text(1000),
  example: 'Bearer realm="bindery"',
}

/** For a response that stands for several statuses: only 401 has it. */
export const challengeAmongOthers: OpenapiNode = { 'WWW-Authenticate': challenge }

export const headerComponents: OpenapiNode = {
  ETag: {
    description: 'The version of what is answered, for `If-Match` and `If-None-Match`.',
    schema: { ...text(200), pattern: '^(W/)?"[^"]*"$' },
    example: '"1"',
  },
  Location: {
    description: 'Where the new record is, or where to go on.',
    schema: { ...text(2000), format: 'uri-reference' },
  },
  Link: {
    description: 'Where a list goes on: `first`, `prev`, `next`, `last` (RFC 8288).',
    schema: text(8000),
    example: '</api/v1/things?page=2>; rel="next"',
  },
  'X-Total-Count': { description: 'How many records match, on lists with numbered pages.', schema: whole, example: 42 },
  'Accept-Query': { description: 'The media type of a QUERY body (RFC 10008).', schema: text(200) },
  'Accept-Ranges': { description: 'The units of ranges.', schema: { type: 'string', enum: ['bytes'] } },
  'X-Request-Id': { description: 'Names this request in the log.', required: true, schema: text(200) },
  'WWW-Authenticate': { ...challenge, required: true },
  'Retry-After': { description: 'Seconds until a retry makes sense.', schema: whole, example: 5 },
  'Preference-Applied': {
    description: 'The followed preferences of `Prefer`.',
    schema: text(200),
    example: 'return=minimal',
  },
  'Idempotency-Replayed': {
    description: '`true` where a key was used before.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  RateLimit: {
    description: 'The rest of the rate limit, where there is one.',
    schema: text(200),
    example: '"client";r=599;t=60',
  },
  'Set-Cookie': {
    description: 'The refresh cookie: HttpOnly, SameSite=Strict, for the path of these routes alone.',
    schema: text(4000),
  },
}

/** Where records have files. */
export const uploadHeaders: OpenapiNode = {
  'Upload-Offset': { description: 'How many bytes of the upload are stored.', schema: whole, example: 65_536 },
  'Upload-Length': { description: 'How many bytes the upload has.', schema: whole, example: 100_000 },
  'Upload-Expires': { description: 'Until when the upload is kept.', schema: text(200) },
}

/** Headers of writes: whether the key was used before, and which preferences were followed. */
export const ofWrites = ['Preference-Applied', 'Idempotency-Replayed']

/** `headers` with these and those of every response. */
export function headersNamed(names: readonly string[]): OpenapiNode {
  return {
    headers: nodesOf([...new Set([...names, ...everywhere])].map((name) => [name, refTo('headers', name)])),
  }
}
