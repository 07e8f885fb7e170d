/**
 * Reads the source of a regular expression as a tree. Only what a machine without backtracking can
 * match is taken: no look-around, no back reference, no boundary of a word.
 */

/** A test of one character, or parts in order, one of several, or as often as said. */
export type PatternNode =
  | { readonly kind: 'one'; readonly source: string }
  | { readonly kind: 'parts'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'options'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly of: PatternNode; readonly min: number; readonly max: number }

/** A sentence about a pattern that cannot be used, which begins with a verb. */
export class PatternProblem extends Error {}

const escapeToken =
  /^\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[^}]*\}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)/su
const classToken = /^\[(?:\\.|[^\]\\])*\]/su
const groupToken = /^\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/u
const quantifierToken = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/u

type Source = { at: number; readonly text: string; depth: number }

/** Takes what the token matches at the present place; undefined where it does not. */
function take(source: Source, token: RegExp): RegExpExecArray | undefined {
  const found = token.exec(source.text.slice(source.at))
  if (found) source.at += found[0].length
  return found ?? undefined
}

function parseOne(source: Source): PatternNode {
  const escaped = take(source, escapeToken)?.[0]
  if (escaped !== undefined) {
    if (/^\\[bBk1-9]/.test(escaped)) throw new PatternProblem(`has ${escaped}, which no pattern may have`)
    return { kind: 'one', source: escaped }
  }
  const set = take(source, classToken)?.[0]
  if (set !== undefined) return { kind: 'one', source: set }
  if (source.text[source.at] === '(') {
    if (!take(source, groupToken))
      throw new PatternProblem(`has ${source.text.slice(source.at, source.at + 3)}…, which no pattern may have`)
    source.depth += 1
    const inner = parseOptions(source)
    source.depth -= 1
    source.at += 1 // the closing parenthesis
    return inner
  }
  const point = String.fromCodePoint(source.text.codePointAt(source.at) as number)
  if (point === '^' || point === '$')
    throw new PatternProblem(`has ${point} inside; a pattern is about the whole text anyway`)
  source.at += point.length
  return { kind: 'one', source: point }
}

function parseQuantified(source: Source): PatternNode {
  const of = parseOne(source)
  const found = take(source, quantifierToken)
  if (!found) return of
  const [, sign, least, comma, most] = found
  if (sign !== undefined)
    return { kind: 'repeat', of, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  const min = Number(least)
  const open = most === '' ? Number.POSITIVE_INFINITY : Number(most)
  return { kind: 'repeat', of, min, max: comma === '' ? min : open }
}

/** `^` before a whole option and `$` behind it mean nothing, as the whole text must match. */
function parseParts(source: Source): PatternNode {
  const parts: PatternNode[] = []
  if (source.depth === 0) take(source, /^\^/)
  for (;;) {
    if (source.depth === 0) take(source, /^\$(?=\||$)/)
    if (source.at >= source.text.length || /^[|)]/.test(source.text.slice(source.at, source.at + 1))) break
    parts.push(parseQuantified(source))
  }
  return { kind: 'parts', parts }
}

function parseOptions(source: Source): PatternNode {
  const options = [parseParts(source)]
  while (source.text[source.at] === '|') {
    source.at += 1
    options.push(parseParts(source))
  }
  return { kind: 'options', options }
}

/** Throws a `PatternProblem`. */
export function parsePattern(text: string): PatternNode {
  try {
    new RegExp(text, 'u')
  } catch (cause) {
    throw new PatternProblem(`is no regular expression: ${(cause as Error).message.replace(/^.*: /s, '')}`, { cause })
  }
  return parseOptions({ text, at: 0, depth: 0 })
}
