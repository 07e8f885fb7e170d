/** Tokens of trusted issuers → principals: each acts as the user whom the operator named, cut down to scopes as an API key is. */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { badToken } from '../../errors.ts'
import { equal } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { TrustedIssuer } from '../../settings/federation-settings.ts'
import type { StoredReads } from '../../storage/storage.ts'
import { activeUser, type Marks } from '../marks.ts'
import type { Memory } from '../memory.ts'
import { hashToken } from '../tokens/token.ts'
import type { FetchBounds } from './bounded-fetch.ts'
import { makeForeignTokens } from './foreign-tokens.ts'

/** What the configuration says of it. */
export type Trusting = { readonly issuers: readonly TrustedIssuer[]; readonly bounds: FetchBounds }

type Parts = {
  readonly trusting: Trusting | undefined
  readonly storage: StoredReads
  readonly clock: Clock
  readonly login: Marks['login']
  readonly memory: Memory
}

const scheme = 'Bearer '

/**
 * The caller of a token that says that another issuer made it; undefined for every other. Rejects with `unauthenticated`, and `unavailable` while
 * the issuer's keys cannot be had.
 */
export type ByForeign = (authorization: string | undefined) => Promise<UserPrincipal> | undefined

export function makeByForeign({ trusting, storage, clock, login, memory }: Parts): ByForeign {
  if (!trusting || trusting.issuers.length === 0) return () => undefined
  const tokens = makeForeignTokens(trusting.issuers, { clock, bounds: trusting.bounds })

  async function read(token: string) {
    const { by, expiresMs } = await tokens.verify(token)
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
