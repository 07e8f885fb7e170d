/**
 * A numbered page of a list in two parts: the records, and an ending that shows the total. The
 * ending can be replaced while the records stay.
 */

/** The request of a page, and where in the list the page lies. */
export type CachedPage = {
  /** The start of its links; undefined where it has none. */
  readonly links: string | undefined
  readonly page: number
  readonly limit: number
  /** Where the ending of the body begins. */
  readonly at: number
  /** A hash of all bytes before the ending. */
  readonly digest: string
}

/**
 * The parts that depend on the total: the ending of the body, its ETag, and further header lines.
 */
export type PageEnding = { readonly end: string; readonly etag: string; readonly printed: string }

/** Prints the ending of a page for a total. */
export type PrintPageEnding = (part: CachedPage, total: number) => PageEnding
