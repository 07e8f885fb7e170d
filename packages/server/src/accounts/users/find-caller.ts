/** Finds the principal of a user without a credential, for the operator at the command line. */
import type { CallerIdentification } from '../../http/edge-engine.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import type { CredentialCache } from '../credential-cache.ts'
import { findActing, type IdentityTables } from '../identity-tables.ts'

type FindCallerDeps = Pick<IdentityTables, 'login'> & {
  readonly storage: Pick<ReadStorage, 'find'>
  /** It adds the facts of features to a principal. */
  readonly memory: CredentialCache
}

export function makeFindCaller({ storage, login, memory }: FindCallerDeps): CallerIdentification['findCaller'] {
  const { resource, mark } = login
  return async (word) => {
    const where = word.includes('@') ? equal(mark.login, word) : equal(resource.idField, word.toLowerCase())
    const found = (await storage.find(resource, where))?.row
    const acting = found && (await findActing(storage, login, found[resource.idField] as Scalar))
    if (!acting) return undefined
    return memory.remember(`user ${acting.user.userId}`, async () => ({
      principal: { kind: 'user', ...acting.user, via: 'token', scopes: null },
      expiresMs: Number.POSITIVE_INFINITY,
      restsOn: [{ resource, row: acting.row }],
    }))
  }
}
