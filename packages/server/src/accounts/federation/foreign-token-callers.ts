/**
 * Turns tokens of trusted issuers into principals: each acts as a user that the operator named,
 * limited to scopes as an API key is.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { badToken } from '../../errors.ts'
import { equal } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { TrustedIssuer } from '../../settings/federation-settings.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import type { CredentialCache } from '../credential-cache.ts'
import { activeUser, type IdentityTables } from '../identity-tables.ts'
import { hashToken } from '../tokens/token.ts'
import { claimAt } from './claims.ts'
import { makeForeignTokens } from './foreign-tokens.ts'
import type { IssuerDoor } from './issuer-door.ts'

/** The part of the configuration about trusted issuers. */
export type TrustConfig = { readonly issuers: readonly TrustedIssuer[]; readonly door: IssuerDoor }

type ForeignTokenCallersDeps = {
  readonly trusting: TrustConfig | undefined
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly login: IdentityTables['login']
  readonly memory: CredentialCache
  /** The claims that rules ask for. */
  readonly claimNames: readonly string[]
}

const scheme = 'Bearer '

/**
 * The caller of a token that names another issuer; undefined for every other. Rejects with
 * `unauthenticated`, and `unavailable` while the issuer's keys cannot be fetched.
 */
export type IdentifyByForeignToken = (authorization: string | undefined) => Promise<UserPrincipal> | undefined

export function makeIdentifyByForeignToken({
  trusting,
  storage,
  clock,
  login,
  memory,
  claimNames,
}: ForeignTokenCallersDeps): IdentifyByForeignToken {
  if (!trusting || trusting.issuers.length === 0) return () => undefined
  const tokens = makeForeignTokens(trusting.issuers, { clock, door: trusting.door })

  async function read(token: string) {
    const { by, expiresMs, claims } = await tokens.verify(token)
    const row = (await storage.find(login.resource, equal(login.mark.login, by.user)))?.row
    const owner = activeUser(login, row)
    if (!row || !owner) throw badToken('Invalid token')
    return {
      principal: {
        kind: 'user',
        ...owner,
        via: 'key',
        keyId: `issuer:${by.name}`,
        keyExpiresAt: timestampOf(expiresMs),
        scopes: by.scopes,
        claims: Object.fromEntries(claimNames.map((name) => [name, claimAt(claims, name)])),
      },
      expiresMs,
      restsOn: [{ resource: login.resource, row }],
    } as const
  }

  return (authorization) => {
    if (!authorization?.startsWith(scheme)) return undefined
    const token = authorization.slice(scheme.length).trim()
    return tokens.isForeign(token) ? memory.remember(`foreign ${hashToken(token)}`, () => read(token)) : undefined
  }
}
