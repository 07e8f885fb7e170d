/**
 * Credentials → principal. Every error here refuses: a check that fails to run is never skipped. Users, keys and sessions are records of
 * declared resources, which are found by their marks. What was read is remembered until one of those records changes.
 */
import type { Clock } from '../base/clock.ts'
import { ApiError, badKey, badToken } from '../errors.ts'
import type { Credentials, Identifies } from '../http/edge-engine.ts'
import type { Records } from '../record/records.ts'
import type { ApiKeyMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { equal } from '../resource/condition.ts'
import { anonymous, type UserPrincipal } from '../resource/principal.ts'
import type { Settings } from '../resource/rule.ts'
import type { StoredReads } from '../storage/storage.ts'
import { type FactorService, makeFactorBase, makeFactorService } from './factors/factor-service.ts'
import { type Federating, type Federation, federationOf } from './federation/federation.ts'
import { makeByForeign, type Trusting } from './federation/foreign-callers.ts'
import { makeByKey } from './keys/by-key.ts'
import { endOf, findActing, type Marks } from './marks.ts'
import { makeMemory } from './memory.ts'
import type { Cost } from './passwords/argon2.ts'
import { type IsCommon, makeIsCommon } from './passwords/common-passwords.ts'
import { makePasswords, type Passwords } from './passwords/password.ts'
import type { WeaknessOf } from './passwords/password-strength.ts'
import { makeRecovery, type Recovery } from './recovery/recovery.ts'
import { type Confirm, makeConfirm } from './sessions/confirm.ts'
import { type ConfirmSelf, makeConfirmSelf } from './sessions/confirm-self.ts'
import { makeNoteUse } from './sessions/note-use.ts'
import { makeSessions, type Sessions } from './sessions/session.ts'
import { makeSignUpLimit, type SignUpLimit, type TakeSignUp } from './throttles/sign-up-limit.ts'
import { type AccessTokens, makeAccessTokens } from './tokens/access-token.ts'
import { keysOfPair, keysOfSecrets, type SigningPair, type TokenKeys } from './tokens/token-keys.ts'

export type Identity = Identifies & {
  /** Undefined in an application without users. */
  readonly sessions: Sessions | undefined
  /** Undefined in an application without tokens that are sent by mail. */
  readonly recovery: Recovery | undefined
  /** Whether everybody who guesses would try it. */
  readonly isCommonPassword: IsCommon
  /** Why a new password is too easy to guess; absent where nobody asked for that. */
  readonly weaknessOf?: WeaknessOf | undefined
  hashPassword(password: string, first?: () => Promise<void>): Promise<string>
  /** Checks a password that is sent beside new credentials. Undefined in an application without users. */
  readonly confirm: Confirm | undefined
  /** Asked before somebody's own factors and other log-ins change. */
  readonly confirmSelf: ConfirmSelf
  /** Undefined in an application without second factors. */
  readonly factors: FactorService | undefined
  /** Counts a sign-up from this address. Throws `too-many-requests`. */
  readonly takeSignUp: TakeSignUp
  /** What others check access tokens by; undefined where only this server can. */
  readonly publicKeys: TokenKeys['published']
  /** Undefined where nobody logs in by others. */
  readonly federation: Federation | undefined
}

export type IdentityParts = {
  readonly catalog: Catalog
  readonly storage: StoredReads
  readonly records: Records
  readonly clock: Clock
  /** The first one is today's. Each has at least 32 bytes. */
  readonly secrets: readonly Buffer[]
  /** These, and all before them, for what is stored sealed. */
  readonly sealingSecrets: readonly Buffer[]
  /** Signs access tokens in place of the secrets. */
  readonly signingPair?: SigningPair | undefined
  /** Those that are kept by now: somebody may have replaced them. */
  readonly findSecrets?: (() => Promise<readonly Buffer[]>) | undefined
  /** Undefined: no limit. */
  readonly signUpLimit: SignUpLimit | undefined
  readonly federating: Federating | undefined
  readonly trusting: Trusting | undefined
  /** A session that was not used for so long is over. Undefined: none is before its end. */
  readonly sessionIdleMs?: number | undefined
  readonly settings: Settings
  readonly mailsWaitingMax: number
  /** Undefined: the address of each request. */
  readonly publicUrl: string | undefined
  /** Of pages that may call. */
  readonly corsOrigins: readonly string[]
  readonly weaknessOf: WeaknessOf | undefined
  /** Of new hashes of passwords; the usual one unless given. */
  readonly passwordCost?: Cost | undefined
}

function keyFieldsOf({ owner, token, scopes, active, expiresAt, addresses }: ApiKeyMark): readonly string[] {
  return [owner, token, scopes, active, expiresAt, ...(addresses === undefined ? [] : [addresses])]
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

type Proving = { readonly accessTokens: AccessTokens; readonly passwords: Passwords }

/** Log-ins, and the second factors that they ask for. */
function makeLogIns(parts: IdentityParts, marks: Marks, { accessTokens, passwords }: Proving) {
  const { login, session } = marks
  const factorParts = { ...parts, marks, login, session }
  const base = marks.factors && makeFactorBase(factorParts, marks.factors)
  const sessions = makeSessions({ ...parts, marks, accessTokens, passwords, secondStep: base?.step })
  const confirm = makeConfirm({ ...parts, marks, passwords })
  const confirmSelf = makeConfirmSelf({ ...parts, marks, confirm, factorBase: base })
  const factors = base && makeFactorService(factorParts, base, { begin: sessions.begin })
  return { sessions, confirm, confirmSelf, factors }
}

/** All that identity does besides telling who asks. */
function makeServices(parts: IdentityParts, marks: Marks) {
  const { storage, clock } = parts
  const tokenKeys = parts.signingPair ? keysOfPair(parts.signingPair) : keysOfSecrets(parts.secrets, parts.findSecrets)
  const accessTokens = makeAccessTokens(tokenKeys, clock)
  const passwords = makePasswords(parts.passwordCost)
  const { sessions, confirm, confirmSelf, factors } = makeLogIns(parts, marks, { accessTokens, passwords })
  const takeSignUp = makeSignUpLimit(storage, clock, parts.signUpLimit)
  const services: Omit<Identity, 'identify'> = {
    sessions,
    recovery: makeRecovery({ ...parts, marks, sessions, passwords }),
    isCommonPassword: makeIsCommon(),
    weaknessOf: parts.weaknessOf,
    hashPassword: passwords.hash,
    confirm,
    confirmSelf,
    factors,
    takeSignUp,
    publicKeys: tokenKeys.published,
    federation: federationOf({ ...parts, marks, begin: sessions.begin, confirmSelf, takeSignUp }),
  }
  return { accessTokens, services }
}

export function makeIdentity(parts: IdentityParts, marks: Marks): Identity {
  const { storage, clock } = parts
  const { login, apiKey, session } = marks
  const { accessTokens, services } = makeServices(parts, marks)
  const memory = makeMemory(storage.changes, clock, restingOn(marks))
  const noteUse = makeNoteUse(parts)
  const byForeign = makeByForeign({ ...parts, login, memory })

  async function byToken(authorization: string): Promise<UserPrincipal> {
    if (!authorization.startsWith('Bearer ')) throw new ApiError('unauthenticated', 'Token required')
    const claims = await accessTokens.verify(authorization.slice(7).trim())
    const principal = await memory.remember(`session ${claims.sid} ${claims.userId}`, async () => {
      const found = (await storage.find(session.resource, equal(session.resource.idField, claims.sid)))?.row
      const expiresMs = endOf(marks, found, parts.sessionIdleMs)
      if (!found || found[session.mark.owner] !== claims.userId || !(expiresMs > clock()))
        throw badToken('Invalid token')
      const owner = await findActing(storage, login, claims.userId)
      if (!owner) throw badToken('Invalid token')
      return {
        principal: { kind: 'user', ...owner.user, via: 'token', sessionId: claims.sid, scopes: null },
        expiresMs,
        restsOn: [
          { resource: session.resource, row: found },
          { resource: login.resource, row: owner.row },
        ],
      }
    })
    const { resource, mark } = session
    if (parts.sessionIdleMs !== undefined)
      await noteUse({ resource, id: claims.sid, changes: (now) => ({ [mark.lastUsedAt]: now }) })
    return principal
  }

  const byKey = apiKey && makeByKey({ storage, clock, apiKey, login, memory, noteUse })
  const keyedBy = (key: string, address: string) => {
    if (!byKey) throw badKey('invalid')
    return byKey(key, address)
  }

  return {
    ...services,
    async identify(credentials, { machine, address = '' }) {
      const key = keyOf(credentials)
      const { authorization } = credentials
      // A token of another issuer is a program's, as a key is.
      const foreign = byForeign(authorization)
      const own = authorization && !machine && !foreign ? byToken(authorization) : undefined
      const token = await (foreign ?? own)
      const keyed = key ? await keyedBy(key, address) : undefined
      return token ?? keyed ?? anonymous
    },
  }
}
