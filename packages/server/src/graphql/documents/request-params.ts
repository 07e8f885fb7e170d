/**
 * Reads the parameters of a GraphQL request (`query`, `operationName`, `variables`, `extensions`)
 * from the query string of a GET or the body of a POST.
 */
import type { RequestParams } from 'graphql-http'
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { readBytes } from '../../http/messages/read-body.ts'
import { parseParameters } from '../../operation/parameters.ts'
import { isTable } from '../../resource/members.ts'
import { decodeUtf8, parseJson } from '../../value/json.ts'
import type { StoredDocuments } from './stored-documents.ts'

function optional<T>(value: unknown, name: string, is: (value: unknown) => value is T): T | undefined {
  if (value === undefined || value === null) return undefined
  if (!is(value)) throw new ApiError('bad-request', `Invalid ${name}`)
  return value
}

const isString = (value: unknown): value is string => typeof value === 'string'

/**
 * The `sha256Hash` of a persisted query. An unreadable one is ignored where the query itself was
 * sent. Throws `bad-request`.
 */
function hashOf(extensions: unknown, hasText: boolean): string | undefined {
  const persisted = isTable(extensions) ? extensions.persistedQuery : undefined
  if (persisted === undefined || persisted === null) return undefined
  const { version, sha256Hash: hash } = isTable(persisted) ? persisted : {}
  if (version === 1 && isString(hash) && /^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase()
  if (hasText) return undefined
  throw new ApiError('bad-request', 'extensions.persistedQuery must have version 1 and a sha256Hash')
}

/**
 * `isWhole`: the parameters follow from the request alone, and not from a document stored under a
 * name.
 */
export type ReadParams = { readonly params: RequestParams; readonly isWhole: boolean }

/** Ignores members that the protocol does not define, as it requires. Throws `bad-request`. */
function checkParams(input: Record<string, unknown>, stored: StoredDocuments): ReadParams {
  const text = optional(input.query, 'query', isString)
  const id = optional(input.documentId, 'documentId', isString)
  const hash = hashOf(input.extensions, text !== undefined)
  const params = {
    query: stored.textOf({ text, id, hash }),
    // An empty name is none: forms and addresses send it so.
    operationName: optional(input.operationName, 'operationName', isString) || undefined,
    variables: optional(input.variables, 'variables', isTable),
    extensions: optional(input.extensions, 'extensions', isTable),
  }
  return { params, isWhole: text !== undefined && hash === undefined }
}

/**
 * `parseJson` blames the body in its message, but here a parameter is wrong. Throws a `bad-request`
 * that names it.
 */
function parseParameter(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    if (cause instanceof ApiError) throw new ApiError(cause.code, cause.message.replace(/^The body\b/, name), { cause })
    throw cause
  }
}

function paramsOfQuery(query: string, stored: StoredDocuments): ReadParams {
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

function paramsOfBody(bytes: Buffer, stored: StoredDocuments): ReadParams {
  const body = parseJson(decodeUtf8(bytes))
  if (Array.isArray(body)) throw new ApiError('bad-request', 'Batches are not supported; send one operation')
  if (!isTable(body)) throw new ApiError('bad-request', 'The body must be a JSON object')
  return checkParams(body, stored)
}

/** The sent text before its parameters are read. */
export type SentDocument = {
  /** The address's query or the body, byte by byte. */
  readonly text: string
  /** Throws `bad-request`, and a `GraphQLError` for a document that is not stored. */
  read(stored: StoredDocuments): ReadParams
}

/** Throws `method-not-allowed`, `bad-request`, `too-large` and `unsupported-media-type`. */
export async function readSentDocument(request: HttpRequest): Promise<SentDocument> {
  const { method, query, headers } = request
  if (method === 'GET' || method === 'HEAD')
    return { text: `?${query}`, read: (stored) => paramsOfQuery(query, stored) }
  if (method !== 'POST') throw new ApiError('method-not-allowed', 'Method not allowed', { allow: ['GET', 'POST'] })
  if (headers['content-type'] === undefined)
    throw new ApiError('unsupported-media-type', 'Send the body as application/json in UTF-8')
  const bytes = await readBytes(request, ['application/json'])
  if (bytes === undefined) throw new ApiError('bad-request', 'Missing body')
  return { text: bytes.toString('latin1'), read: (stored) => paramsOfBody(bytes, stored) }
}
