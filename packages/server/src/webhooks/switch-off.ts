/**
 * Changes an endpoint by the answers that it gives: since when it fails, and whether it is switched
 * off. A mail tells its owner.
 */
import { queueOwnerMail } from '../accounts/recovery/owner-mails.ts'
import { timestampOf } from '../base/clock.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { webhookMail } from '../resource/accounts/mail-names.ts'
import { equal } from '../resource/condition.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { type Endpoint, endpointOf, type WebhookRoom } from './webhook-room.ts'

const reasonLengthMax = 300

/** Nothing where the application has no mails, or users without addresses. */
async function mailOwner(tx: RecordTransaction, { userId, url }: Endpoint, reason: string): Promise<void> {
  const { login } = tx.catalog
  const user = login && (await tx.find(login.resource, equal(login.resource.idField, userId)))?.row
  const recipient = String(user?.[login?.mark.login ?? ''] ?? '')
  if (!recipient.includes('@')) return
  await queueOwnerMail(tx, { letter: webhookMail, recipient, owner: userId, detail: `${url} (${reason})` })
}

/** Switches it off, where it is on. */
export async function switchOff(room: WebhookRoom, id: string, reason: string): Promise<void> {
  const { engine, tables, counts, report } = room
  const { endpoints } = tables
  const now = timestampOf(engine.clock())
  const isOff = await engine.records.transaction(serviceAuthor, async (tx) => {
    const found = await tx.lock(endpoints, equal('id', id))
    if (found?.row.active !== true) return false
    const disabledReason = reason.slice(0, reasonLengthMax)
    await tx.change(endpoints, found.row, { active: false, disabledAt: now, disabledReason })
    await mailOwner(tx, endpointOf(tables, found.row), disabledReason)
    return true
  })
  if (!isOff) return
  counts.add('switched-off')
  report('A webhook endpoint is switched off', { endpoint: id, reason })
}

/** Notes the first failure since a success, or that it works again. */
export async function noteFailing(room: WebhookRoom, id: string, sinceMs: number | undefined): Promise<void> {
  const { engine, tables } = room
  const failingSince = sinceMs === undefined ? null : timestampOf(sinceMs)
  await engine.records.transaction(serviceAuthor, (tx) => tx.changeAll(tables.endpoints, [id], { failingSince }))
}
