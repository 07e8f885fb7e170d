/** Numbers in JSON texts: refuses those that a double cannot hold (RFC 7493, section 2.2). */

/** A double gives every decimal number of up to so many digits back unchanged. */
const exactDigits = 15
const [zero, nine, minus, dot, plus, e, capitalE] = [48, 57, 45, 46, 43, 101, 69] as const

/** The index after the number that begins at `start`. */
export function numberEnd(text: string, start: number): number {
  let at = start
  for (; ; at += 1) {
    const code = text.charCodeAt(at)
    const isPart = (code >= zero && code <= nine) || code === dot || code === minus || code === plus
    if (!isPart && code !== e && code !== capitalE) return at
  }
}

/**
 * The same text for the same decimal number: `decimalOf('1.50')` → `15e-1`, and so for `15e-1` and
 * `0.15E1`.
 */
function decimalOf(text: string): string {
  const from = text.charCodeAt(0) === minus ? 1 : 0
  const e = Math.max(text.indexOf('e'), text.indexOf('E'))
  const end = e === -1 ? text.length : e
  const point = text.indexOf('.')
  const digits = point === -1 ? text.slice(from, end) : text.slice(from, point) + text.slice(point + 1, end)
  const exponent = (e === -1 ? 0 : Number(text.slice(e + 1))) - (point === -1 ? 0 : end - point - 1)
  let [first, last] = [0, digits.length]
  while (digits.charCodeAt(first) === zero) first += 1
  while (last > first && digits.charCodeAt(last - 1) === zero) last -= 1
  return first === last ? '0' : `${digits.slice(first, last)}e${exponent + digits.length - last}`
}

/**
 * The mistake in a number of a JSON text; undefined when it is the shortest text of a double. Field
 * types refuse whole numbers beyond 2⁵³, which may have been rounded before they were sent.
 */
function faultOf(raw: string): string | undefined {
  const value = Number(raw)
  if (!Number.isFinite(value)) return 'is too large a number'
  if (value === 0 && /^-?[0.]*[1-9]/.test(raw)) return 'is too small a number'
  const shown = raw.length > exactDigits ? String(value) : raw
  const rounded = shown !== raw && decimalOf(raw) !== decimalOf(shown)
  return rounded ? 'is beyond what a JSON number holds exactly' : undefined
}

/**
 * Whether the number is good at first sight: few digits, and no exponent that takes it out of what
 * a double holds. `19.99`, `1e5`, `-2.5e-7`
 */
function isShort(text: string, start: number, end: number): boolean {
  if (end - start > exactDigits) return false
  let at = start
  while (at < end && text.charCodeAt(at) <= nine) at += 1
  if (at === end) return true
  const digits = at - start
  const sign = text.charCodeAt(at + 1)
  const first = sign === minus || sign === plus ? at + 2 : at + 1
  if (end - first > 2) return false
  return sign === minus || digits + Number(text.slice(first, end)) <= exactDigits
}

/** A whole number beyond 2⁵³ in a parsed value, which may have been rounded before it was sent. */
export function unsafeNumberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const part of Object.values(value)) {
    const found = unsafeNumberIn(part)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The mistake in the number from `start` to `end`, with its first digits; undefined for a good one.
 */
export function numberFault(text: string, start: number, end: number): string | undefined {
  if (isShort(text, start, end)) return undefined
  const raw = text.slice(start, end)
  const fault = faultOf(raw)
  return fault && `${raw.slice(0, 40)} ${fault}`
}
