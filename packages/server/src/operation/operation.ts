/**
 * A parsed request as data: the same over REST, GraphQL and the command line. It is parsed but not
 * yet allowed; `policy/` turns it into a `Permitted`.
 */
import type { Relation, Resource, SortKey } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import type { Branch } from '../resource/relations/tree.ts'
import type { GroupKey, Measure, SummaryKey } from './measures.ts'
import type { NestedChanges } from './nested/nested-body.ts'

export type RecordBody = {
  /**
   * Checked values by field name, only those that were sent. `useDefault` stands for the value that
   * a create would take.
   */
  readonly values: ReadonlyMap<string, unknown>
  /**
   * Values for fields that the body cannot change, as they were sent. They are allowed when they
   * equal what the record shows.
   */
  readonly fixed: ReadonlyMap<string, unknown>
  /**
   * Fields that a replace left out and that only some records show to the caller. It clears them
   * there, and keeps them on the others.
   */
  readonly omitted?: readonly string[]
  /** Changes of the children that the body writes too, by their name; absent where it has none. */
  readonly nested?: ReadonlyMap<string, NestedChanges>
  /** The current password, sent beside new credentials. */
  readonly proof?: string | undefined
}

export type CursorPosition = { readonly values: readonly (Scalar | null)[] }

export type Paging =
  | { readonly kind: 'page'; readonly page: number; readonly limit: number }
  /**
   * `after` is null at the beginning. `fingerprint` binds the next cursor to this list; without it
   * the cursor is the id itself.
   */
  | {
      readonly kind: 'cursor'
      readonly after: CursorPosition | null
      readonly limit: number
      readonly fingerprint: string | undefined
    }
  | { readonly kind: 'all' }

/** A step of a nested path. `/users/{id}/cart` has two, and the second is a single record. */
export type PathStep = {
  readonly resource: Resource
  /**
   * As the path has it; absent on a step to a single record, which is found by the step before it.
   */
  readonly id?: string
  readonly by?: string
}

/**
 * Where in the tree of paths the records live: the steps, outermost first, and the field that
 * refers to the last of them.
 */
export type ParentPath = {
  readonly steps: readonly PathStep[]
  readonly by: string
  /** The records are all below the last step in its tree, or above it. */
  readonly branch?: Branch | undefined
}

export type ListQuery = {
  readonly where: Condition
  readonly sort: readonly SortKey[]
  readonly paging: Paging
  /** Whether the request asks for the total. */
  readonly total: boolean
}

/** The fields and relations of a record that a response shows. */
export type Selection = {
  /** The fields to show; null for all that the caller may read. */
  readonly select: readonly string[] | null
  /** The relations that are shown with it. */
  readonly expand?: readonly Expansion[]
  /** The name under which each record shows what the caller may do with it. */
  readonly can?: string
}

/** A relation that is shown with each record. */
export type Expansion = Selection & {
  readonly name: string
  readonly link: Relation
  /** The most records of it; absent where there is one, or where all are embedded anyway. */
  readonly limit: number | undefined
}

type Common = Selection & {
  readonly resource: Resource
  readonly under: ParentPath | undefined
}
/**
 * An operation that may last for minutes. `findCaller`: the caller with its present rights. Throws
 * where its credential has ended.
 */
type Lasting = { readonly findCaller?: (() => Promise<Principal>) | undefined }
export type ListOperation = Common & Lasting & { readonly kind: 'list'; readonly query: ListQuery }
/** A unique field by which a record is found. `tenant`: the one in which it is unique. */
export type RecordKey = { readonly name: string; readonly tenant: Scalar | undefined }
/**
 * The id is the text that was sent. When it is absent, the single record under the last step is
 * meant. With a key, it is a value of that field.
 */
export type GetOperation = Common & {
  readonly kind: 'get'
  readonly id: string | undefined
  readonly key?: RecordKey | undefined
}
export type CreateOperation = Common & { readonly kind: 'create'; readonly body: RecordBody }
/** Every record that a filter finds, instead of one; more than the limit are refused. */
export type BulkTarget = { readonly where: Condition; readonly limit: number }
/**
 * `ifVersion`: the versions that it is for; `ifShown`: versions with what they showed, such as
 * `3-…`; without both, any will do.
 */
export type ChangeOperation = Common & {
  readonly kind: 'replace' | 'update'
  readonly id: string | undefined
  readonly many?: BulkTarget
  readonly body: RecordBody
  readonly ifVersion: readonly number[] | undefined
  readonly ifShown?: readonly string[]
  /** The versions that the record must not have. */
  readonly unlessVersion?: readonly number[] | 'any' | undefined
}
export type DeleteOperation = Common & {
  readonly kind: 'delete'
  /** The proof of identity that was sent, where the resource wants one (`ProvenRemoval`). */
  readonly proof?: unknown
  /** Whether the answer shows the record as it was. */
  readonly shows: boolean
  /** Past the trash. */
  readonly forGood?: boolean
  readonly id: string | undefined
  readonly many?: BulkTarget
  readonly ifVersion: readonly number[] | undefined
  readonly ifShown?: readonly string[]
  /** The versions that the record must not have. */
  readonly unlessVersion?: readonly number[] | 'any' | undefined
}
export type ActOperation = Common & {
  readonly kind: 'act'
  readonly action: string
  readonly id: string | undefined
  readonly input: Readonly<Record<string, unknown>>
  readonly ifVersion: readonly number[] | undefined
  readonly ifShown?: readonly string[]
  /** The versions that the record must not have. */
  readonly unlessVersion?: readonly number[] | 'any' | undefined
}
/**
 * Groups of the records of a list, in `order`, at most `limit` of them. It is admitted as the list
 * is.
 */
export type SummaryOperation = Common & {
  readonly kind: 'summary'
  readonly where: Condition
  readonly groups: readonly GroupKey[]
  readonly measures: readonly Measure[]
  readonly order: readonly SummaryKey[]
  readonly limit: number
  /** The time zone in which moments are grouped; absent in UTC. */
  readonly zone?: string | undefined
}
/**
 * Compares two versions of the record above in the path. It is admitted as the list of versions
 * is.
 */
export type DifferenceOperation = Common & {
  readonly kind: 'difference'
  readonly from: number
  /** The newest version where it is undefined. */
  readonly to: number | undefined
}
/** Every record in the order of the list, one chunk at a time. */
export type ExportOperation = Common & Lasting & { readonly kind: 'export'; readonly query: ListQuery }
/** Records one after another; each good one is stored. */
export type ImportOperation = Common &
  Lasting & {
    readonly kind: 'import'
    /** The unique key by which a line without an id finds its record. */
    readonly on?: readonly string[] | undefined
    readonly lines: AsyncIterable<ImportLine>
  }
export type ImportLine = {
  /** From 1, as an editor counts. */
  readonly line: number
  /** The text of the line, for the report. */
  readonly text: string
  /** The JSON value of the line. Throws `bad-request` when there is none. */
  parse(): unknown
}

export type Operation =
  | ListOperation
  | SummaryOperation
  | DifferenceOperation
  | GetOperation
  | CreateOperation
  | ChangeOperation
  | DeleteOperation
  | ActOperation
  | ExportOperation
  | ImportOperation
