/** Reads the query and the body of a request to an endpoint, by its declared fields. */
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { readBytes, readRawBody } from '../../http/messages/read-body.ts'
import { checkInput, filledIn, useDefault } from '../../operation/body.ts'
import { checkParameters, parameterError, parseParameters } from '../../operation/parameters.ts'
import { collectProblems } from '../../operation/problem-collector.ts'
import type { AnyEndpoint } from '../../resource/endpoints/endpoint-declaration.ts'
import type { DefaultContext } from '../../resource/fields/field.ts'
import { decodeUtf8, parseJson } from '../../value/json.ts'

type Values = Readonly<Record<string, unknown>>

/** Throws `bad-request`. */
export function readQuery({ query: fields = {} }: AnyEndpoint, query: string, context: DefaultContext): Values {
  const sent = parseParameters(query)
  checkParameters(sent, Object.keys(fields))
  const mistakes = collectProblems()
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields))
    mistakes.during(() => {
      const text = sent.get(name)
      if (text === undefined && field.required) throw parameterError(name, `${name} is required`)
      if (text !== undefined) values[name] = field.type.parse(text, name, field)
      else values[name] = field.default === undefined ? null : useDefault
    })
  mistakes.end()
  return filledIn(fields, values, context)
}

export type SentBody = { readonly bytes: Buffer | undefined; readonly input: Values }

const jsonTypes = ['application/json']

/** Throws 400, 408, 413 and 415. */
export async function readBody(
  endpoint: AnyEndpoint,
  request: HttpRequest,
  context: DefaultContext,
): Promise<SentBody> {
  const { method, body, input = {}, limits } = endpoint
  if (method === 'GET') return { bytes: undefined, input: {} }
  if (body === 'raw') return { bytes: await readRawBody(request, limits?.bodyBytes), input: {} }
  const isRead = request.value !== undefined
  const bytes = isRead ? undefined : await readBytes(request, jsonTypes, limits?.bodyBytes)
  const value = isRead ? request.value : bytes && parseJson(decodeUtf8(bytes))
  return { bytes, input: filledIn(input, checkInput(input, value), context) }
}

/** Throws `unauthenticated` where `verify` does not take the body. */
export function unverified(cause?: unknown): ApiError {
  return new ApiError('unauthenticated', 'The signature is missing or wrong', { cause })
}
