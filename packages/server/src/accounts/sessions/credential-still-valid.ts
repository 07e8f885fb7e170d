/**
 * Checks a request's credential again where a new way to log in is stored. The credential was good
 * when the request began. An owner who takes an account back ends it, and no key requested just
 * before may outlive that.
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
 * locked, as in each write that takes an account back: the second of the two sees the first one.
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
