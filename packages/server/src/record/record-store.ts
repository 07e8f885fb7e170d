/**
 * The one entry for writes: REST, GraphQL, actions, imports, log-ins, sweeps and the command line
 * all use it. Insert, change and remove, each in a file of its own, do everything that follows from
 * a write. The storage adds the row in the change log.
 */
import { type Clock, timestampOf } from '../base/clock.ts'
import type { Resource } from '../resource/catalog.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import type { Author } from '../storage/changes.ts'
import { type Matcher, makeMatcher } from '../storage/derived/match.ts'
import type { FoundRow, Storage, Transaction } from '../storage/storage.ts'
import { changeAll, changeRow } from './change.ts'
import { applyCounted } from './counts/counted-fields.ts'
import { refuseGuarded } from './guard/guarded-code.ts'
import { insertPrepared, prepareRecord, storePrepared } from './insert.ts'
import { addJob, cancelJobs } from './jobs/add-job.ts'
import { judgeAgain } from './judge-result.ts'
import { leaveEffects } from './leave-effects.ts'
import { linkable, sameLinks } from './links/store-links.ts'
import { storeUnchecked } from './links/store-unchecked.ts'
import { codeTenantsOf } from './references/code-tenants-of.ts'
import { refuseStillRestricted } from './references/restricted.ts'
import { restoreRow } from './removal/bring-back.ts'
import { isGone } from './removal/dependents.ts'
import { removeRow, removeWhere } from './removal/remove.ts'
import { existsKey } from './stored-values.ts'
import type { PreparedValue, RecordTransaction, WriteContext } from './write-context.ts'

export type { RecordTransaction } from './write-context.ts'

export type RecordStore = {
  /**
   * Runs the work in one transaction. An error undoes all of it. When another transaction was in
   * the way, the work may run again from its beginning, so it must change nothing outside.
   */
  transaction<T>(author: Author, work: (tx: RecordTransaction) => Promise<T>): Promise<T>
}

type RecordStoreDeps = Pick<WriteContext, 'catalog' | 'makeId' | 'settings' | 'stagesOf'> & {
  readonly storage: Storage
  readonly clock: Clock
  /** The resource whose records are authors, if any are. */
  readonly authors?: Resource | undefined
  /** Absent where no code of declarations runs. */
  readonly codeRecords?: (tx: RecordTransaction, tenants?: FindCodeTenants) => SystemRecords
}

const refused = Symbol('the error that refuses all of a transaction')

/** Writers may do these as the storage does them. */
function passedOn(transaction: Transaction) {
  const { list, listEach, testEach, count, summarize, lockAll, lockName, isAwaited } = transaction
  const { claimRequest, keepRequest, takeBackEffects, hasEffect, countUp, eraseCopies, moveSchedule, findJob } =
    transaction
  const reads = { list, listEach, testEach, count, summarize, lockAll }
  return {
    ...reads,
    lockName,
    isAwaited,
    claimRequest,
    keepRequest,
    takeBackEffects,
    hasEffect,
    countUp,
    eraseCopies,
    moveSchedule,
    findJob,
  }
}

function changesOf(context: WriteContext): Pick<RecordTransaction, 'change' | 'sameLinks' | 'linkable' | 'changeAll'> {
  return {
    change: (resource, before, changes) => changeRow(context, { resource, before, changes }),
    sameLinks: (resource, before, changes) => sameLinks(context, { resource, row: before }, changes),
    linkable: (linking, ids) => linkable(context, linking, ids),
    changeAll: (resource, ids, changes) => changeAll(context, { resource, ids, changes }),
  }
}

function endsOf(context: WriteContext): Pick<RecordTransaction, 'settle' | 'applyCounts'> {
  return { settle: () => refuseStillRestricted(context), applyCounts: () => applyCounted(context) }
}

const valueFor = (prepared: PreparedValue | undefined, { resource, before }: Omit<PreparedValue, 'value'>) =>
  prepared?.resource === resource && prepared.before === before ? prepared.value : undefined

function nothingYet() {
  return {
    remembered: new Map(),
    result: undefined,
    bounds: undefined,
    judgedAgain: new Map(),
    taken: { dependents: 0, gone: new Set<string>() },
    heldUntilEnd: [],
    counted: new Map(),
    prepared: undefined,
    depth: 0,
  }
}

async function finish(context: WriteContext): Promise<void> {
  if (context.remembered.has(refused)) throw context.remembered.get(refused)
  await refuseStillRestricted(context)
  if (context.counted.size > 0) await applyCounted(context)
}

function noCode(): never {
  throw new Error('no code of declarations runs here')
}

type WriteFacts = Omit<WriteContext, 'tx'>
type OpenedTransaction = { readonly transaction: Transaction; readonly author: Author; readonly matching: Matcher }

/** The same transaction under other facts. */
function othersOf(
  facts: WriteFacts,
  of: (other: WriteFacts) => RecordTransaction,
): Pick<RecordTransaction, 'bounded' | 'by' | 'quiet' | 'deeper' | 'withPrepared'> {
  return {
    bounded: (bounds, work) => work(of({ ...facts, bounds })),
    by: (author) => of({ ...facts, author, result: undefined, bounds: undefined }),
    quiet: () => of({ ...facts, author: { ...facts.author, isQuiet: true } }),
    withPrepared: (prepared) => of({ ...facts, prepared }),
    deeper: () => of({ ...facts, result: undefined, bounds: undefined, prepared: undefined, depth: facts.depth + 1 }),
  }
}

function leavesOf(context: WriteContext): Pick<RecordTransaction, 'leave' | 'addJob' | 'cancelJobs'> {
  return {
    leave: (...all) => leaveEffects(context, all),
    addJob: (request) => addJob(context, request),
    cancelJobs: (which) => cancelJobs(context, which),
  }
}

function factsOf(
  { catalog, makeId, settings, stagesOf, clock, authors }: RecordStoreDeps,
  opened: OpenedTransaction,
): WriteFacts {
  const { userId } = opened.author
  return {
    catalog,
    makeId,
    settings,
    stagesOf,
    ...opened,
    now: timestampOf(clock()),
    seen: new Set(),
    assumed: authors && userId !== null ? existsKey(authors, userId) : undefined,
    ...nothingYet(),
  }
}

export function makeRecordStore(deps: RecordStoreDeps): RecordStore {
  const { storage, codeRecords = noCode } = deps
  const matching = makeMatcher()

  function writingOf(facts: WriteFacts): {
    readonly context: WriteContext
    readonly tx: RecordTransaction
  } {
    const { transaction, author, seen, catalog, remembered } = facts
    const noted = (resource: Resource, found: FoundRow | undefined): FoundRow | undefined => {
      if (found) seen.add(existsKey(resource, found.row[resource.idField]))
      return found
    }
    const tx: RecordTransaction = {
      find: async (resource, where, test) => noted(resource, await transaction.find(resource, where, test)),
      ...passedOn(transaction),
      async lock(resource, where, options) {
        const found = await transaction.lock(resource, where, options)
        return found && isGone(context, resource, found.row) ? undefined : noted(resource, found)
      },
      defaults: { now: facts.now, settings: facts.settings, role: author.role },
      prepare: (resource, values) => prepareRecord(context, resource, values),
      insert: (record, reason) => insertPrepared(context, record, reason),
      insertAll: (records) => storePrepared(context, records),
      // One object: `context` is this one with `tx` in it.
      ...changesOf(facts as WriteContext),
      ...endsOf(facts as WriteContext),
      ...leavesOf(facts as WriteContext),
      remove: (resource, row, options) => removeRow(context, resource, { row, ...options }),
      restore: (trash, row) => restoreRow(context, trash, row),
      removeWhere: (resource, where) => removeWhere(context, resource, where),
      storeNotes: (resource, all) => storeUnchecked(context, { resource, all }),
      remembered<T>(key: symbol, make: () => T): T {
        if (!remembered.has(key)) remembered.set(key, make())
        return remembered.get(key) as T
      },
      catalog,
      author,
      preparedFor: (write) => valueFor(facts.prepared, write),
      async judged(result, work) {
        const own = writingOf({ ...facts, result, judgedAgain: new Map() })
        const done = await work(own.tx)
        await judgeAgain(own.context)
        return done
      },
      depth: facts.depth,
      codeRecords: (tenants) => codeRecords(tx, tenants),
      codeTenants: (subject) => codeTenantsOf(facts, subject),
      refuseAll: (error) => void remembered.set(refused, error),
      ...othersOf(facts, (other) => writingOf(other).tx),
    }
    // One object for each transaction: a copy of it costs as much as a small write.
    const context: WriteContext = Object.assign(facts, { tx })
    return { context, tx }
  }
  return {
    async transaction(author, work) {
      refuseGuarded('transaction', 'transaction')
      return storage.transaction(author, async (transaction) => {
        const { context, tx } = writingOf(factsOf(deps, { transaction, author, matching }))
        const done = await work(tx)
        await finish(context)
        return done
      })
    },
  }
}

/** The same transactions for what is only tried: those that write go first. */
export function dryRunAuthor(records: RecordStore, dry: NonNullable<Author['dry']>): RecordStore {
  return { transaction: (author, work) => records.transaction({ ...author, dry }, work) }
}

/** The same transactions, whose authors send this request. */
export function from(
  records: RecordStore,
  { address, userAgent, languages, requestId }: Pick<Author, 'address' | 'userAgent' | 'languages' | 'requestId'>,
): RecordStore {
  const place = { address, userAgent, languages, requestId }
  return { transaction: (author, work) => records.transaction({ ...author, ...place }, work) }
}
