/** Answers: errors by their codes, envelopes of lists, and the headers that go with them. */
import type { ErrorCode } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { jsonContent, type Node, nodesOf, refTo } from './node.ts'
import { schemaName } from './schemas.ts'

type ErrorAnswer = {
  readonly name: string
  readonly status: number
  readonly about: string
  readonly headers?: readonly string[]
}

/** The statuses are those of REST; a test holds the two lists together. */
export const errorAnswers = {
  'bad-request': {
    name: 'BadRequest',
    status: 400,
    about: 'The request cannot be understood; the sentence names the parameter or field.',
  },
  unauthenticated: {
    name: 'Unauthenticated',
    status: 401,
    about: 'No credential, or a bad one.',
    headers: ['WWW-Authenticate'],
  },
  forbidden: { name: 'Forbidden', status: 403, about: 'A good credential that may not do this.' },
  'not-found': { name: 'NotFound', status: 404, about: 'No such record, or none that the caller may see.' },
  'not-acceptable': { name: 'NotAcceptable', status: 406, about: '`Accept` excludes the type of the answer.' },
  conflict: { name: 'Conflict', status: 409, about: 'What is stored does not allow it: uniqueness, state, stock.' },
  'precondition-failed': { name: 'PreconditionFailed', status: 412, about: '`If-Match` names another version.' },
  'too-large': { name: 'TooLarge', status: 413, about: 'The body is too large.' },
  'unsupported-media-type': {
    name: 'UnsupportedMediaType',
    status: 415,
    about: 'The body has another media type or encoding.',
  },
  'too-many-requests': {
    name: 'TooManyRequests',
    status: 429,
    about: 'Too often; `Retry-After` says when again.',
    headers: ['Retry-After'],
  },
  internal: { name: 'InternalError', status: 500, about: 'A fault of the server.' },
  unavailable: {
    name: 'Unavailable',
    status: 503,
    about: 'Not now; `Retry-After` says when again.',
    headers: ['Retry-After'],
  },
} as const satisfies Partial<Record<ErrorCode, ErrorAnswer>>

export type DocumentedError = keyof typeof errorAnswers

function headersNamed(names: readonly string[]): Node {
  return { headers: nodesOf(names.map((name) => [name, refTo('headers', name)])) }
}

export const headerComponents: Node = {
  ETag: {
    description: 'The version of the record, for `If-Match` and `If-None-Match`.',
    schema: { type: 'string' },
    example: '"1"',
  },
  Location: { description: 'The path of the new record.', schema: { type: 'string' } },
  'X-Request-Id': { description: 'Names this request in the log.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The scheme to authenticate by.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds until a retry makes sense.', schema: { type: 'integer' } },
  'Set-Cookie': {
    description: 'The refresh cookie: HttpOnly, SameSite=Strict, for the path of these routes alone.',
    schema: { type: 'string' },
  },
}

export function errorComponents(): Node {
  const answers: readonly ErrorAnswer[] = Object.values(errorAnswers)
  return nodesOf(
    answers.map(({ name, about, headers = [] }) => [
      name,
      {
        description: about,
        ...headersNamed([...headers, 'X-Request-Id']),
        content: jsonContent(refTo('schemas', 'Error')),
      },
    ]),
  )
}

/** `errorsFor(['not-found'])` → `{ '404': { $ref: … } }` */
export function errorsFor(codes: Iterable<DocumentedError>): Node {
  return nodesOf(
    [...codes].map((code) => [String(errorAnswers[code].status), refTo('responses', errorAnswers[code].name)]),
  )
}

export function answer(description: string, headers: readonly string[], content?: Node): Node {
  return { description, ...headersNamed([...headers, 'X-Request-Id']), ...(content ? { content } : {}) }
}

/** A record where `fields` may have left something out. */
export function selectable(resource: Resource): Node {
  return { anyOf: [refTo('schemas', schemaName(resource)), refTo('schemas', schemaName(resource, 'part'))] }
}

function object(properties: Node): Node {
  return { type: 'object', required: Object.keys(properties), properties }
}

/** By the style of the list, as `rest/represent.ts` writes it. */
export function listSchema(resource: Resource): Node {
  const data: Node = { type: 'array', items: selectable(resource) }
  switch (resource.list.style) {
    case 'all':
      return object({ data, count: { type: 'integer', minimum: 0, description: 'The length of `data`.' } })
    case 'cursor':
      return object({ data, meta: refTo('schemas', 'CursorMeta') })
    case 'page':
      return object({
        success: { const: true },
        data,
        meta: { oneOf: [refTo('schemas', 'PageMeta'), refTo('schemas', 'CursorMeta')] },
      })
  }
}

const count: Node = { type: 'integer', minimum: 0 }

export const commonSchemas: Node = {
  Error: object({ error: { type: 'string' } }),
  PageMeta: object({
    page: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1 },
    total: { ...count, description: 'Records that match the filter.' },
    totalPages: count,
    hasNextPage: { type: 'boolean' },
    hasPrevPage: { type: 'boolean' },
  }),
  CursorMeta: object({
    limit: { type: 'integer', minimum: 1 },
    nextCursor: { type: ['string', 'null'], description: 'For the parameter `cursor`; null on the last page.' },
  }),
  ImportReport: object({
    created: count,
    updated: count,
    rejected: count,
    errors: {
      type: 'array',
      description: 'The first rejected lines.',
      items: object({ line: { type: 'integer', minimum: 1 }, error: { type: 'string' } }),
    },
  }),
}
