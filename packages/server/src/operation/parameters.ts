/**
 * Parses query strings: `application/x-www-form-urlencoded` pairs. Each name occurs at most once,
 * except for names of lists.
 */
import { ApiError } from '../errors.ts'
import { listedParameters, listParameters } from '../resource/list-style.ts'

export type Parameters = ReadonlyMap<string, string>

const none: Parameters = new Map()

/** `field[in]`, which is a list as those of `listParameters` are. */
const inPattern = /^[^[\]]+\[in\]$/

/** A name with an escape may be any name. */
const escapedName = /(?:^|&)[^=&]*%/

/**
 * Whether a query may have a parameter of such a name, which `written` finds as it is written
 * without escapes. Takes less than to parse it.
 */
export function mayName(query: string, written: RegExp): boolean {
  return written.test(query) || (query.includes('%') && escapedName.test(query))
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch (cause) {
    throw new ApiError('bad-request', 'Malformed percent escape in the query', { cause })
  }
}

const bracketsPattern = /^([^[\]]+)\[(?:\d*)\]$/

/**
 * `sort[]=a&sort[]=b`, as axios and PHP write lists, is no form of this API. Throws `bad-request`
 * that names the right one.
 */
function checkBrackets(name: string, lists: ReadonlySet<string>): void {
  const base = bracketsPattern.exec(name)?.[1]
  if (base === undefined) return
  const shown = base.slice(0, 100)
  const form = lists.has(base) ? `${shown}=a,b or ${shown}=a&${shown}=b` : `${shown}[in]=a,b`
  throw parameterError(name, `Write ${form} instead of ${name.slice(0, 110)}`)
}

/**
 * `'page=2&sort=-price'` → a map; `'sort=a&sort=b'` is `sort=a,b`. Throws `bad-request` for any
 * name that is repeated and not among the lists, or a malformed escape.
 */
export function parseParameters(query: string, lists: ReadonlySet<string> = listedParameters): Parameters {
  if (query === '') return none
  const parameters = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    if (name.endsWith(']')) checkBrackets(name, lists)
    const before = parameters.get(name)
    if (before !== undefined && !lists.has(name) && !inPattern.test(name))
      throw parameterError(name, `The query parameter ${name} occurs twice`)
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    if (value.includes('\0')) throw parameterError(name, `${name} must not contain a NUL character`)
    parameters.set(name, before === undefined ? value : `${before},${value}`)
  }
  return parameters
}

/** Throws `bad-request` for the first parameter that is not among the names. */
export function checkParameters(parameters: Parameters, known: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (name !== listParameters.credential.name && !known.includes(name)) throw unknownParameter(name)
  }
}

/** `bad-request` about a parameter. */
export function parameterError(name: string, detail: string, cause?: unknown): ApiError {
  return new ApiError('bad-request', detail, { cause, mistakes: [{ field: name, detail, isParameter: true }] })
}

export function unknownParameter(name: string): ApiError {
  const shown = name.slice(0, 100)
  return parameterError(shown, `Unknown query parameter ${shown}`)
}
