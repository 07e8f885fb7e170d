/**
 * What the bytes of a numbered page are made of: what comes before its records, the records, and the end, which says what it says of the whole list. A
 * page of which one of these alone has changed is put together from the others. Its ETag is a hash of what is before its end, and the total, from which
 * the end follows: for another total no record is looked at.
 */
import { hash } from 'node:crypto'
import { type PageForm, type PagePart, type PrintRecord, spansOf } from '../kept/page-part.ts'
import { metaOf, type PageInfo, type Result } from '../perform/result.ts'
import { inOnePiece } from '../value/latin1.ts'
import { lend } from '../value/lent.ts'
import type { Represented } from '../value/represent.ts'
import { linkBaseOf, totalLines } from './page-headers.ts'

type Numbered = PageInfo & { readonly kind: 'page' }

const beforeRows = '{"success":true,"data":['
const behindRows = '],'
/** Around a record. */
const braces = 2
/** ASCII. */
const endOf = (page: Numbered) => `"meta":${JSON.stringify(metaOf(page))}}`

/** The key of the same list by another query, with which it ends. */
const keyWith = (key: string, query: string, other: string) => key.slice(0, key.length - query.length) + other

/** 120 bits of a hash are 20 characters, and seven more any total below 36 to the power of 7. */
const digestBytes = 15
const totalCharacters = 7

const digestOf = (bytes: Buffer) => hash('sha256', bytes, 'buffer').toString('base64url', 0, digestBytes)
const etagOf = (digest: string, total: number) => `"${digest}${total.toString(36).padStart(totalCharacters, '0')}"`

/** What is the same in the query of each page of a list. */
const pageParameter = /(^|&)page=\d+(?=&|$)/

/** The parts of a page that says the total, and its ETag; undefined where it is printed in another way. `print`: of one of its records. */
export function pagePartOf(
  asked: { readonly path: string; readonly query: string },
  { result, print }: { readonly result: Result; readonly print: PrintRecord | undefined },
  body: Buffer,
): { readonly part: PagePart; readonly etag: string } | undefined {
  if (result.kind !== 'list' || result.page.kind !== 'page' || result.page.total === null) return undefined
  const { page, limit, total } = result.page
  const end = endOf(result.page)
  const at = body.length - end.length
  if (body.toString('latin1', at) !== end) return undefined
  const digest = digestOf(body.subarray(0, at))
  const [links, query] = [linkBaseOf(asked), inOnePiece(asked.query)]
  const part = { links: links && inOnePiece(links), query, page, limit, print, at, digest }
  return { part, etag: etagOf(digest, total) }
}

const numbered = ({ page, limit }: PagePart, total: number): Numbered => ({ kind: 'page', page, limit, total })

const withTotal: PageForm['withTotal'] = (part, total) => {
  const page = numbered(part, total)
  return { end: endOf(page), etag: etagOf(part.digest, total), printed: totalLines(part.links, page) }
}

export const pageForm: PageForm = {
  withTotal,
  withRows(part, { rows, total }) {
    const end = endOf(numbered(part, total))
    const at = beforeRows.length + rows.length + behindRows.length
    const body = lend(at + end.length)
    const { lent } = body
    lent.write(beforeRows, 'latin1')
    if (!rows.write(lent, beforeRows.length)) {
      body.giveBack()
      return undefined
    }
    lent.write(behindRows + end, at - behindRows.length, 'latin1')
    const moved = { ...part, at, digest: digestOf(lent.subarray(0, at)) }
    return { ...withTotal(moved, total), part: moved, body }
  },
  rowsOf({ at }, body) {
    const text = body.toString('utf8', 0, at)
    if (!text.startsWith(`${beforeRows}{`) || !text.endsWith(`}${behindRows}`)) return undefined
    const array = text.slice(beforeRows.length - 1, 1 - behindRows.length)
    const data = JSON.parse(array) as readonly Represented[]
    // These two characters and the comma are between any two records. Where they are in a record too, there are more pieces than records.
    const pieces = array.slice(2, -2).split('},{')
    if (pieces.length !== data.length) return undefined
    const lengths = pieces.map((piece) => Buffer.byteLength(piece) + braces)
    return spansOf(lengths, beforeRows.length).map((span, i) => ({ ...span, record: data[i] as Represented }))
  },
  listOf: ({ query }, key) => keyWith(key, query, query.replace(pageParameter, '')),
  besideOf({ query, page }, key) {
    const number = (other: number) => query.replace(pageParameter, `$1page=${other}`)
    const before = page > 1 ? [number(page - 1)] : []
    if (page === 2) before.push(query.replace(pageParameter, '').replace(/^&/, ''))
    const behind = pageParameter.test(query) ? number(page + 1) : `${query}${query === '' ? '' : '&'}page=2`
    return [...before, behind].map((other) => keyWith(key, query, other))
  },
}
