/** A numbered page of a list, in the parts of which each may be another one later: its end, which says the total, and the records that it shows. */
import type { Values } from '../storage/storage.ts'
import type { Lent } from '../value/lent.ts'
import type { Represented } from '../value/represent.ts'

/** What was asked, and where in the list its answer lies. */
export type PagePart = {
  readonly query: string
  /** What its links begin with; undefined where it has none. */
  readonly links: string | undefined
  readonly page: number
  readonly limit: number
  /** A record as such pages show it; undefined where they show more than is stored with it. */
  readonly print: PrintRecord | undefined
  /** Where the end of the body begins. */
  readonly at: number
  /** A hash of all bytes before it. */
  readonly digest: string
}

/** What follows from the total: the end of the body, its ETag, and the lines of further headers. */
export type PageEnd = { readonly end: string; readonly etag: string; readonly printed: string }

/** The bytes of records, with commas between them. */
export type RowBytes = {
  readonly length: number
  /** False where one of them is gone. */
  write(to: Buffer, at: number): boolean
}

/** Where in a body the bytes of a record are. */
export type Span = { readonly from: number; readonly to: number }

/** Where texts of these lengths are that stand side by side, with a byte between two of them, the first of them at `at`. */
export function spansOf(lengths: readonly number[], at = 0): Span[] {
  let next = at
  return lengths.map((length) => {
    const from = next
    next = from + length + 1
    return { from, to: from + length }
  })
}

/** A record that a body shows. */
export type ShownRecord = Span & { readonly record: Represented }

/** Stored values → JSON. */
export type PrintRecord = (record: Values) => string

/** How pages are printed. */
export type PageForm = {
  withTotal(part: PagePart, total: number): PageEnd
  /**
   * The records of a body of which all before its end is there, one after the other with a byte between them; undefined where it is not made of
   * them alone.
   */
  rowsOf(part: PagePart, body: Buffer): readonly ShownRecord[] | undefined
  /** Undefined where records are gone. */
  withRows(
    part: PagePart,
    now: { readonly rows: RowBytes; readonly total: number },
  ): (PageEnd & { readonly part: PagePart; readonly body: Lent }) | undefined
  /** The key of an answer without its page: the same for all pages of a list. */
  listOf(part: PagePart, key: string): string
  /** The keys that the page before and the page behind may have. */
  besideOf(part: PagePart, key: string): readonly string[]
}
