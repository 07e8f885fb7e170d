/**
 * Quotas of users and of tenants for the bytes of their files. They are exact. Uploads of one user
 * or tenant that begin at once wait for each other. Each counts with the size that it announces.
 */
import { printBytes } from '../../base/print-bytes.ts'
import { ApiError } from '../../errors.ts'
import { ofTenant, ofUser, usedBy } from '../../perform/read/file-use.ts'
import type { RecordTransaction } from '../../record/write-context.ts'
import type { Condition } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { FileRoom } from '../file-room.ts'

/** `bytes`: those that come. `user`: undefined for a caller without a credential. */
export type QuotaDemand = {
  readonly user: string | undefined
  readonly resource: string
  readonly tenant: string | null
  readonly bytes: number
}

type Quota = { readonly max: number; readonly name: string; readonly whose: string; readonly where: Condition }

function* quotasOf({ settings, engine }: FileRoom, { user, tenant, resource }: QuotaDemand): Generator<Quota> {
  const { perUserMax, perTenantMax } = settings
  const { catalog } = engine
  if (perUserMax !== undefined && user !== undefined)
    yield { max: perUserMax, name: `files of user ${user}`, whose: 'Your files', where: ofUser(user) }
  const tenancy = catalog.resources.get(resource)?.scope?.tenancy
  if (perTenantMax === undefined || tenant === null || tenancy === undefined) return
  const whose = `The files of this ${inSentence(catalog.get(tenancy).label)}`
  yield { max: perTenantMax, name: `files of ${tenancy} ${tenant}`, whose, where: ofTenant(catalog, tenancy, tenant) }
}

/** Throws `too-large`. The locks are held until the transaction ends. */
export async function checkQuotas(room: FileRoom, tx: RecordTransaction, demand: QuotaDemand): Promise<void> {
  for (const { max, name, whose, where } of quotasOf(room, demand)) {
    await tx.lockName(name)
    const { bytes: used } = await usedBy(tx, { files: room.files, now: tx.defaults.now }, where)
    if (used + demand.bytes <= max) continue
    const [has, most, more] = [used, max, demand.bytes].map(printBytes)
    throw new ApiError('too-large', `${whose} have ${has} of ${most}, and ${more} more were to come: remove some first`)
  }
}
