/**
 * The field of a URL, parsed and stored as the WHATWG URL Standard prints it. One address has one
 * text then, and no other program reads another host in it than the server has checked.
 */
import { kindOf, type Members, oneOrMore, takeOptions } from '../../members.ts'
import { listAlternatives } from '../../words/names.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  operators,
  type ValueOf,
} from '../field.ts'
import { isLonger, isPlainText, parsePart } from '../text.ts'

/** `schemes`: with spaces between. */
type UrlLimits = { readonly schemes: string }

const lengthMax = 2048
const unseen = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u
/** The URL Standard's special schemes, whose URLs have a host. */
const hasHost = /^(?:https?|wss?|ftp):/i
const schemePattern = /^([a-z][a-z0-9+.-]*):/i
/** A page that links to them runs them, or shows what the text holds. */
const unsafeSchemes: ReadonlySet<string> = new Set(['javascript', 'data', 'vbscript', 'blob', 'file', 'about'])

const such = 'such as https://example.com/page'

/** The problem with a text before it is parsed: the parser would mend it. */
function textProblem(text: string): string | undefined {
  if (isLonger(text, lengthMax)) return `must be at most ${lengthMax} characters`
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  if (unseen.test(text)) return 'must not contain spaces, control characters or invisible ones'
  if (text.includes('\\')) return 'must not contain a backslash'
  return undefined
}

/**
 * The URL as it is stored: `HTTPS://Example.com:443/a/../b` → `https://example.com/b`. Throws
 * `bad-request`.
 */
function parseUrl(text: unknown, name: string, { limits }: FieldOf<UrlLimits>): string {
  if (typeof text !== 'string') throw fieldError(name, 'must be a string')
  const problem = textProblem(text)
  if (problem !== undefined) throw fieldError(name, problem)
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) throw fieldError(name, `must be an absolute URL ${such}`)
  const schemes = limits.schemes.split(' ')
  if (!schemes.includes(scheme)) throw fieldError(name, `must be a URL with the scheme ${listAlternatives(schemes)}`)
  const isWhole = !hasHost.test(text) || /^[^:]*:\/\/[^/]/.test(text)
  const url = isWhole ? URL.parse(text) : null
  if (!url) throw fieldError(name, `must be a URL ${such}`)
  if (url.username !== '' || url.password !== '') throw fieldError(name, 'must not contain a user name or a password')
  if (url.href.length > lengthMax) throw fieldError(name, `must be at most ${lengthMax} characters with its %-codes`)
  return url.href
}

export const urlType: FieldType<UrlLimits> = {
  name: 'url',
  column: 'text',
  operators,
  scalar: 'String',
  check: parseUrl,
  checkStored(value, name, field) {
    const href = parseUrl(value, name, field)
    if (href !== value) throw fieldError(name, `is stored as ${href}`)
  },
  isComparable: isPlainText,
  parse: parseUrl,
  parsePart: (text, name, field) => parsePart(text, name, { ...field, limits: { maxLength: lengthMax } }),
  parseCell: (cell, name, field) => parseUrl(cell.trim(), name, field),
  lengthMax: () => lengthMax,
  schema: ({ limits: { schemes } }) => ({
    type: 'string',
    format: 'uri',
    maxLength: lengthMax,
    pattern: `^(?:${schemes.split(' ').map(escaped).join('|')}):`,
  }),
  limitsMistake({ schemes }) {
    const unsafe = schemes.split(' ').find((one) => unsafeSchemes.has(one))
    return unsafe === undefined ? undefined : `schemes has "${unsafe}", and a page that links to it could run it`
  },
}

function escaped(scheme: string): string {
  return scheme.replace(/[+.]/g, '\\$&')
}

type UrlOptions<
  R extends boolean = boolean,
  D = DefaultOf<string> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string, never, L, Q> & {
  /** The schemes that it may have; `['http', 'https']` unless said. */
  schemes?: string | readonly string[]
}
const schemeKind = kindOf(
  'a scheme in lower case, such as https',
  (value) => typeof value === 'string' && /^[a-z][a-z0-9+.-]*$/.test(value),
)
const members = { ...commonMembers, schemes: oneOrMore(schemeKind) } satisfies Members<UrlOptions>

/**
 * An absolute URL of at most 2,048 characters: `url({ schemes: 'https' })`. It is stored and shown
 * as the URL Standard prints it: `https://Müller.example` becomes `https://xn--mller-kva.example/`.
 * One with a user name or a password is refused.
 */
export function url<
  const R extends boolean = false,
  const D extends DefaultOf<string> | undefined = DefaultOf<string> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: UrlOptions<R, D, L, Q>,
): Field<ValueOf<string, R, D>, string, { kind: 'text'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { schemes = ['http', 'https'], ...common } = known as UrlOptions
  return makeField(urlType, { ...common, limits: { schemes: [schemes].flat().join(' ') }, mistakes } as never)
}
