/**
 * Splits a numbered page into its records and its ending, which holds the figures of the whole
 * list. When the ending alone has changed, the page gets a new one. Its ETag is a hash of the bytes
 * before the ending, and the total, from which the ending follows. So a new total needs no read of
 * records.
 */
import { hash } from 'node:crypto'
import { metaOf, type OperationResult, type PageInfo } from '../../perform/result.ts'
import type { CachedPage, PrintPageEnding } from '../../response-cache/cached-page.ts'
import { inOnePiece } from '../../value/latin1.ts'
import { linkBaseOf, totalLines } from './page-headers.ts'

type NumberedPage = PageInfo & { readonly kind: 'page' }

/** ASCII. */
const endOf = (page: NumberedPage) => `"meta":${JSON.stringify(metaOf(page))}}`

/**
 * 120 bits of a hash are 20 characters; any total below 36 to the power of 7 adds at most seven.
 */
const digestBytes = 15
const totalCharacters = 7

const digestOf = (bytes: Buffer) => hash('sha256', bytes, 'buffer').toString('base64url', 0, digestBytes)
const etagOf = (digest: string, total: number) => `"${digest}${total.toString(36).padStart(totalCharacters, '0')}"`

/**
 * The parts of a page with its total, and its ETag; undefined where it is printed in another form.
 */
export function cachedPageOf(
  asked: { readonly path: string; readonly query: string },
  result: OperationResult,
  body: Buffer,
): { readonly part: CachedPage; readonly etag: string } | undefined {
  if (result.kind !== 'list' || result.page.kind !== 'page' || result.page.total === null) return undefined
  const { page, limit, total } = result.page
  const end = endOf(result.page)
  const at = body.length - end.length
  if (body.toString('latin1', at) !== end) return undefined
  const digest = digestOf(body.subarray(0, at))
  const links = linkBaseOf(asked)
  const part = { links: links && inOnePiece(links), page, limit, at, digest }
  return { part, etag: etagOf(digest, total) }
}

const numbered = ({ page, limit }: CachedPage, total: number): NumberedPage => ({ kind: 'page', page, limit, total })

export const printPageEnding: PrintPageEnding = (part, total) => {
  const page = numbered(part, total)
  return { end: endOf(page), etag: etagOf(part.digest, total), printed: totalLines(part.links, page) }
}
