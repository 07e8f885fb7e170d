/**
 * The first proof of an address. Before it, a stranger could have made the account in the owner's
 * name and left keys, second factors, log-ins by others or a password. The proof removes all of
 * these, whichever user made them; later ones are the owner's.
 */
import type { RecordTransaction } from '../../record/record-store.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import { factorsOfUserMax } from '../factors/factors.ts'
import type { IdentityTables } from '../identity-tables.ts'
import { listKeys, usableKeys } from '../keys/key-list.ts'
import type { AccountMails } from './account-mails.ts'
import { takeUnproven } from './one-time-tokens.ts'

type FirstProofDeps = { readonly marks: IdentityTables; readonly mails: AccountMails }
/** `user`: the locked row. `languages`: those of the mail that tells of it. */
type AddressProof = { readonly user: Row; readonly languages: string | undefined }

export type FirstProof = {
  /** Does nothing for an address that was proven before. Returns whether it was not. */
  settle(tx: RecordTransaction, proof: AddressProof): Promise<boolean>
}

/**
 * Keys are switched off and not removed: programs of the owner's own go on when they are switched
 * on again.
 */
async function switchOffKeys(
  tx: RecordTransaction,
  { apiKey }: IdentityTables,
  owner: Scalar,
): Promise<readonly Row[]> {
  if (!apiKey) return []
  const { resource, mark } = apiKey
  const { now } = tx.defaults
  const keys: Row[] = []
  // Those that were read are off, so the next ones come first.
  for (;;) {
    const some = (await usableKeys(tx, { apiKey }, { owner, now })) ?? []
    if (some.length === 0) return keys
    for (const { [resource.idField]: id } of some) {
      const row = (await tx.lock(resource, equal(resource.idField, id as Scalar)))?.row
      if (row) await tx.change(resource, row, { [mark.active]: false })
    }
    keys.push(...some)
  }
}

async function removeFactors(tx: RecordTransaction, { factors }: IdentityTables, owner: Scalar): Promise<number> {
  if (!factors) return 0
  const { resource, mark } = factors.factor
  const rows = await tx.lockAll(resource, {
    where: equal(mark.owner, owner),
    sort: [{ field: resource.idField, descending: false }],
    limit: factorsOfUserMax,
    after: null,
  })
  for (const row of rows) {
    const details = { factor: row[resource.idField] as Scalar, type: row[mark.type] as string }
    await recordAudit(tx, { event: 'factor-removed', userId: owner, details })
    await tx.remove(resource, row)
  }
  const { recoveryCode } = factors
  await tx.removeWhere(recoveryCode.resource, equal(recoveryCode.mark.owner, owner))
  return rows.length
}

export function makeFirstProof({ marks, mails }: FirstProofDeps): FirstProof {
  const { login, session, oneTimeToken, linkedAccount, apiKey } = marks
  return {
    async settle(tx, { user, languages }) {
      const owner = user[login.resource.idField] as Scalar
      if (!oneTimeToken || !(await takeUnproven(tx, oneTimeToken, owner))) return false
      const keys = await switchOffKeys(tx, marks, owner)
      const factors = await removeFactors(tx, marks, owner)
      const links = linkedAccount
        ? await tx.removeWhere(linkedAccount.resource, equal(linkedAccount.mark.owner, owner))
        : 0
      await tx.removeWhere(session.resource, equal(session.mark.owner, owner))
      if (keys.length + factors + links === 0) return true
      const recipient = user[login.mark.login] as string
      const detail = listKeys(apiKey?.mark ?? {}, keys)
      await mails.send(tx, { letter: 'address-proven', recipient, owner, detail, languages })
      return true
    },
  }
}
