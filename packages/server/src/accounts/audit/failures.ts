/**
 * Records failed log-ins and other wrong proofs in the audit, each in a transaction of its own. It
 * counts failures by account, by address and in all, for 15 minutes. Up to a limit each failure is
 * recorded; above it only those at twice, four times and eight times the limit, with the counts.
 * So a flood of guesses does not fill the disk.
 */
import type { Clock } from '../../base/clock.ts'
import { countedAddress } from '../../base/counted-address.ts'
import type { RecordStore } from '../../record/record-store.ts'
import type { AuditEvent } from '../../resource/accounts/audit-events.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import type { IdentityTables } from '../identity-tables.ts'
import { sessionAuthor } from '../sessions/start-session.ts'
import { recordAudit } from './audit.ts'

const windowMs = 15 * 60_000
/** Failures that are recorded one by one: of one account, of one address, and of all together. */
const failuresTold = { account: 10, address: 20, all: 100 } as const

/** The detail in which a record counts the failures that it stands for. */
const words = { account: 'failuresOfAccount', address: 'failuresOfAddress', all: 'failuresOfAll' } as const

/**
 * Whether the failure with this number is recorded: each of the first ones, then each that doubles
 * the number.
 */
export function isAudited(number: number, oneByOne: number): boolean {
  return number <= oneByOne || (number % oneByOne === 0 && Number.isInteger(Math.log2(number / oneByOne)))
}

export type FailedAttempt = {
  readonly event?: AuditEvent
  /** The owner of the account; null where there is none. */
  readonly userId: Scalar | null
  readonly address: string
  readonly userAgent?: string | undefined
  /** The proof that was wrong, where it was not the log-in as a whole. */
  readonly proof?: string
  /** The way of a log-in that the application refused. It counts apart from wrong proofs. */
  readonly way?: string
}

export type FailureAudit = {
  /**
   * Records a failed proof, as `log-in-failed` unless another event is given. It takes as long
   * whether the account exists or not.
   */
  note(failed: FailedAttempt): Promise<void>
}

type FailuresDeps = {
  readonly storage: Pick<ReadStorage, 'countUp'>
  readonly records: RecordStore
  readonly clock: Clock
  readonly marks: Pick<IdentityTables, 'audit'>
}

/** Without an audit nothing is counted. */
export function makeFailureAudit({ storage, records, clock, marks }: FailuresDeps): FailureAudit {
  /** The number of this failure in the window, under each name that it counts under. */
  async function numbersOf({ userId, address, way }: FailedAttempt) {
    const count = async (key: string) =>
      (await storage.countUp(`audited ${way === undefined ? '' : 'refused '}${key}`, windowMs, clock())).count
    return {
      account: await count(`account ${userId}`),
      address: await count(`address ${countedAddress(address)}`),
      all: await count('all'),
    }
  }

  return {
    async note(failed) {
      if (!marks.audit) return
      const numbers = await numbersOf(failed)
      const { userId, event = 'log-in-failed', proof, way } = failed
      // A name without an account has no count of its own. The server counts it anyway, so that
      // both cases take the same time.
      const scopes = userId === null ? (['address', 'all'] as const) : (['account', 'address', 'all'] as const)
      const over = scopes.filter((one) => numbers[one] > failuresTold[one])
      // The widest count bounds the records. If all counts decided, two that are out of step would
      // leave nothing of a flood: one is even when the other is odd.
      const widest = over.at(-1)
      if (widest && !isAudited(numbers[widest], failuresTold[widest])) return
      const details = { proof, way, ...Object.fromEntries(over.map((one) => [words[one], numbers[one]])) }
      await records.transaction(sessionAuthor(failed), (tx) =>
        recordAudit(tx, { event, userId, actorId: null, credential: null, details }),
      )
    },
  }
}
