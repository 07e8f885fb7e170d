/**
 * A numbered page of a list, of which the end, which says the total, may be another one later while
 * its records stay.
 */

/** What was asked, and where in the list its answer lies. */
export type CachedPage = {
  /** What its links begin with; undefined where it has none. */
  readonly links: string | undefined
  readonly page: number
  readonly limit: number
  /** Where the end of the body begins. */
  readonly at: number
  /** A hash of all bytes before it. */
  readonly digest: string
}

/** What follows from the total: the end of the body, its ETag, and the lines of further headers. */
export type PageEnding = { readonly end: string; readonly etag: string; readonly printed: string }

/** How pages end. */
export type PrintPageEnding = (part: CachedPage, total: number) => PageEnding
