/**
 * What the log says of a request. It contains no credential: queries, headers, bodies and cookies
 * are never logged, and nothing in it is invisible.
 */
import type { RequestMeasurements } from '../../observe/request-measurements.ts'

export type AccessLogEntry = {
  readonly note: RequestMeasurements
  readonly method: string
  /** As the client sent it, without its query. */
  readonly path: string
  readonly status: number
  /** To three decimals. */
  readonly ms: number
  readonly address: string
}

const pathCharactersMax = 500

/**
 * A path may contain a key or token by mistake, percent-encoded or not: whatever looks like one is
 * cut.
 */
export function safePath(path: string): string {
  const decoded = path.includes('%')
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : path
  if (!decoded.includes('bk_') && !decoded.includes('eyJ')) return path.slice(0, pathCharactersMax)
  return decoded.slice(0, pathCharactersMax).replace(/(bk_|eyJ)[A-Za-z0-9._-]+/g, '$1…')
}

/** What a line says of a request, in its order. */
export function requestFields({ note, method, path, status, ms, address }: AccessLogEntry): Record<string, unknown> {
  const { requestId, traceId, route, userId, keyId, operation, rows } = note
  const who = { userId, keyId, operation }
  return { requestId, traceId, method, path: safePath(path), route, status, ms, address, ...who, rows }
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * JSON in which nothing is invisible: whoever reads a log must not be shown a text in another order
 * than it has (U+202E), or another line.
 */
export function visible(json: string): string {
  if (!invisible.test(json)) return json
  return json.replace(new RegExp(invisible, 'gu'), (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}

/**
 * Nothing in it has to be escaped: no space, quotation mark or backslash, and all of it is ASCII.
 */
const plain = /^[!#-[\]-~]*$/

/** JSON in which nothing is invisible, of any text. */
export function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : visible(JSON.stringify(text))
}

/**
 * Characters for which a path is looked at more closely: those that JSON escapes, `%`, and the `_`
 * and `J` that any credential begins with (`bk_`, `eyJ`). To look for one class of characters costs
 * half of what it costs to look for those words too.
 */
const odd = /[^!#-$&-IK-[\]^`-~]/

/** Whether a path stands in its line as it was sent. */
export function isPlainPath(path: string): boolean {
  return path.length <= pathCharactersMax && !odd.test(path)
}
