/**
 * Makes the contexts of code that runs outside of transactions, in the name of the system: effects
 * and other background work.
 */
import { nowOf } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { fetchUntil } from '../outgoing/fetch-until.ts'
import type { OutgoingFetch } from '../outgoing/outgoing.ts'
import type { Engine } from '../perform/engine.ts'
import { boundRecords } from '../record/bound-records.ts'
import { boundJobs } from '../record/jobs/add-job.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type {
  CodeLog,
  MakeOutsideCode,
  OutsideCode,
  SystemRecords,
  TransactionCode,
} from '../resource/code/code-context.ts'
import { type Author, serviceAuthor } from '../storage/changes.ts'
import { outsideJobs } from './outside-jobs.ts'
import { outsideRecords } from './outside-records.ts'

export type CodeDeps = {
  readonly engine: Engine
  readonly fetch: OutgoingFetch
  readonly log: CodeLog
  /** The author of its writes; the service itself unless given. */
  readonly author?: Author
}

/** Lines that name the code that writes them. */
function logOf(log: CodeLog, name: string): CodeLog {
  return {
    info: (message, detail) => log.info(message, { ...detail, code: name }),
    warn: (message, detail) => log.warn(message, { ...detail, code: name }),
    error: (message, error, detail) => log.error(message, error, { ...detail, code: name }),
  }
}

function refuse(sentence: string): never {
  throw new ApiError('conflict', sentence)
}

function insideCode(tx: RecordTransaction): TransactionCode {
  const { now, settings } = tx.defaults
  return { now, settings, records: boundRecords(tx), jobs: boundJobs(tx), refuse }
}

function transactionsOf(engine: Engine, author: Author): OutsideCode<SystemRecords>['transaction'] {
  return (work) => engine.records.transaction(author, (tx) => work(insideCode(tx)))
}

export function makeSystemCode(deps: CodeDeps): MakeOutsideCode<SystemRecords> {
  const { engine, fetch, log } = deps
  return ({ name, signal, cause }) => {
    const author = { ...(deps.author ?? serviceAuthor), cause }
    return {
      now: nowOf(engine)(),
      settings: engine.settings,
      services: engine.services,
      records: outsideRecords(engine, author),
      jobs: outsideJobs(engine, author),
      transaction: transactionsOf(engine, author),
      fetch: fetchUntil(fetch, signal),
      log: logOf(log, name),
      signal,
    }
  }
}
