/**
 * How the body of a numbered page ends: with what it says of the whole list. Where nothing but the total has changed, nothing before that end has, so
 * the end is printed apart, and the validator is made of both.
 */
import { hash } from 'node:crypto'
import { etagOfBytes } from '../http/conditional.ts'
import { metaOf, type PageInfo, type Result } from '../perform/result.ts'

type Numbered = PageInfo & { readonly kind: 'page' }

export type PageEnd = {
  readonly page: Numbered
  /** Where it begins. */
  readonly at: number
  /** A hash of all bytes before it. */
  readonly digest: string
  /** Of the body with this end. */
  readonly etag: string
}

export const endOf = (page: Numbered) => `"meta":${JSON.stringify(metaOf(page))}}`

/** The ETag of a page with this end. */
export function etagOfPage(digest: string, end: string): string {
  return etagOfBytes(digest + end)
}

/** The end of a page with its total, where the body ends so. */
export function pageEndOf(result: Result, body: Buffer): PageEnd | undefined {
  if (result.kind !== 'list' || result.page.kind !== 'page' || result.page.total === null) return undefined
  const { page } = result
  const end = endOf(page) // which is ASCII
  const at = body.length - end.length
  if (body.toString('latin1', at) !== end) return undefined
  const digest = hash('sha256', body.subarray(0, at), 'base64url')
  return { page, at, digest, etag: etagOfPage(digest, end) }
}
