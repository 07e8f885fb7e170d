/**
 * Credentials → principal. Every error here refuses: a check that fails to run is never skipped. Users, keys and sessions are records of
 * declared resources, which are found by their marks. What was read is remembered until one of those records changes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Clock, timestampOf } from '../clock.ts'
import { ApiError, badKey, badToken } from '../errors.ts'
import type { Records } from '../record/records.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { equal } from '../resource/condition.ts'
import type { ApiKeyMark } from '../resource/identity-mark.ts'
import { anonymous, type Principal, type UserPrincipal } from '../resource/principal.ts'
import type { Settings } from '../resource/rule.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { StoredReads } from '../storage/storage.ts'
import { makeAccessTokens } from './access-token.ts'
import type { Cost } from './argon2.ts'
import { type IsCommon, makeIsCommon } from './common-passwords.ts'
import { type Confirm, makeConfirm } from './confirm.ts'
import { activeUser, type Marks } from './marks.ts'
import { makeMemory } from './memory.ts'
import { makePasswords } from './password.ts'
import { makeRecovery, type Recovery } from './recovery.ts'
import { makeSessions, type Sessions } from './session.ts'
import { makeSignUpLimit, type SignUpLimit, type TakeSignUp } from './sign-up-limit.ts'
import { hashToken, isKey, makeKey } from './token.ts'

/** The credentials of a request, as they were sent. Empty texts count as absent. */
export type Credentials = {
  readonly authorization: string | undefined
  readonly keyHeader: string | undefined
  readonly keyParameter: string | undefined
}

export type Identity = {
  /**
   * Throws `unauthenticated` for any bad credential that is sent, and `bad-request` for two different keys. A good token takes precedence
   * over a good key. On a machine route only the key counts, and a token beside it is ignored.
   */
  identify(credentials: Credentials, options: { machine: boolean }): Promise<Principal>
  /** Undefined in an application without users. */
  readonly sessions: Sessions | undefined
  /** Undefined in an application without tokens that are sent by mail. */
  readonly recovery: Recovery | undefined
  /** Whether everybody who guesses would try it. */
  readonly isCommonPassword: IsCommon
  hashPassword(password: string, first?: () => Promise<void>): Promise<string>
  /** A digest that a password is as hard to guess from as from its hash, and the same for the same text and salt (16 bytes). */
  slowDigest(text: string, salt: Buffer): Promise<string>
  /** Checks a password that is sent beside new credentials. Undefined in an application without users. */
  readonly confirm: Confirm | undefined
  /** Counts a sign-up from this address. Throws `too-many-requests`. */
  readonly takeSignUp: TakeSignUp
  makeKey(prefix: string): { token: string; hash: string }
}

export type IdentityParts = {
  readonly catalog: Catalog
  readonly storage: StoredReads
  readonly records: Records
  readonly clock: Clock
  /** The first one signs. Each has at least 32 bytes. */
  readonly secrets: readonly Buffer[]
  /** Undefined: no limit. */
  readonly signUpLimit: SignUpLimit | undefined
  readonly settings: Settings
  readonly mailsWaitingMax: number
  /** Of new hashes of passwords; the usual one unless given. */
  readonly passwordCost?: Cost | undefined
}

const notedMax = 20_000
/** How exact the "last used" of a key is. A write for each request would cost more than it is worth. */
const lastUsedStepMs = 60_000
/** The next reader should see the use, but the request does not wait long for the write. */
const noteWaitMsMax = 100

function keyFieldsOf({ owner, token, scopes, active, expiresAt }: ApiKeyMark): readonly string[] {
  return [owner, token, scopes, active, expiresAt]
}

/** The fields that say who somebody is and what they may do, without those that say when they were last here. */
function restingOn({ login, apiKey, session }: Marks): ReadonlyMap<Resource, readonly string[]> {
  return new Map<Resource, readonly string[]>([
    [
      login.resource,
      [login.mark.login, login.mark.role, ...(login.mark.status === undefined ? [] : [login.mark.status])],
    ],
    [session.resource, [session.mark.owner, session.mark.expiresAt]],
    ...(apiKey ? [[apiKey.resource, keyFieldsOf(apiKey.mark)] as const] : []),
  ])
}

/** The one key that was sent, if any. Throws `bad-request` for two different ones. */
export function keyOf({ keyHeader, keyParameter }: Credentials): string | undefined {
  if (keyHeader && keyParameter && keyHeader !== keyParameter)
    throw new ApiError('bad-request', 'Two different API keys were sent')
  return keyHeader || keyParameter
}

type NoteUse = (resource: Resource, field: string, id: string) => Promise<void>

/** Notes the use, at most once a minute. It never makes the request fail, and delays it only a little. */
function makeNoteUse({ records, clock }: IdentityParts): NoteUse {
  const notedAtMs = new LRUCache<string, number>({ max: notedMax })
  return async (resource, field, id) => {
    const now = clock()
    if (now - (notedAtMs.get(id) ?? 0) < lastUsedStepMs) return
    notedAtMs.set(id, now)
    const work = records.transaction(serviceAuthor, (writing) =>
      writing.changeAll(resource, [id], { [field]: timestampOf(now) }),
    )
    const noted = work.then(
      () => undefined,
      () => void notedAtMs.delete(id),
    )
    await Promise.race([noted, sleep(noteWaitMsMax, undefined, { ref: false })])
  }
}

export function makeIdentity(parts: IdentityParts, marks: Marks): Identity {
  const { storage, clock } = parts
  const { login, apiKey, session } = marks
  const accessTokens = makeAccessTokens(parts.secrets, clock)
  const passwords = makePasswords(parts.passwordCost)
  const sessions = makeSessions({ ...parts, marks, accessTokens, passwords })
  const memory = makeMemory(storage.changes, clock, restingOn(marks))
  const noteUse = makeNoteUse(parts)

  async function userOf(id: unknown) {
    const row = (await storage.find(login.resource, equal(login.resource.idField, id as string)))?.row
    const owner = activeUser(login, row)
    return row && owner && { owner, row }
  }

  async function byToken(authorization: string): Promise<UserPrincipal> {
    if (!authorization.startsWith('Bearer ')) throw new ApiError('unauthenticated', 'Token required')
    const claims = await accessTokens.verify(authorization.slice(7).trim())
    return memory.remember(`session ${claims.sid} ${claims.userId}`, async () => {
      const found = (await storage.find(session.resource, equal(session.resource.idField, claims.sid)))?.row
      const expiresMs = Date.parse((found?.[session.mark.expiresAt] as string) ?? '')
      if (!found || found[session.mark.owner] !== claims.userId || !(expiresMs > clock()))
        throw badToken('Invalid token')
      const user = await userOf(claims.userId)
      if (!user) throw badToken('Invalid token')
      return {
        principal: { kind: 'user', ...user.owner, via: 'token', sessionId: claims.sid, scopes: null },
        expiresMs,
        restsOn: [
          { resource: session.resource, row: found },
          { resource: login.resource, row: user.row },
        ],
      }
    })
  }

  async function byKey(key: string): Promise<UserPrincipal> {
    if (!apiKey || !isKey(key)) throw badKey('Invalid API key')
    const hash = hashToken(key)
    const { mark, resource } = apiKey
    const principal = await memory.remember(`key ${hash}`, async () => {
      const row = (await storage.find(resource, equal(mark.token, hash)))?.row
      const expiresMs = row?.[mark.expiresAt] ? Date.parse(row[mark.expiresAt] as string) : Number.POSITIVE_INFINITY
      if (row?.[mark.active] !== true || expiresMs <= clock()) throw badKey('Invalid API key')
      const user = await userOf(row[mark.owner])
      if (!user) throw badKey('Invalid API key')
      const scopes = row[mark.scopes] as readonly string[] | null
      return {
        principal: {
          kind: 'user',
          ...user.owner,
          via: 'key',
          keyId: row[resource.idField] as string,
          keyExpiresAt: row[mark.expiresAt] as string | null,
          scopes,
        },
        expiresMs,
        restsOn: [
          { resource, row },
          { resource: login.resource, row: user.row },
        ],
      }
    })
    if (principal.keyId !== undefined) await noteUse(resource, mark.lastUsedAt, principal.keyId)
    return principal
  }

  return {
    sessions,
    recovery: makeRecovery({ ...parts, marks, sessions, passwords }),
    isCommonPassword: makeIsCommon(),
    hashPassword: passwords.hash,
    slowDigest: passwords.digest,
    confirm: makeConfirm({ ...parts, marks, passwords }),
    takeSignUp: makeSignUpLimit(storage, clock, parts.signUpLimit),
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
