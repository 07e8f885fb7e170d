/**
 * The result of an operation: values that no protocol has represented yet, and the facts of a page.
 */
import type { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Row } from '../storage/storage.ts'
import type { Represented } from '../value/represent.ts'

export type RecordResult = {
  readonly kind: 'record'
  readonly resource: Resource
  readonly record: Row
  /** Whether the record is new: REST then answers 201 with its `Location`. */
  readonly created: boolean
  /** The relations that are shown with it, by name. */
  readonly expanded?: Represented | undefined
  /** Secrets shown in this answer and never again, by field name. */
  readonly revealed?: Readonly<Record<string, string>>
}
export type ListResult = {
  readonly kind: 'list'
  readonly resource: Resource
  readonly records: readonly Row[]
  /** The relations that are shown with each record, by name. */
  readonly expanded?: readonly Represented[] | undefined
  readonly page: PageInfo
}
export type PageInfo =
  /**
   * Where the request does not ask for the total it is null, and `hasNext` says whether a record
   * follows.
   */
  | {
      readonly kind: 'page'
      readonly page: number
      readonly limit: number
      readonly total: number | null
      readonly hasNext?: boolean
    }
  | { readonly kind: 'cursor'; readonly limit: number; readonly nextCursor: string | null }

/** The position of a page in its list, the same in every protocol. */
export function metaOf(page: PageInfo): Readonly<Record<string, number | boolean | string | null>> {
  if (page.kind === 'cursor') return { limit: page.limit, nextCursor: page.nextCursor }
  const { page: number, limit, total } = page
  return {
    page: number,
    limit,
    total,
    totalPages: total === null ? null : Math.ceil(total / limit),
    hasNextPage: total === null ? page.hasNext === true : number * limit < total,
    hasPrevPage: number > 1,
  }
}

/** All records, in chunks: memory does not grow with the collection. */
export type StreamResult = {
  readonly kind: 'stream'
  readonly resource: Resource
  readonly chunks: AsyncIterable<readonly Row[]>
}
export type ImportProblem = {
  readonly line: number
  readonly error: string
  readonly text: string
  /** The error that was no refusal: callers do not see it. */
  readonly fault?: unknown
}
export type ImportResult = {
  readonly kind: 'import'
  readonly created: number
  readonly updated: number
  readonly rejected: number
  /** The first rejected lines. */
  readonly problems: readonly ImportProblem[]
  /** The first faults that rejected lines, for the log. */
  readonly faults: readonly ApiError[]
}
/** Stored values by name: those of the groups, `count`, and an object for each kind of measure. */
export type SummaryGroup = Readonly<Record<string, unknown>>
/** The groups that were asked for, and how many there are. */
export type SummaryResult = {
  readonly kind: 'summary'
  readonly resource: Resource
  readonly groups: readonly SummaryGroup[]
  readonly total: number
}
/** Two versions of a record, and the fields of which the caller sees two values. */
export type DifferenceResult = {
  readonly kind: 'difference'
  readonly resource: Resource
  readonly fields: readonly string[]
  readonly from: Row
  readonly to: Row
}
/** The outcome for all records that a filter found. */
export type ManyResult = { readonly kind: 'many'; readonly verb: 'updated' | 'deleted'; readonly count: number }
/** The values that an action answers with in place of its record. */
export type OutputResult = {
  readonly kind: 'output'
  readonly values: Represented
  /** The values are those of this job. `isReadable`: its caller can follow it. */
  readonly accepted?: { readonly id: string; readonly isReadable: boolean }
}
export type NoResult = { readonly kind: 'none' }

export type OperationResult =
  | RecordResult
  | ListResult
  | StreamResult
  | SummaryResult
  | DifferenceResult
  | ImportResult
  | ManyResult
  | OutputResult
  | NoResult
