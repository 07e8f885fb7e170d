/**
 * An operator sees what a user sees: an access token that only reads, and shows no credential. It
 * rests on the session of the operator and on both users, and ends with each of them. Tokens say
 * both ids, and the audit has an event for each token.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError, badToken } from '../../errors.ts'
import { notFound } from '../../operation/not-found.ts'
import { forbidden } from '../../policy/judge.ts'
import { authorOf } from '../../record/author.ts'
import type { RecordStore } from '../../record/record-store.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import type { CachedPrincipal } from '../credential-cache.ts'
import { type ActingUser, type ActiveUser, expiryOf, findActing, type IdentityTables } from '../identity-tables.ts'
import { checkCredentialStillValid } from '../sessions/credential-still-valid.ts'
import type { ClientOrigin } from '../sessions/session.ts'
import type { AccessTokens, VerifiedClaims } from '../tokens/access-token.ts'

export type ViewingToken = {
  readonly accessToken: string
  readonly user: ActiveUser
}

export type ViewAs = {
  /**
   * Throws `forbidden` for a caller without a session of its own, and for a user who operates the
   * service or is above the caller. Throws `not-found` for a user who may not act.
   */
  begin(caller: UserPrincipal, userId: string, from: ClientOrigin): Promise<ViewingToken>
  /** The caller of such a token, until it ends. Throws `unauthenticated`. */
  read(claims: VerifiedClaims): Promise<CachedPrincipal>
}

type ViewAsDeps = {
  readonly catalog: Catalog
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly clock: Clock
  readonly marks: IdentityTables
  readonly accessTokens: AccessTokens
  readonly sessionIdleMs?: number | undefined
}

export function makeViewAs(deps: ViewAsDeps): ViewAs {
  const { catalog, storage, records, clock, marks, accessTokens } = deps
  const { login, session } = marks
  const { roles } = catalog

  function isViewable({ user }: ActingUser, by: Pick<UserPrincipal, 'role'>): boolean {
    return !roles.reaches(user.role, roles.operator) && roles.reaches(by.role, user.role)
  }

  return {
    async begin(caller, userId, { address, userAgent }) {
      const { sessionId } = caller
      if (sessionId === undefined || caller.viewer) throw forbidden('Log in: this needs a session of your own')
      return records.transaction({ ...authorOf(caller), address, userAgent }, async (tx) => {
        const viewed = await findActing(tx, login, userId)
        if (!viewed) throw notFound(login.resource, 'get')
        if (!isViewable(viewed, caller)) throw forbidden('A user of your own role or above is not viewed')
        await checkCredentialStillValid(tx, catalog, caller)
        const { user } = viewed
        await recordAudit(tx, { event: 'viewed-as', userId: user.userId })
        const names = { userId: user.userId, role: user.role, email: user.login }
        const accessToken = await accessTokens.sign({ ...names, sid: sessionId, viewer: caller.userId })
        return { accessToken, user }
      })
    },

    async read({ userId, sid, viewer = '', expiresMs: tokenEndsMs }) {
      // An answer that lasts asks again, with the token of its beginning.
      if (tokenEndsMs <= clock()) throw badToken('Token expired')
      const found = (await storage.find(session.resource, equal(session.resource.idField, sid as Scalar)))?.row
      const expiresMs = Math.min(expiryOf(marks, found, deps.sessionIdleMs), tokenEndsMs)
      const by = await findActing(storage, login, viewer)
      const viewed = await findActing(storage, login, userId)
      if (!found || found[session.mark.owner] !== viewer || !(expiresMs > clock()) || !by || !viewed)
        throw badToken('Invalid token')
      if (!roles.reaches(by.user.role, roles.operator) || !isViewable(viewed, by.user)) throw badToken('Invalid token')
      return {
        principal: {
          kind: 'user',
          ...viewed.user,
          via: 'token',
          scopes: null,
          viewer: { userId: by.user.userId, role: by.user.role },
        },
        expiresMs,
        restsOn: [
          { resource: session.resource, row: found },
          { resource: login.resource, row: viewed.row },
          { resource: login.resource, row: by.row },
        ],
      }
    },
  }
}

/** The caller as one that may view others. Throws `unauthenticated`. */
export function viewerOf(caller: UserPrincipal | { readonly kind: 'anonymous' }): UserPrincipal {
  if (caller.kind === 'user') return caller
  throw new ApiError('unauthenticated', 'Token required')
}
