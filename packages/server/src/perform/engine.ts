/** The engine: everything that an operation needs to run, made once at start and never changed. */
import type { Clock } from '../base/clock.ts'
import type { MakeId } from '../base/ids.ts'
import type { Policy } from '../policy/policy.ts'
import type { Guard } from '../record/guard/guarded-code.ts'
import { from, type RecordStore, type RecordTransaction } from '../record/record-store.ts'
import type { EngineActions } from '../record/requested-write.ts'
import type { StagesOf } from '../record/stages.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { CodeSettings, Services } from '../resource/parts/part-handles.ts'
import type { Principal } from '../resource/principal.ts'
import type { ReadClient, ReadStorage } from '../storage/storage.ts'
import { countingRows } from './read/counting-rows.ts'
import type { ReadBudget } from './read/read-budget.ts'
import type { OperationResult } from './result.ts'
import type { Preparations } from './together/preparations.ts'

export type Engine = {
  readonly catalog: Catalog
  readonly settings: CodeSettings
  /** The services of the application, for its code outside of transactions. */
  readonly services: Services
  readonly policy: Policy
  /** For reads. Writes go through `records`. */
  readonly storage: ReadStorage
  readonly records: RecordStore
  /** The steps of the writes of each resource. */
  readonly stagesOf: StagesOf
  /** The engine itself does these where a declaration names one as an action. */
  readonly actions: EngineActions
  /** Runs the code of actions. */
  readonly guard: Guard
  readonly clock: Clock
  readonly makeId: MakeId
  /** Where the request came from. Absent at the console. */
  readonly address?: string
  /** The key, user or address for which it works. Absent at the console. */
  readonly client?: string
  /** The value of `Accept-Language`. */
  readonly languages?: string | undefined
  /** The client's `User-Agent`. */
  readonly userAgent?: string | undefined
  /** Bounds of a request with several parts: how much it may read and show. */
  readonly budget?: ReadBudget
  /**
   * Stores further data in the transaction of a write, with the result that the write will have. It
   * may run several times; an error that it throws undoes the write.
   */
  readonly beforeCommit?: (tx: RecordTransaction, result: OperationResult) => Promise<void>
  /** Its writes are tried, and undone: code that prepares a write is told. */
  readonly isDryRun?: boolean
  /** Of work in a transaction that several writes share. */
  readonly preparations?: Preparations | undefined
  /** The caller with its present rights, in no tenant. Absent at the console. */
  readonly callerNow?: CallerNow | undefined
}

/** Throws where the credential has ended. */
export type CallerNow = () => Principal | Promise<Principal>
type EngineCaller = { readonly readClient: ReadClient; readonly callerNow: CallerNow }

/** One time for all reads of a request: that of the first one. */
export function atOneTime<E extends Engine>(engine: E): E {
  let nowMs: number | undefined
  return {
    ...engine,
    clock() {
      nowMs ??= engine.clock()
      return nowMs
    },
  }
}

/** The engine of one request of several parts, which have one budget and one time. */
export function engineWithin<E extends Engine>(engine: E, budget: ReadBudget): E {
  return { ...atOneTime(engine), budget, storage: budget.counting(engine.storage) }
}

/**
 * The engine of one caller. The cost of its reads counts for that caller, and they end when the
 * caller goes. Its writes record where they come from.
 */
export function engineFor<E extends Engine>(engine: E, { readClient, callerNow }: EngineCaller): E {
  const { address, client, userAgent, languages, note } = readClient
  const records = from(engine.records, readClient)
  const reads = engine.storage.by(readClient)
  const storage = note ? countingRows(reads, note) : reads
  return { ...engine, storage, records, address, client, userAgent, languages, callerNow }
}
