/**
 * Stops an API key from making or changing keys that could do more, live longer, work from more
 * addresses or act for another user. Checks the scopes and networks of every key.
 * `users/granted-roles.ts` does the same for the roles of accounts.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import { forbidden } from '../../policy/judge.ts'
import { findScopeProblem, isWithinScopes } from '../../policy/scope.ts'
import type { DraftValues, StageInput } from '../../record/requested-write.ts'
import type { WriteStep } from '../../record/stages.ts'
import type { ApiKeyMark } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../../resource/catalog.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import { checkCredentialStillValid } from '../sessions/credential-still-valid.ts'
import { findAddressProblem, isWithinAddresses } from './key-addresses.ts'
import { keyTenancyOf } from './key-tenant.ts'

type KeyValues = Pick<StageInput, 'values' | 'before'>
/** `tenantField`: the reference that binds keys to tenants, where there is one. */
type BoundKeys = MarkedTable<ApiKeyMark> & { readonly tenantField: string | undefined }

/**
 * Throws `forbidden` when a key made or changed here could do more or live longer than the calling
 * key, or act for another user. Whether it is switched on does not matter: its owner may do that
 * later. Its limits may stay as they are, as long as it is not switched on.
 */
function checkWithin({ mark, tenantField }: BoundKeys, principal: UserPrincipal, { values, before }: KeyValues): void {
  const { scopes, expiresAt, active, addresses, owner } = mark
  const after: DraftValues = { ...before, ...values }
  const isSame = (name: string) => before !== undefined && isDeepStrictEqual(after[name], before[name])
  const ownerId = after[owner] ?? principal.userId
  if (before ? !isSame(owner) : ownerId !== principal.userId) throw forbidden()
  const limits = [scopes, expiresAt, addresses, tenantField].filter((name) => name !== undefined)
  if (limits.every(isSame) && (isSame(active) || after[active] === false)) return
  const ends = (after[expiresAt] as string | null | undefined) ?? null
  const { keyExpiresAt: most = null, keyAddresses = null } = principal
  const bound = addresses === undefined ? null : ((after[addresses] as string[] | null | undefined) ?? null)
  const isInTime = most === null || (ends !== null && Date.parse(ends) <= Date.parse(most))
  const tenant = tenantField === undefined ? undefined : after[tenantField]
  if (
    !isInTime ||
    (principal.tenant && tenant !== principal.tenant.id) ||
    !isWithinAddresses(bound, keyAddresses) ||
    !isWithinScopes(principal, (after[scopes] as string[] | null | undefined) ?? null)
  )
    throw forbidden()
}

/** Scopes and networks must be some. Throws `bad-request`. */
function checkLimits(catalog: Catalog, { mark }: MarkedTable<ApiKeyMark>, values: DraftValues): void {
  const networks = mark.addresses === undefined ? undefined : values[mark.addresses]
  const wrong = Array.isArray(networks) ? findAddressProblem(networks as string[]) : undefined
  const scopes = values[mark.scopes]
  const problem = Array.isArray(scopes) ? findScopeProblem(catalog, scopes as string[]) : undefined
  const mistakes = [
    ...(wrong ? [{ field: mark.addresses as string, detail: wrong }] : []),
    ...(problem ? [{ field: mark.scopes, detail: problem }] : []),
  ]
  if (mistakes[0]) throw new ApiError('bad-request', mistakes[0].detail, { mistakes })
}

/**
 * A key cannot widen itself. `before` is absent for a new key. Throws `bad-request`, `forbidden`.
 */
export function checkKey(
  catalog: Catalog,
  apiKey: MarkedTable<ApiKeyMark>,
  sent: Pick<StageInput, 'caller'> & KeyValues,
): void {
  const { caller } = sent
  const tenantField = keyTenancyOf(catalog)?.field
  if (caller.kind === 'user' && caller.via === 'key') checkWithin({ ...apiKey, tenantField }, caller, sent)
  checkLimits(catalog, apiKey, sent.values)
}

export function keyLimits(catalog: Catalog, apiKey: MarkedTable<ApiKeyMark>): WriteStep {
  return {
    name: 'limits of keys',
    resources: [apiKey.resource],
    check: (sent) => checkKey(catalog, apiKey, sent),
    /** Throws `unauthenticated` where the credential that asks has ended meanwhile. */
    async begin(tx, { kind, caller }) {
      if (kind !== 'delete') await checkCredentialStillValid(tx, catalog, caller)
    },
    limit: {
      at: 'limits.keys',
      words: 'no key does more than the key that makes or changes it',
      kinds: ['create', 'replace', 'update'],
      check: (sent) => checkKey(catalog, apiKey, sent),
    },
  }
}
