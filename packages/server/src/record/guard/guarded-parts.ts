/** The parts of a transaction that all guarded code is given, whichever code it is. */
import type { FindCodeTenants } from '../../resource/tenancy/code-tenants.ts'
import { boundJobs } from '../jobs/add-job.ts'
import { boundMail, guardedMail } from '../mails/leave-mail.ts'
import type { RecordTransaction } from '../write-context.ts'
import type { GuardedCall } from './guarded-code.ts'
import { guardedRecords } from './guarded-records.ts'

type InsideParts<R> = {
  readonly tx: RecordTransaction
  readonly records: R
  /** Those that the code is in. */
  readonly tenants?: FindCodeTenants | undefined
}

export function guardedParts<R extends (...given: never[]) => object>(
  { tx, records, tenants }: InsideParts<R>,
  call: GuardedCall,
) {
  return {
    records: guardedRecords(records, call),
    jobs: guardedRecords(boundJobs(tx, tenants), call),
    mail: guardedMail(boundMail(tx), call),
  }
}
