/**
 * Moves mails that are stored as records into the engine's own work queue, each in one transaction.
 * Applications put them into their mail resource, and so did earlier versions. The lease of those
 * versions is a time at which the mail is due again.
 */
import { parseQueuedMail, queueMail } from '../../accounts/recovery/owner-mails.ts'
import { timestampOf } from '../../base/clock.ts'
import { atRandom } from '../../effects/effect-kind.ts'
import { makePollScheduler } from '../../effects/poll-scheduler.ts'
import { limits } from '../../limits.ts'
import type { Engine } from '../../perform/engine.ts'
import type { OutgoingMailMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import { serviceAuthor } from '../../storage/changes.ts'
import type { ListRequest } from '../../storage/storage.ts'
import { mailStartsAfter } from './mail-kind.ts'

export type MailDrain = {
  /** Moves the mails that are due. */
  now(): Promise<void>
  stop(): Promise<void>
}

const atOnce = 100

type MailTable = MarkedTable<OutgoingMailMark>

/** Returns whether there may be more. */
async function moveSome({ records, storage, clock }: Engine, { resource, mark }: MailTable): Promise<boolean> {
  const isDue = { kind: 'compare', field: mark.dueAt, operator: 'lte', value: timestampOf(clock()) } as const
  const request: ListRequest = { where: isDue, sort: [{ field: mark.dueAt, descending: false }], limit: atOnce }
  // Reads first: even a transaction without writes would block other writes.
  if ((await storage.list(resource, { ...request, limit: 1 })).length === 0) return false
  return records.transaction(serviceAuthor, async (tx) => {
    const rows = await tx.lockAll(resource, request)
    for (const row of rows) await queueMail(tx, parseQueuedMail(mark, row))
    const values = rows.map((row) => row[resource.idField] as Scalar)
    if (values.length > 0) await tx.removeWhere(resource, { kind: 'in', field: resource.idField, values })
    return rows.length === atOnce
  })
}

/** `report`: receives failures, which are tried again. */
export function startDrain(engine: Engine, mails: MailTable, report: (error: unknown) => void): MailDrain {
  const { checkMs } = limits.effects
  let stopped = false
  const looks = makePollScheduler({
    async look() {
      while (!stopped && (await moveSome(engine, mails)));
      return checkMs
    },
    failedMs: checkMs,
    failed: report,
    succeeded: () => undefined,
  })
  const lookSoon = () => looks.within(atRandom(mailStartsAfter))

  engine.storage.changes.follow({
    apply(changes) {
      if (changes.some(({ resource, kind }) => resource === mails.resource.name && kind === 'insert')) lookSoon()
    },
    reset: lookSoon,
  })
  lookSoon() // mails from before this start
  return {
    now: looks.now,
    async stop() {
      stopped = true
      looks.stop()
      await looks.settled()
    },
  }
}
