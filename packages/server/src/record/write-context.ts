/**
 * The types of one write transaction: the context that the files of `record/` share, and the
 * methods that they offer to code that writes. It has types only, so all those files can import it.
 */
import type { MakeId } from '../base/ids.ts'
import type { ResultRule } from '../operation/result-rule.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { DefaultContext } from '../resource/fields/field.ts'
import type { AddedJob, AddOptions } from '../resource/jobs/job-context.ts'
import type { CodeSettings } from '../resource/parts/part-handles.ts'
import type { RequestTenant } from '../resource/principal.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import type { Author } from '../storage/changes.ts'
import type { Matcher } from '../storage/derived/match.ts'
import type { Reader, Row, Transaction, Values } from '../storage/storage.ts'
import type { PreparedRecord } from './prepared-record.ts'
import type { StagesOf } from './stages.ts'

/** The ids of records that are being removed, by resource. They need not be touched. */
export type RecordsBeingRemoved = ReadonlyMap<Resource, ReadonlySet<unknown>>

/**
 * The changes of one transaction to the counted fields of one record, by field. `came` and `went`:
 * the latest time that came, and that went.
 */
export type PendingCounts = {
  readonly added: Map<string, bigint>
  readonly times: Map<string, { readonly came: Scalar | null; readonly went: Scalar | null }>
  /** The record came back, and others may refer to it already. */
  isCountedAnew: boolean
}

/**
 * `forGood`: past the trash. `erases`: for good, and records that stay lose the values about it.
 */
export type RemovalOptions = { readonly forGood?: boolean | undefined; readonly erases?: boolean }

/** The records that the caller asked to remove. */
export type RemovalRoot = { readonly resource: Resource; readonly ids: readonly unknown[] }

/**
 * A reference, `field` of `by`, to records that are to go, or to change: `ids` of `of`. `also`:
 * only the records that match this refuse.
 */
export type RestrictingReference = {
  readonly root: RemovalRoot
  readonly of: Resource
  readonly ids: readonly unknown[]
  readonly by: Resource
  readonly field: string
  readonly also?: Condition
}

/** The records of a resource for one caller. Records that do not match do not exist there. */
export type ReferenceBounds = {
  /** Those to which it may refer; undefined for all. */
  referable(resource: Resource): Condition | undefined
  /** Those that it may see. */
  seen(resource: Resource): Condition
  /** Those that it may get: links and places name these alone. */
  readable(resource: Resource): Condition
}

/** The record that code is about. */
export type CodeSubject = {
  readonly resource: Resource
  readonly row: Values
  /** It is a draft, whose references are not checked yet. */
  readonly isNew?: boolean
  /** The tenant that others led to, where that is known. They may be gone by now. */
  readonly tenant?: Scalar | null | undefined
}

/** A field of links of one record. */
export type LinkingField = { readonly resource: Resource; readonly row: Values; readonly name: string }

export type EffectRequest = {
  /** A new one by default. */
  readonly id?: string
  /** The kind that runs it. */
  readonly kind: string
  /** The subject of the effect: kind and key identify it for a withdrawal. */
  readonly key?: string | undefined
  /** Whether those of one kind and key run one at a time, the oldest first. */
  readonly inOrder?: boolean
  /** By default at once. */
  readonly dueMs?: number
  /** It waits for a moment of its record, so it is no part of the chain of effects above it. */
  readonly beginsChain?: boolean
  /** A value that JSON can say: the work is given it, with the values of this moment. */
  readonly payload: unknown
}

/** `before`: the record that the write is about; undefined for a new one. */
type PreparedWrite = { readonly resource: Resource; readonly before: Row | undefined }
/** The value that a hook has prepared for one write that a caller asks for. */
export type PreparedValue = PreparedWrite & { readonly value: unknown }
/** `input`: JSON text. */
export type JobRequest = AddOptions & { readonly name: string; readonly input: string }

/** Those of a name with a key in the tenant of the author, these, or all of a tenant. */
export type CancelledJobs =
  | { readonly name: string; readonly key: string }
  | { readonly ids: readonly string[] }
  | { readonly tenant: RequestTenant }

/** The files of this room share this: the transaction, its time and its author. */
export type WriteContext = {
  readonly catalog: Catalog
  readonly transaction: Transaction
  readonly author: Author
  readonly makeId: MakeId
  /** The time of every write in this transaction. */
  readonly now: string
  readonly settings: CodeSettings
  /**
   * Records that are known to exist, so references to them need no look-up: those read or written
   * in this transaction.
   */
  readonly seen: Set<string>
  /** Until the transaction ends. */
  readonly remembered: Map<symbol, unknown>
  readonly matching: Matcher
  /** The condition on the written records; undefined where no rule applies. */
  readonly result: ResultRule | undefined
  /** Undefined where the service itself writes. */
  readonly bounds: ReferenceBounds | undefined
  /**
   * How many records have gone or changed with others that were removed; where they are only
   * counted, which would be gone.
   */
  readonly taken: { dependents: number; readonly gone: Set<string> }
  /**
   * The ids of written records that are judged once more at the end of the operation, each with
   * the condition that it must satisfy.
   */
  readonly judgedAgain: Map<Scalar, Condition>
  /** References that refuse a removal, unless the operation removes them too. */
  readonly heldUntilEnd: RestrictingReference[]
  /** The author, who was there when the credential was checked. */
  readonly assumed: string | undefined
  readonly stagesOf: StagesOf
  readonly prepared: PreparedValue | undefined
  /** The counts that the end of the transaction applies. */
  readonly counted: Map<Resource, Map<Scalar, PendingCounts>>
  /** How many steps that write this stands in, one inside the other. */
  readonly depth: number
  /** The steps of a write are given this: the same transaction, under the same rule. */
  readonly tx: RecordTransaction
}

/** The parts of a write by which it checks references. An explanation has them without a write. */
export type ReferenceContext = Pick<WriteContext, 'catalog' | 'author' | 'bounds' | 'seen' | 'assumed'> & {
  readonly transaction: Pick<Transaction, 'find' | 'lock'>
}

/** Reading, locking and writing inside one transaction. Values are stored values by field name. */
export type RecordTransaction = Reader &
  Pick<Transaction, 'summarize'> &
  Pick<Transaction, 'lock' | 'lockAll' | 'lockName' | 'isAwaited' | 'claimRequest' | 'keepRequest'> &
  Pick<Transaction, 'takeBackEffects' | 'hasEffect' | 'countUp' | 'eraseCopies' | 'moveSchedule' | 'findJob'> & {
    readonly defaults: DefaultContext & { readonly settings: CodeSettings }
    /**
     * A new record with all its values: id, times, defaults, and values that follow from others.
     * Throws `bad-request` for a value that its field forbids, a missing value, or a reference to
     * no record. Throws an `Error` for a name that is not a field.
     */
    prepare(resource: Resource, values: Values): Promise<PreparedRecord>
    /**
     * Stores a new record. `reason`: a word for the steps of the write. Throws `conflict`, and what
     * `prepare` throws.
     */
    insert(record: PreparedRecord, reason?: string): Promise<Row>
    /** Stores many at once and returns no rows. Throws `conflict`. */
    insertAll(records: readonly PreparedRecord[]): Promise<void>
    /**
     * Changes a locked row. Its version goes up even when nothing differs. Throws what `prepare`
     * throws, `conflict`, and `RestrictedError` where records that refer to it share a changed
     * field.
     */
    change(resource: Resource, before: Row, changes: Values): Promise<Row>
    /** The fields of links that these values would leave as they are. */
    sameLinks(resource: Resource, before: Row, changes: Values): Promise<readonly string[]>
    /** Of these ids, those of records that the field may link: they exist for the caller. */
    linkable(linking: LinkingField, ids: readonly Scalar[]): Promise<ReadonlySet<Scalar>>
    /**
     * Makes the same changes to all rows with these ids, without reading them. Throws an `Error`
     * where something follows from the changes (`onWrite`, a search, a part of another record).
     * Returns how many rows there were.
     */
    changeAll(resource: Resource, ids: readonly Scalar[], changes: Values): Promise<number>
    /**
     * Removes a locked row. Rows that refer to it are removed or cleared, or refuse
     * (`RestrictedError`), as their declarations say. With a trash it moves there, unless
     * `forGood`. With `erases` it goes for good, and records that stay lose their personal values.
     */
    remove(resource: Resource, row: Row, options?: RemovalOptions): Promise<void>
    /**
     * Brings back a locked row of a trash, with the records that went with it. Returns the record.
     * Throws `conflict` where today's fields, checks, references or keys refuse it.
     */
    restore(trash: Resource, row: Row): Promise<Row>
    /** Removes every row that matches, in the same way. Returns how many matched. */
    removeWhere(resource: Resource, where: Condition): Promise<number>
    /**
     * Stores records that the engine itself writes down, with ids, times and defaults. Nothing is
     * checked and nothing follows: they may name records that are gone. Returns them.
     */
    storeNotes(resource: Resource, all: readonly Values[]): Promise<readonly Values[]>
    /** The same transaction, where a hook has prepared this for the next write. */
    withPrepared(prepared: PreparedValue): RecordTransaction
    preparedFor(write: PreparedWrite): unknown
    /** A step remembers this until the transaction ends, by a key of its own. */
    remembered<T>(key: symbol, make: () => T): T
    /** Leaves work that runs when this transaction has committed. */
    leave(...all: readonly EffectRequest[]): Promise<void>
    /** Adds a job, or finds the one that its key holds. */
    addJob(request: JobRequest): Promise<AddedJob>
    /** Cancels those that wait or run. Returns how many there were. */
    cancelJobs(which: CancelledJobs): Promise<number>
    readonly catalog: Catalog
    readonly author: Author
    /**
     * Does the work of one operation of a caller. Each record of the rule's resource that the work
     * writes must satisfy the rule, or this throws the rule's refusal. The rule judges a record
     * before the storage writes it, and before references and unique keys are looked at.
     */
    judged<T>(result: ResultRule, work: (tx: RecordTransaction) => Promise<T>): Promise<T>
    /** Does the work of one operation of a caller, whose records refer to these alone. */
    bounded<T>(bounds: ReferenceBounds, work: (tx: RecordTransaction) => Promise<T>): Promise<T>
    readonly depth: number
    /**
     * For a step that writes records itself: the same transaction, one deeper, without the caller's
     * rule.
     */
    deeper(): RecordTransaction
    /** The same transaction, whose writes leave no effects of declarations. */
    quiet(): RecordTransaction
    /** For an operation of its own in the same transaction, by this author. */
    by(author: Author): RecordTransaction
    /**
     * `records(books)` of code of declarations, inside this transaction. `tenants`: the code is in
     * these alone.
     */
    codeRecords(tenants?: FindCodeTenants): SystemRecords
    /** The tenants that code about the record is in; undefined where the application has none. */
    codeTenants(subject: CodeSubject): FindCodeTenants | undefined
    /** Nothing of this transaction is stored, also where the code that met the error goes on. */
    refuseAll(error: unknown): void
    /**
     * At the end of an operation: throws `RestrictedError` where a record is left that refuses what
     * was removed.
     */
    settle(): Promise<void>
    /** Counted fields have their values from here on; otherwise from the end of the transaction. */
    applyCounts(): Promise<void>
  }
