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

/** Nothing where it has no owner, the application no mails, or users no addresses. */
async function mailOwner(tx: RecordTransaction, { userId, url }: Endpoint, reason: string): Promise<void> {
  if (userId === null) return
  const { login } = tx.catalog
  const user = login && (await tx.find(login.resource, equal(login.resource.idField, userId)))?.row
  const recipient = String(user?.[login?.mark.login ?? ''] ?? '')
  if (!recipient.includes('@')) return
  await queueOwnerMail(tx, { letter: webhookMail, recipient, owner: userId, detail: `${url} (${reason})` })
}

/** The endpoint that was tried. It may have changed since. */
type TriedEndpoint = Pick<Endpoint, 'id' | 'url'>

/** Its row, locked; undefined where it is off, or has another address now. */
async function lockSame(tx: RecordTransaction, { tables }: WebhookRoom, { id, url }: TriedEndpoint) {
  const row = (await tx.lock(tables.endpoints, equal('id', id)))?.row
  return row?.active === true && row.url === url ? row : undefined
}

/** Switches it off, where it is on. */
export async function switchOff(room: WebhookRoom, endpoint: TriedEndpoint, reason: string): Promise<void> {
  const { engine, tables, counts, report } = room
  const now = timestampOf(engine.clock())
  const isOff = await engine.records.transaction(serviceAuthor, async (tx) => {
    const row = await lockSame(tx, room, endpoint)
    if (!row) return false
    const disabledReason = reason.slice(0, reasonLengthMax)
    await tx.change(tables.endpoints, row, { active: false, disabledAt: now, disabledReason })
    await mailOwner(tx, endpointOf(tables, row), disabledReason)
    return true
  })
  if (!isOff) return
  counts.add('switched-off')
  report('A webhook endpoint is switched off', { endpoint: endpoint.id, reason })
}

/** Notes the first failure since a success, or null where it works again. */
export async function noteFailing(
  room: WebhookRoom,
  endpoint: TriedEndpoint,
  failingSince: string | null,
): Promise<void> {
  await room.engine.records.transaction(serviceAuthor, async (tx) => {
    const row = await lockSame(tx, room, endpoint)
    if (row) await tx.changeAll(room.tables.endpoints, [endpoint.id], { failingSince })
  })
}
