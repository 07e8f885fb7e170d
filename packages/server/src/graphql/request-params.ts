/** The parameters of a GraphQL request: `query` or what names it, `operationName`, `variables`, `extensions`, in the query string of a GET or the body of a POST. */
import type { RequestParams } from 'graphql-http'
import { ApiError } from '../errors.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { readJson } from '../http/read-body.ts'
import { parseParameters } from '../operation/parameters.ts'
import { isTable } from '../resource/members.ts'
import { parseJson } from '../value/json.ts'
import type { StoredDocuments } from './stored-documents.ts'

function optional<T>(value: unknown, name: string, is: (value: unknown) => value is T): T | undefined {
  if (value === undefined || value === null) return undefined
  if (!is(value)) throw new ApiError('bad-request', `Invalid ${name}`)
  return value
}

const isString = (value: unknown): value is string => typeof value === 'string'

/** The `sha256Hash` of a persisted query. What cannot be understood is ignored where the query itself was sent. Throws `bad-request`. */
function hashOf(extensions: unknown, hasText: boolean): string | undefined {
  const persisted = isTable(extensions) ? extensions.persistedQuery : undefined
  if (persisted === undefined || persisted === null) return undefined
  const { version, sha256Hash: hash } = isTable(persisted) ? persisted : {}
  if (version === 1 && isString(hash) && /^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase()
  if (hasText) return undefined
  throw new ApiError('bad-request', 'extensions.persistedQuery must have version 1 and a sha256Hash')
}

/** Ignores members that the protocol does not define, as it requires. Throws `bad-request`. */
function checkParams(input: Record<string, unknown>, stored: StoredDocuments): RequestParams {
  const text = optional(input.query, 'query', isString)
  const id = optional(input.documentId, 'documentId', isString)
  return {
    query: stored.textOf({ text, id, hash: hashOf(input.extensions, text !== undefined) }),
    operationName: optional(input.operationName, 'operationName', isString),
    variables: optional(input.variables, 'variables', isTable),
    extensions: optional(input.extensions, 'extensions', isTable),
  }
}

/** `parseJson` blames the body in its message, but here a parameter is wrong. Throws a `bad-request` that names it. */
function parseParameter(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    if (cause instanceof ApiError) throw new ApiError(cause.code, cause.message.replace(/^The body\b/, name), { cause })
    throw cause
  }
}

function paramsOfQuery(query: string, stored: StoredDocuments): RequestParams {
  const parameters = parseParameters(query)
  const jsonOf = (name: string) => {
    const text = parameters.get(name)
    return text ? parseParameter(name, text) : undefined
  }
  const sent = {
    query: parameters.get('query'),
    documentId: parameters.get('documentId'),
    operationName: parameters.get('operationName'),
    variables: jsonOf('variables'),
    extensions: jsonOf('extensions'),
  }
  return checkParams(sent, stored)
}

/** Throws `method-not-allowed`, `bad-request`, `too-large`, `unsupported-media-type`, and a `GraphQLError` for a document that is not stored. */
export async function readParams(request: HttpRequest, stored: StoredDocuments): Promise<RequestParams> {
  if (request.method === 'GET' || request.method === 'HEAD') return paramsOfQuery(request.query, stored)
  if (request.method !== 'POST')
    throw new ApiError('method-not-allowed', 'Method not allowed', { allow: ['GET', 'POST'] })
  if (request.headers['content-type'] === undefined)
    throw new ApiError('unsupported-media-type', 'Send the body as application/json in UTF-8')
  const body = await readJson(request, ['application/json'])
  if (body === undefined) throw new ApiError('bad-request', 'Missing body')
  if (Array.isArray(body)) throw new ApiError('bad-request', 'Batches are not supported; send one operation')
  if (!isTable(body)) throw new ApiError('bad-request', 'The body must be a JSON object')
  return checkParams(body, stored)
}
