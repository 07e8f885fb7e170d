/**
 * Recovery codes: ten for a user who has lost a factor, each valid once. They have 120 random bits
 * and are stored as SHA-256, which needs at least 112 (ASVS 6.5.2). They depend on no secret of the
 * server, so they work after a secret was lost.
 */
import { hash, randomInt } from 'node:crypto'
import type { RecordTransaction } from '../../record/record-store.ts'
import { all, equal } from '../../resource/condition.ts'
import { recordAudit } from '../audit/audit.ts'
import type { FactorTables } from '../identity-tables.ts'

const codesOfUser = 10
const groups = 6
const groupLength = 4
/** Without letters that look like digits (Crockford's base 32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export type RecoveryCodes = {
  /** New codes in place of the old ones. They are shown once. */
  replace(tx: RecordTransaction, userId: string): Promise<readonly string[]>
  /** Whether the code is one of the user's; it is gone then. */
  take(tx: RecordTransaction, userId: string, code: string): Promise<boolean>
  removeAll(tx: RecordTransaction, userId: string): Promise<void>
}

function makeCode(): string {
  const letter = () => alphabet[randomInt(alphabet.length)] as string
  return Array.from({ length: groups }, () => Array.from({ length: groupLength }, letter).join('')).join('-')
}

/** As people write it: in any case, with or without hyphens, with an o for a zero. */
function hashOf(userId: string, code: string): string {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return hash('sha256', `recovery code ${userId} ${plain}`, 'hex')
}

export function makeRecoveryCodes({ recoveryCode: { resource, mark } }: FactorTables): RecoveryCodes {
  const ofUser = (userId: string) => equal(mark.owner, userId)
  return {
    async replace(tx, userId) {
      await tx.removeWhere(resource, ofUser(userId))
      const codes = Array.from({ length: codesOfUser }, makeCode)
      for (const code of codes) {
        const values = { [mark.owner]: userId, [mark.hash]: hashOf(userId, code) }
        await tx.insert(await tx.prepare(resource, values))
      }
      await recordAudit(tx, { event: 'recovery-codes-made', userId, actorId: userId })
      return codes
    },
    async take(tx, userId, code) {
      const where = all(ofUser(userId), equal(mark.hash, hashOf(userId, code)))
      const found = await tx.lock(resource, where, { toDelete: true })
      if (!found) return false
      await tx.remove(resource, found.row)
      await recordAudit(tx, { event: 'recovery-code-used', userId, actorId: userId })
      return true
    },
    async removeAll(tx, userId) {
      await tx.removeWhere(resource, ofUser(userId))
    },
  }
}
