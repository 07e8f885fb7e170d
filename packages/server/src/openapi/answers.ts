/** Responses: errors by their codes, the envelopes of lists, and the headers that go with them. */
import { type ErrorCode, errorCodes, factsOfError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { jsonContent, type Node, nodesOf, refTo } from './node.ts'
import { schemaName } from './schemas.ts'

type Codes = typeof errorCodes
/** The codes that operations list among their responses. */
export type DocumentedError = { [C in ErrorCode]: Codes[C] extends { answer: string } ? C : never }[ErrorCode]

function headersNamed(names: readonly string[]): Node {
  return { headers: nodesOf(names.map((name) => [name, refTo('headers', name)])) }
}

export const headerComponents: Node = {
  ETag: {
    description: 'The version of the record, or the validator of a list, for `If-Match` and `If-None-Match`.',
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
  const codes = Object.keys(errorCodes) as ErrorCode[]
  return nodesOf(
    codes.flatMap((code) => {
      const { answer: name, about, challenge, waits } = factsOfError(code)
      const headers = [...(challenge ? ['WWW-Authenticate'] : []), ...(waits ? ['Retry-After'] : [])]
      return name ? [[name, answer(about, headers, jsonContent(refTo('schemas', 'Error')))] as const] : []
    }),
  )
}

/** `errorsFor(['not-found'])` → `{ '404': { $ref: … } }` */
export function errorsFor(codes: Iterable<DocumentedError>): Node {
  return nodesOf(
    [...codes].map((code) => [String(errorCodes[code].status), refTo('responses', errorCodes[code].answer)]),
  )
}

export function answer(description: string, headers: readonly string[], content?: Node): Node {
  return { description, ...headersNamed([...headers, 'X-Request-Id']), ...(content ? { content } : {}) }
}

/** A record, or the part of it that `fields` selects. */
export function selectable(resource: Resource): Node {
  return { anyOf: [refTo('schemas', schemaName(resource)), refTo('schemas', schemaName(resource, 'part'))] }
}

function object(properties: Node): Node {
  return { type: 'object', required: Object.keys(properties), properties }
}

/** By the style of the list, as `rest/represent-result.ts` writes it. */
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
    total: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Records that match the filter; null where it was not counted.',
    },
    totalPages: { type: ['integer', 'null'], minimum: 0 },
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
