/**
 * Makes the contexts of code that runs outside of transactions: in the name of the system, as
 * effects do, or for a caller.
 */
import { nowOf } from '../base/clock.ts'
import { fetchUntil } from '../outgoing/fetch-until.ts'
import type { OutgoingFetch } from '../outgoing/outgoing.ts'
import { guardedParts } from '../record/guard/guarded-parts.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { checkCallOptions } from '../resource/code/call-options.ts'
import type {
  CallerRecords,
  CodeLog,
  CodeRecords,
  CodeRun,
  MakeOutsideCode,
  OutsideCode,
  SystemRecords,
  UnboundedRecords,
} from '../resource/code/code-context.ts'
import { refuseInCode } from '../resource/code/refusal.ts'
import { kindOf, type Members } from '../resource/members.ts'
import { type Author, serviceAuthor } from '../storage/changes.ts'
import { boundParts, boundRecords } from './bound-records.ts'
import { logOfCode } from './code-log.ts'
import { engineOfRun } from './code-reader.ts'
import { type CodeEngine, codeCallerOf, keptFacts } from './judged-engine.ts'
import { recordsOfCaller } from './judged-records.ts'
import { outsideJobs } from './outside-jobs.ts'
import { outsideMail } from './outside-mail.ts'
import { outsideRecords } from './outside-records.ts'
import { systemRecords, unboundedRecords } from './system-records.ts'

/** Longer than that of a hook: such code works on many records. */
const transactionMs = 2_000

const transactionMembers = {
  limitMs: kindOf('a number of milliseconds', (ms) => typeof ms === 'number' && ms > 0),
} satisfies Members<{ limitMs?: number }>

export type CodeDeps = {
  readonly engine: CodeEngine
  readonly fetch: OutgoingFetch
  readonly log: CodeLog
  /** The author of its writes; the service itself unless given. */
  readonly author?: Author
}

type RecordsOfCode<R> = { readonly outside: R; readonly inside: (tx: RecordTransaction) => R }

function outsideCode<R extends CodeRecords>(
  { engine, fetch, log, author = serviceAuthor }: CodeDeps,
  { name, signal }: CodeRun,
  { outside, inside }: RecordsOfCode<R>,
): OutsideCode<R> {
  return {
    now: nowOf(engine)(),
    settings: engine.settings,
    services: engine.services,
    records: outside,
    jobs: outsideJobs(engine, author),
    mail: outsideMail(engine, author),
    transaction: async (work, options = {}) => {
      checkCallOptions('transaction(…)', options, transactionMembers)
      const { limitMs = transactionMs } = options
      const place = `transaction(…) of ${name}`
      const code = { place, limitMs, elsewhere: 'the code around it', passesErrors: true } as const
      return engine.records.transaction(author, (tx) =>
        engine.guard.run(code, (call) => {
          const { now, settings } = tx.defaults
          return work({ now, settings, ...guardedParts({ tx, records: inside(tx) }, call), refuse: refuseInCode })
        }),
      )
    },
    fetch: fetchUntil(fetch, signal),
    log: logOfCode(log, name),
    signal,
  }
}

/** `records` acts as the system, in the tenants of the run. */
export function makeSystemCode(deps: CodeDeps): MakeOutsideCode<SystemRecords> {
  return (run) => {
    const engine = engineOfRun(deps.engine, run)
    const author = { ...(deps.author ?? serviceAuthor), cause: run.cause }
    const inside = (tx: RecordTransaction) => boundRecords(engine, tx, run.tenants)
    const outside = systemRecords(outsideRecords(engine, author), run.tenants)
    return outsideCode({ ...deps, author }, run, { outside, inside })
  }
}

/** `records` acts as the system, above all tenants. */
export function makeUnboundedCode(deps: CodeDeps): MakeOutsideCode<UnboundedRecords> {
  return (run) => {
    const engine = engineOfRun(deps.engine, run)
    const author = { ...(deps.author ?? serviceAuthor), cause: run.cause }
    const inside = (tx: RecordTransaction) => unboundedRecords(boundParts(engine, tx))
    const outside = unboundedRecords(outsideRecords(engine, author))
    return outsideCode({ ...deps, author }, run, { outside, inside })
  }
}

/**
 * `records` has the rights of the author: those of its request (`author.caller`), or those that the
 * stored user has now. `records.system` acts as the system. The author's writes name it.
 */
export function callerCode(deps: CodeDeps & { readonly author: Author }, run: CodeRun): OutsideCode<CallerRecords> {
  const { engine } = deps
  const author = { ...deps.author, ...(run.cause && { cause: run.cause }) }
  const outside = Object.assign(recordsOfCaller(codeCallerOf(engine, author, { facts: keptFacts(author) })), {
    system: unboundedRecords(outsideRecords(engine, author)),
  })
  const inside = (tx: RecordTransaction) =>
    Object.assign(recordsOfCaller(codeCallerOf(engine, author, { tx })), {
      system: unboundedRecords(boundParts(engine, tx)),
    })
  return outsideCode({ ...deps, author }, run, { outside, inside })
}
