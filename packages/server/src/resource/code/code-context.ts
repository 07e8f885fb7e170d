/**
 * The parts of the contexts of an application's code. Actions and hooks work inside a transaction,
 * effects and other work outside of one.
 */
import type { Fields } from '../fields/field.ts'
import type { Jobs } from '../jobs/job-context.ts'
import type { CodeSettings, SendMail, Services } from '../parts/part-handles.ts'
import type { IdOf } from '../record-of.ts'
import type { FindCodeTenants } from '../tenancy/code-tenants.ts'
import type { KnownCaller } from './acting-caller.ts'
import type { JudgedRecords, Records, ResourceHandle } from './code-records.ts'

/** All code is given this. */
export type CommonCode = {
  /**
   * `jobs(sendInvoice).add({ order: 12 })` adds a job, which runs later. Inside a transaction it is
   * part of that.
   */
  readonly jobs: Jobs
  /** The time, RFC 3339 in UTC with milliseconds. */
  readonly now: string
  /**
   * The part of the configuration that declarations may ask about. `settings.of(shopSettings)` has
   * the application's own.
   */
  readonly settings: CodeSettings
}

/** The records of a resource, judged by the rights of one caller. */
export type RecordsForCaller = <F extends Fields>(resource: ResourceHandle<F>) => JudgedRecords<F>

type OfResources = <F extends Fields>(resource: ResourceHandle<F>) => Records<F>

/**
 * The records of every tenant, in the name of the system: no rule is checked.
 * `records.quiet(books)`: the same records, whose writes cause no effects of declarations.
 * `records.as(caller)(books)`: judged by the rights of the caller or author.
 */
export type UnboundedRecords = OfResources & {
  readonly quiet: OfResources
  readonly as: (caller: KnownCaller) => RecordsForCaller
  /** `records.within(clubs, id)(books)`: in one tenant. The records of others are missing. */
  readonly within: <F extends Fields>(tenants: ResourceHandle<F>, id: IdOf<F>) => SystemRecords
  readonly _bounds?: 'none'
}

/**
 * The records of the tenant that the code is in, in the name of the system. No rule is checked, and
 * those of other tenants are missing. Code is in the tenant of its record, and in the one that the
 * request names. Where there is none, and for records without a tenant, nothing is missing.
 * `records.quiet(books)`: the same records, whose writes cause no effects of declarations.
 * `records.as(caller)(books)`: judged by the rights of the caller or author.
 * `records.system(books)`: those of every tenant.
 */
export type SystemRecords = OfResources & {
  readonly quiet: OfResources
  readonly as: (caller: KnownCaller) => RecordsForCaller
  readonly system: UnboundedRecords
  readonly _bounds?: 'tenant'
}

/**
 * `records(books)`: the records of a resource, judged by the caller's rights.
 * `records.system(books)`: in the name of the system, without a rule, and of every tenant.
 */
export type CallerRecords = RecordsForCaller & {
  readonly system: UnboundedRecords
}

/** `records` of code, whose type tells its rights and its tenant. */
export type CodeRecords = SystemRecords | UnboundedRecords | CallerRecords

/** All code inside a transaction: actions, hooks, and the work of `transaction(…)`. */
export type InsideCode<R = SystemRecords> = CommonCode & {
  /**
   * `mail(welcome, { to, values: { name: 'Ann' } })` leaves a mail as a part of this transaction.
   * The server sends it after the commit.
   */
  readonly mail: SendMail
  /**
   * The records of a resource, inside this transaction. In actions and hooks no rule is checked:
   * the operation itself was permitted. They are those of the tenant of the record.
   */
  readonly records: R
}

/** Actions, and the work of `transaction(…)`. Hooks have a `refuse` that names a field. */
export type TransactionCode<R = SystemRecords> = InsideCode<R> & {
  /** Throws `conflict` with this sentence, which undoes the transaction. */
  readonly refuse: (sentence: string) => never
}

type LogDetail = Readonly<Record<string, unknown>>
/** Lines of the server's log. Each names the code that writes it. No secret belongs there. */
export type CodeLog = {
  /**
   * `detail`: further members of the line. Those that each line has itself (`level`, `time`, `msg`,
   * `code`, `err`) are in its member `detail`.
   */
  info(message: string, detail?: LogDetail): void
  /** The same as a warning. */
  warn(message: string, detail?: LogDetail): void
  /** The line has the stack of the error. */
  error(message: string, error: unknown, detail?: LogDetail): void
}

/** Code outside of transactions, such as effects. `R`: whose rights `records` has. */
export type OutsideCode<R extends CodeRecords> = CommonCode & {
  /** The records of a resource. Each write has a transaction of its own. */
  readonly records: R
  /**
   * Runs the work in one transaction, and returns its result. The writes of its `records` are
   * stored together, or none is where it throws. It may run again from its beginning when another
   * transaction was in the way, so it must change nothing outside. It waits for its own `records`
   * alone: the limits of a hook hold, with 2,000 ms unless `limitMs` says otherwise.
   */
  readonly transaction: <T>(
    work: (inside: TransactionCode<R>) => Promise<T>,
    options?: { readonly limitMs?: number },
  ) => Promise<T>
  /**
   * The standard's `fetch`, to the public internet and the hosts of OUTGOING_ALLOW. It bounds the
   * size of an answer (10 MB) and the redirects (5). It ends with `signal`.
   */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** `mail(welcome, { to, values: { name: 'Ann' } })`: leaves a mail, and commits it. */
  readonly mail: SendMail
  /** `services(stripe)`: a service that `defineService` declares. */
  readonly services: Services
  /** Writes to the server's log. */
  readonly log: CodeLog
  /** Ends the work at its time limit, and when the server stops. */
  readonly signal: AbortSignal
}

/**
 * One run of such code. `name`: what the log calls it, such as `book.announce`. `cause`: the effect
 * whose code it is, which its writes name; `depth`: how many caused each other up to it.
 */
export type CodeRun = {
  readonly name: string
  readonly signal: AbortSignal
  readonly cause?: { readonly id: string; readonly depth: number } | undefined
  /** The tenants that it is in; absent for code that stands above them. */
  readonly tenants?: FindCodeTenants | undefined
}
export type MakeOutsideCode<R extends CodeRecords> = (run: CodeRun) => OutsideCode<R>
