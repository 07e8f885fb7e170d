/**
 * The method QUERY (RFC 10008) on lists: parameters as JSON in the body, where they are too long or
 * too private for an address. The server converts it to the equivalent query string. So GET and
 * QUERY mean the same and share cached responses.
 */
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { queryType } from '../../http/paths.ts'
import { checkObject } from '../../operation/body.ts'
import { parameterError } from '../../operation/parameters.ts'
import { listParameters } from '../../resource/list-style.ts'
import { signParameter, takesSign } from '../file-routes.ts'
import type { Route } from '../route.ts'

const { credential } = listParameters

function pair(name: string, text: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw parameterError(name, `${name} must be a string, a number, true or false, or a list of them`)
}

function listText(name: string, values: readonly unknown[]): string {
  const texts = values.map((value) => textOf(name, value))
  if (texts.some((text) => text.includes(',')))
    throw parameterError(name, `${name} must not have a comma within a value of its list`)
  return texts.join(',')
}

/** `{ price: { gte: 5 } }` → `price[gte]=5`; parameters that take JSON keep theirs. */
function pairsOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return [pair(name, listText(name, value))]
  if (typeof value !== 'object' || value === null) return [pair(name, textOf(name, value))]
  if (name === 'filter') return [pair(name, JSON.stringify(value))]
  return Object.entries(value).flatMap(([operator, one]) =>
    typeof one === 'object' && !Array.isArray(one)
      ? [pair(`${name}[${operator}]`, textOf(name, one))]
      : pairsOf(`${name}[${operator}]`, one),
  )
}

/**
 * The request as a GET would have made it. Parameters in the address count too. Throws the errors
 * of reading the body.
 */
export async function asQuery(route: Route, request: HttpRequest): Promise<HttpRequest> {
  request.tell('Accept-Query', queryType)
  const body = await readJson(request, [queryType])
  const asked = body === undefined ? {} : checkObject(body)
  // The caller was identified before the body was read.
  const { name, header } = credential
  if (Object.hasOwn(asked, name))
    throw parameterError(name, `${name} does not go into the body; send the key in the header ${header}`)
  // Signing comes before the body, too.
  if (Object.hasOwn(asked, signParameter) && takesSign(route))
    throw parameterError(signParameter, `${signParameter} does not go into the body; send it in the address`)
  const pairs = Object.entries(asked).flatMap(([name, value]) => pairsOf(name, value))
  const query = [request.query, ...pairs].filter((one) => one !== '').join('&')
  return { ...request, query, body: undefined }
}
