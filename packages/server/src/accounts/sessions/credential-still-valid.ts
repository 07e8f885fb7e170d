/**
 * Whether the credential of a request is still good where a new way in is stored. It was good when
 * the request began; an owner who takes an account back ends it, and a key that was asked for just
 * before must not outlive that.
 */
import { badKey, badToken } from '../../errors.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import type { Principal } from '../../resource/principal.ts'
import { lockActing } from '../identity-tables.ts'

type CredentialTables = Pick<Catalog, 'login' | 'session' | 'apiKey'>

/**
 * Throws `unauthenticated`, as the next request with the credential would. The user's row stays
 * locked, as in whatever takes an account back: one of the two comes first, and the other one sees
 * it.
 */
export async function checkCredentialStillValid(
  tx: RecordTransaction,
  { login, session, apiKey }: CredentialTables,
  principal: Principal,
): Promise<void> {
  if (!login || principal.kind !== 'user' || principal.via === 'console') return
  const { userId, sessionId, keyId, via } = principal
  const refusal = () => (via === 'key' ? badKey('invalid') : badToken('Invalid token'))
  if (!(await lockActing(tx, login, userId))) throw refusal()
  if (session && sessionId !== undefined) {
    if (!(await tx.find(session.resource, equal(session.resource.idField, sessionId)))) throw refusal()
  }
  if (apiKey && keyId !== undefined) {
    const key = (await tx.find(apiKey.resource, equal(apiKey.resource.idField, keyId)))?.row
    if (key?.[apiKey.mark.active] !== true) throw refusal()
  }
}
