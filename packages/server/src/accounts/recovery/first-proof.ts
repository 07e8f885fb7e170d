/**
 * The first proof of an address. Until then anybody could have made the account in its owner's name, and have left a way in: keys, second
 * factors, log-ins by others, a password. The proof ends all of these, whoever made them; what is made afterwards is the owner's.
 */
import type { Writing } from '../../record/records.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { tellAudit } from '../audit/audit.ts'
import { factorsOfUserMax } from '../factors/factors.ts'
import { shownKeys, workingKeys } from '../keys/key-list.ts'
import type { Marks } from '../marks.ts'
import type { Letters } from './letters.ts'
import { takeUnproven } from './one-time-tokens.ts'

type Parts = { readonly marks: Marks; readonly letters: Letters }
/** `user`: the locked row. `languages`: those of the mail that tells of it. */
type Proof = { readonly user: Row; readonly languages: string | undefined }

export type FirstProof = {
  /** Does nothing for an address that was proven before. Returns whether it was not. */
  settle(writing: Writing, proof: Proof): Promise<boolean>
}

/** Keys are switched off and not removed: programs of the owner's own go on when they are switched on again. */
async function switchOffKeys(writing: Writing, { apiKey }: Marks, owner: Scalar): Promise<readonly Row[]> {
  if (!apiKey) return []
  const { resource, mark } = apiKey
  const { now } = writing.defaults
  const keys: Row[] = []
  // Those that were read are off, so the next ones come first.
  for (;;) {
    const some = (await workingKeys(writing, { apiKey }, { owner, now })) ?? []
    if (some.length === 0) return keys
    for (const { [resource.idField]: id } of some) {
      const row = (await writing.lock(resource, equal(resource.idField, id as Scalar)))?.row
      if (row) await writing.change(resource, row, { [mark.active]: false })
    }
    keys.push(...some)
  }
}

async function removeFactors(writing: Writing, { factors }: Marks, owner: Scalar): Promise<number> {
  if (!factors) return 0
  const { resource, mark } = factors.factor
  const rows = await writing.lockAll(resource, {
    where: equal(mark.owner, owner),
    sort: [{ field: resource.idField, descending: false }],
    limit: factorsOfUserMax,
    after: null,
  })
  for (const row of rows) {
    const details = { factor: row[resource.idField] as Scalar, type: row[mark.type] as string }
    await tellAudit(writing, { event: 'factor-removed', userId: owner, details })
    await writing.remove(resource, row)
  }
  const { recoveryCode } = factors
  await writing.removeWhere(recoveryCode.resource, equal(recoveryCode.mark.owner, owner))
  return rows.length
}

export function makeFirstProof({ marks, letters }: Parts): FirstProof {
  const { login, session, oneTimeToken, linkedAccount, apiKey } = marks
  return {
    async settle(writing, { user, languages }) {
      const owner = user[login.resource.idField] as Scalar
      if (!oneTimeToken || !(await takeUnproven(writing, oneTimeToken, owner))) return false
      const keys = await switchOffKeys(writing, marks, owner)
      const factors = await removeFactors(writing, marks, owner)
      const links = linkedAccount
        ? await writing.removeWhere(linkedAccount.resource, equal(linkedAccount.mark.owner, owner))
        : 0
      await writing.removeWhere(session.resource, equal(session.mark.owner, owner))
      if (keys.length + factors + links === 0) return true
      const recipient = user[login.mark.login] as string
      const detail = shownKeys(apiKey?.mark ?? {}, keys)
      await letters.send(writing, { letter: 'address-proven', recipient, owner, detail, languages })
      return true
    },
  }
}
