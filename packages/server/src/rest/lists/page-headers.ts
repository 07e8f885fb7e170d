/** The headers of a list: its total, and links to the neighbouring pages (RFC 8288). */
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { lineOf, printLines } from '../../http/messages/head.ts'
import type { PageInfo } from '../../perform/result.ts'
import { listParameters } from '../../resource/list-style.ts'

type PageRequestTarget = Pick<HttpRequest, 'path' | 'query'>

/** Clients take a few kilobytes of headers, and there may be four links. */
const queryLengthMax = 1_500

const { page: pageName, cursor: cursorName, credential } = listParameters
/** A link sets its own position, and never contains the caller's credential. */
const replaced: ReadonlySet<string> = new Set([pageName.name, cursorName.name, credential.name])

function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  const name = equals === -1 ? pair : pair.slice(0, equals)
  return name.includes('%') ? decodeURIComponent(name) : name // the query was parsed before
}

/** Characters that would end a link, or that a header cannot contain. */
const unsafe = /[^\x21-\x7e]|[<>"]/
const everyUnsafe = new RegExp(unsafe, 'g')

/** The query without its position in the list and without characters that would end a link. */
function restOf(query: string): string {
  let rest = ''
  for (const pair of query.split('&')) if (pair !== '' && !replaced.has(nameOf(pair))) rest += `${pair}&`
  return unsafe.test(rest) ? rest.replace(everyUnsafe, encodeURIComponent) : rest
}

/**
 * The start of each link of a list; undefined where a query is too long for links. The path is as
 * it was sent, so it is a valid reference.
 */
export function linkBaseOf({ path, query }: PageRequestTarget): string | undefined {
  return query.length > queryLengthMax ? undefined : `${path}?${restOf(query)}`
}

type LinkTargets = readonly (readonly [string, string])[]

function numbered(page: PageInfo & { readonly kind: 'page' }): LinkTargets {
  const { page: number, limit, total } = page
  const last = total === null ? undefined : Math.max(1, Math.ceil(total / limit))
  const hasNext = last === undefined ? page.hasNext === true : number < last
  const at = (place: number) => `${pageName.name}=${place}`
  return [
    ['first', at(1)],
    ...(number > 1 ? [['prev', at(Math.min(number - 1, last ?? number))] as const] : []),
    ...(hasNext ? [['next', at(number + 1)] as const] : []),
    ...(last === undefined ? [] : [['last', at(last)] as const]),
  ]
}

function placesOf(page: PageInfo): LinkTargets {
  if (page.kind === 'page') return numbered(page)
  return page.nextCursor === null ? [] : [['next', `${cursorName.name}=${encodeURIComponent(page.nextCursor)}`]]
}

const linksOf = (base: string, page: PageInfo) =>
  placesOf(page)
    .map(([relation, place]) => `<${base}${place}>; rel="${relation}"`)
    .join(', ')

export function pageHeaders(asked: PageRequestTarget, page: PageInfo): Record<string, string> {
  const headers: Record<string, string> = {}
  // `count=none` changes the response, and caches must know (RFC 7240, section 2).
  if (page.kind === 'page') headers.vary = 'Prefer'
  if (page.kind === 'page' && page.total !== null) headers['x-total-count'] = String(page.total)
  const base = linkBaseOf(asked)
  const links = base === undefined ? '' : linksOf(base, page)
  if (links !== '') headers.link = links
  return headers
}

/** The header lines of a numbered page that depend on its total. `base`: the start of its links. */
export function totalLines(base: string | undefined, page: PageInfo & { readonly kind: 'page' }): string {
  const link = base === undefined ? '' : lineOf('link', linksOf(base, page))
  return `${lineOf('x-total-count', String(page.total))}${link}`
}

/** Headers that no later step reads. They are cached as lines, printed once for all clients. */
const printedNames: ReadonlySet<string> = new Set(['x-total-count', 'link'])

/** `printed`: undefined where there are no such headers, or one that cannot be printed so. */
export function splitHeaders(headers: Readonly<Record<string, string>>) {
  const others: Record<string, string> = {}
  const printable: Record<string, string> = {}
  for (const name in headers) {
    const group = printedNames.has(name) ? printable : others
    group[name] = headers[name] as string
  }
  return { others, printed: printLines(printable) }
}
