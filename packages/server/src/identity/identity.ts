/**
 * Credentials → principal. Whatever goes wrong here refuses: an error in a check is never "no check". Users, keys and sessions are records
 * of declared resources, found by their marks; what was read is kept only until anything of theirs is written.
 */
import { LRUCache } from 'lru-cache'
import { type Clock, timestampOf } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { MakeId } from '../ids.ts'
import { equal } from '../operation/condition.ts'
import { anonymous, type Principal, type UserPrincipal } from '../operation/principal.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Row, Storage } from '../storage/storage.ts'
import { makeAccessTokens } from './access-token.ts'
import { activeUser, type Marks } from './marks.ts'
import { makePasswords } from './password.ts'
import { makeSessions, type Sessions } from './session.ts'
import { hashToken, isKey, makeKey } from './token.ts'

/** What a request carries, as it came. Empty texts count as absent. */
export type Credentials = {
  readonly authorization: string | undefined
  readonly keyHeader: string | undefined
  readonly keyParameter: string | undefined
}

export type Identity = {
  /**
   * Throws `unauthenticated` for any credential that is sent and bad, `bad-request` for two different keys. A good token decides over
   * a good key. On a machine route only the key counts: a token beside it is not looked at.
   */
  identify(credentials: Credentials, options: { machine: boolean }): Promise<Principal>
  /** Undefined where nobody logs in. */
  readonly sessions: Sessions | undefined
  hashPassword(password: string, first?: () => Promise<void>): Promise<string>
  makeKey(prefix: string): { token: string; hash: string }
}

export type IdentityParts = {
  readonly catalog: Catalog
  readonly storage: Storage
  readonly clock: Clock
  readonly makeId: MakeId
  /** The first signs; each has at least 32 bytes. */
  readonly secrets: readonly Buffer[]
}

const rememberedMax = 20_000
/** A key's and a session's "last used" are exact to this; a write for each request would cost more than it tells. */
const lastUsedStepMs = 60_000

function invalid(message: string): ApiError {
  return new ApiError('unauthenticated', message)
}

/** The one key that was sent, if any. Throws `bad-request` for two different ones. */
export function keyOf({ keyHeader, keyParameter }: Credentials): string | undefined {
  if (keyHeader && keyParameter && keyHeader !== keyParameter)
    throw new ApiError('bad-request', 'Two different API keys were sent')
  return keyHeader || keyParameter
}

export function makeIdentity(parts: IdentityParts, marks: Marks): Identity {
  const { storage, clock } = parts
  const { login, apiKey, session } = marks
  const accessTokens = makeAccessTokens(parts.secrets, clock)
  const passwords = makePasswords()
  const sessions = makeSessions({ ...parts, marks, accessTokens, passwords })
  const watched: readonly Resource[] = [login, session, ...(apiKey ? [apiKey] : [])].map(({ resource }) => resource)
  type Known = { readonly stamp: number; readonly principal: UserPrincipal; readonly expiresMs: number }
  const known = new LRUCache<string, Known>({ max: rememberedMax })
  const touchedAtMs = new LRUCache<string, number>({ max: rememberedMax })

  async function userOf(id: unknown) {
    const found = await storage.find(login.resource, equal(login.resource.idField, id as string))
    return activeUser(login, found?.row)
  }

  /** Notes the use, at most once a minute, and never makes the request wait or fail. */
  function touch(resource: Resource, field: string, row: Row): void {
    const id = row[resource.idField] as string
    const now = clock()
    if (now - (touchedAtMs.get(id) ?? 0) < lastUsedStepMs) return
    touchedAtMs.set(id, now)
    const work = storage.transaction((transaction) =>
      transaction.updateWhere(resource, equal(resource.idField, id), { [field]: timestampOf(now) }),
    )
    work.catch(() => touchedAtMs.delete(id))
  }

  /** From memory, if nothing was written to users, keys or sessions since; else read again. */
  async function remember(
    key: string,
    read: () => Promise<{ principal: UserPrincipal; expiresMs: number }>,
  ): Promise<UserPrincipal> {
    const stamp = storage.stamp(watched)
    const found = known.get(key)
    if (found && found.stamp === stamp && found.expiresMs > clock()) return found.principal
    known.delete(key)
    const fresh = await read()
    known.set(key, { stamp, ...fresh })
    return fresh.principal
  }

  async function byToken(authorization: string): Promise<UserPrincipal> {
    if (!authorization.startsWith('Bearer ')) throw invalid('Token required')
    const claims = await accessTokens.verify(authorization.slice(7).trim())
    return remember(`session ${claims.sid} ${claims.userId}`, async () => {
      const found = (await storage.find(session.resource, equal(session.resource.idField, claims.sid)))?.row
      const expiresMs = Date.parse((found?.[session.mark.expiresAt] as string) ?? '')
      if (!found || found[session.mark.owner] !== claims.userId || !(expiresMs > clock()))
        throw invalid('Invalid token')
      const owner = await userOf(claims.userId)
      if (!owner) throw invalid('Invalid token')
      return { principal: { kind: 'user', ...owner, via: 'token', sessionId: claims.sid, scopes: null }, expiresMs }
    })
  }

  async function byKey(key: string): Promise<UserPrincipal> {
    if (!apiKey || !isKey(key)) throw invalid('Invalid API key')
    const hash = hashToken(key)
    return remember(`key ${hash}`, async () => {
      const { mark, resource } = apiKey
      const row = (await storage.find(resource, equal(mark.token, hash)))?.row
      const expiresMs = row?.[mark.expiresAt] ? Date.parse(row[mark.expiresAt] as string) : Number.POSITIVE_INFINITY
      if (row?.[mark.active] !== true || expiresMs <= clock()) throw invalid('Invalid API key')
      const owner = await userOf(row[mark.owner])
      if (!owner) throw invalid('Invalid API key')
      touch(resource, mark.lastUsedAt, row)
      const scopes = row[mark.scopes] as readonly string[] | null
      return {
        principal: { kind: 'user', ...owner, via: 'key', keyId: row[resource.idField] as string, scopes },
        expiresMs,
      }
    })
  }

  return {
    sessions,
    hashPassword: passwords.hash,
    makeKey,
    async identify(credentials, { machine }) {
      const key = keyOf(credentials)
      const { authorization } = credentials
      const token = authorization && !machine ? await byToken(authorization) : undefined
      const keyed = key ? await byKey(key) : undefined
      return token ?? keyed ?? anonymous
    },
  }
}
