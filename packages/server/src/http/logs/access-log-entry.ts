/**
 * The fields of a request's log line. No line contains a credential: queries, headers, bodies and
 * cookies are never logged. Invisible characters are escaped.
 */
import type { RequestMeasurements } from '../../observe/request-measurements.ts'

export type AccessLogEntry = {
  readonly note: RequestMeasurements
  readonly method: string
  /** As the client sent it, without the query. */
  readonly path: string
  readonly status: number
  /** To three decimals. */
  readonly ms: number
  readonly address: string
}

const pathCharactersMax = 500

/**
 * A path may contain a key or token by mistake, percent-encoded or not: texts of that form are
 * removed.
 */
export function safePath(path: string): string {
  const decoded = path.includes('%')
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : path
  if (!decoded.includes('bk_') && !decoded.includes('eyJ')) return path.slice(0, pathCharactersMax)
  return decoded.slice(0, pathCharactersMax).replace(/(bk_|eyJ)[A-Za-z0-9._-]+/g, '$1…')
}

/** The fields of a line, in order. */
export function requestFields({ note, method, path, status, ms, address }: AccessLogEntry): Record<string, unknown> {
  const { requestId, traceId, route, userId, keyId, viewerId, operation, rows } = note
  const who = { userId, keyId, viewerId, operation }
  return { requestId, traceId, method, path: safePath(path), route, status, ms, address, ...who, rows }
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Escapes invisible characters in JSON. Otherwise a text could show in another order than it has
 * (U+202E), or as a line of its own.
 */
export function visible(json: string): string {
  if (!invisible.test(json)) return json
  return json.replace(new RegExp(invisible, 'gu'), (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** Texts that need no escape: ASCII without space, quotation mark or backslash. */
const plain = /^[!#-[\]-~]*$/

/** JSON of any text, with invisible characters escaped. */
export function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : visible(JSON.stringify(text))
}

/**
 * Characters for which a path is checked more closely: those that JSON escapes, `%`, and the first
 * letters of credentials, `_` and `J` (`bk_`, `eyJ`). Searching one class of characters costs half
 * of searching for those words too.
 */
const odd = /[^!#-$&-IK-[\]^`-~]/

/** Whether a path can be logged as it was sent. */
export function isPlainPath(path: string): boolean {
  return path.length <= pathCharactersMax && !odd.test(path)
}
