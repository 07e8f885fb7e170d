/** Describes responses: errors by their codes, and the parts that every response has. */
import type { DocumentedError } from '../endpoint/documented-response.ts'
import { type ErrorCode, errorCodes, factsOfError } from '../errors.ts'
import type { Catalog } from '../resource/catalog.ts'
import { headersNamed } from './headers.ts'
import { jsonContent, nodesOf, type OpenapiNode, objectSchema, refTo } from './openapi-node.ts'

/** An error response. Its text is the example of the schema. */
const refusal: OpenapiNode = {
  ...jsonContent(refTo('schemas', 'Error')),
  ...jsonContent(refTo('schemas', 'Problem'), 'application/problem+json'),
}

/** The statuses that any operation may return as errors. */
const anywhere: readonly ErrorCode[] = [
  'not-acceptable',
  'timeout',
  'too-large',
  'uri-too-long',
  'unsupported-media-type',
  'misdirected',
  'key-mismatch',
  'headers-too-large',
  'unavailable',
]

function refusedAnyhow(): OpenapiNode {
  const told = anywhere.map((code) => `${errorCodes[code].status}: ${errorCodes[code].about}`)
  const about = `Any other refusal. ${told.join(' ')}`
  return responseObject(about, ['Retry-After', 'Accept-Query'], refusal)
}

export function errorComponents(): OpenapiNode {
  const codes = Object.keys(errorCodes) as ErrorCode[]
  const named = nodesOf(
    codes.flatMap((code) => {
      const { answer: name, about, challenge, waits } = factsOfError(code)
      const headers = [
        ...(challenge ? ['WWW-Authenticate'] : []),
        ...(waits ? ['Retry-After'] : []),
        ...(code === 'bad-request' ? ['Accept-Query'] : []),
      ]
      return name ? [[name, responseObject(about, headers, refusal)] as const] : []
    }),
  )
  return { ...named, Refused: refusedAnyhow() }
}

/**
 * `errorsFor(['not-found'])` → `{ '404': { $ref: … }, default: { $ref: … } }`. Errors that any
 * request may get (media types, size, a busy server) are the default of every operation.
 */
export function errorsFor(codes: Iterable<DocumentedError>): OpenapiNode {
  const named = [...codes].map(
    (code) => [String(errorCodes[code].status), refTo('responses', errorCodes[code].answer)] as const,
  )
  return nodesOf([...named, ['default', refTo('responses', 'Refused')]])
}

export function responseObject(description: string, headers: readonly string[], content?: OpenapiNode): OpenapiNode {
  return { description, ...headersNamed(headers), ...(content ? { content } : {}) }
}

const count: OpenapiNode = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const sentence: OpenapiNode = { type: 'string', maxLength: 10_000 }

/** `codes`: those that the service may answer with. */
const schemasOf = (codes: readonly ErrorCode[]): OpenapiNode => ({
  Error: objectSchema('Why a request was refused.', {
    error: {
      ...sentence,
      description: 'One sentence that says what is wrong, and what to do.',
      examples: ['limit must be from 1 to 100'],
    },
  }),
  Problem: {
    type: 'object',
    description: 'Why a request was refused, by RFC 9457, for those who ask for it.',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri-reference', maxLength: 200, description: 'Where the code is explained.' },
      title: { type: 'string', maxLength: 200, description: 'A title for all errors of this code.' },
      status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The status.' },
      detail: { ...sentence, description: 'The sentence that `error` has otherwise.' },
      code: { type: 'string', enum: [...codes], description: 'The kind of error, for programs.' },
      requestId: { type: 'string', maxLength: 200, description: 'Names the request in the log.' },
      requiredRoles: {
        type: 'array',
        maxItems: 10,
        description: 'The roles that would have been enough.',
        items: { type: 'string', maxLength: 100 },
      },
      allow: {
        type: 'array',
        maxItems: 20,
        description: 'The methods that the path knows.',
        items: { type: 'string', maxLength: 20 },
      },
      errors: {
        type: 'array',
        maxItems: 1000,
        description: 'Every field or parameter that is wrong.',
        items: {
          type: 'object',
          description: 'A field or parameter that is wrong.',
          required: ['detail'],
          properties: {
            pointer: { ...sentence, description: 'Where it is in the body: a JSON pointer as a fragment.' },
            parameter: { ...sentence, description: 'The name of the parameter.' },
            detail: { ...sentence, description: 'The error in it.' },
          },
        },
      },
    },
  },
  ImportReport: objectSchema('The result of the lines of an import.', {
    created: { ...count, description: 'Lines that made a record.' },
    updated: { ...count, description: 'Lines that changed a record.' },
    rejected: { ...count, description: 'Lines that were refused.' },
    errors: {
      type: 'array',
      maxItems: 1000,
      description: 'The first rejected lines.',
      items: objectSchema('A rejected line.', {
        line: { ...count, minimum: 1, description: 'Its number, from 1.' },
        error: { ...sentence, description: 'Why it was refused.' },
      }),
    },
  }),
})

export function commonSchemas({ files }: Pick<Catalog, 'files'>): OpenapiNode {
  const codes = Object.keys(errorCodes) as ErrorCode[]
  return schemasOf(codes.filter((code) => files || !factsOfError(code).isOfFiles))
}
