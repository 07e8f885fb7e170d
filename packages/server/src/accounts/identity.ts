/**
 * Identifies the caller of a request: credentials → principal. Every error here refuses: a check
 * that fails to run is never skipped. Users, keys and sessions are records of declared resources,
 * found by their marks. Principals are cached until one of those records changes.
 */
import type { Clock } from '../base/clock.ts'
import { ApiError, badKey, badToken } from '../errors.ts'
import type { CallerIdentification, RequestCredentials } from '../http/edge-engine.ts'
import type { Guard } from '../record/guard/guarded-code.ts'
import type { RecordStore } from '../record/record-store.ts'
import type { ApiKeyMark } from '../resource/accounts/identity-mark.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { equal } from '../resource/condition.ts'
import { anonymous, type UserPrincipal } from '../resource/principal.ts'
import type { ServiceSettings } from '../resource/rule.ts'
import type { ReadStorage } from '../storage/storage.ts'
import { type CallerSource, completePrincipal } from './caller-source.ts'
import { type CachedPrincipal, makeCredentialCache } from './credential-cache.ts'
import { type FactorService, makeFactorCore, makeFactorService } from './factors/factor-service.ts'
import { type Federation, type FederationConfig, federationOf } from './federation/federation.ts'
import { makeIdentifyByForeignToken, type TrustConfig } from './federation/foreign-token-callers.ts'
import { expiryOf, findActing, type IdentityTables } from './identity-tables.ts'
import { makeIdentifyByKey } from './keys/identify-by-key.ts'
import { keyTenancyOf } from './keys/key-tenant.ts'
import type { HashCost } from './passwords/argon2.ts'
import { type IsCommonPassword, makeIsCommonPassword } from './passwords/common-passwords.ts'
import { makePasswords, type Passwords } from './passwords/password.ts'
import type { FindWeakness } from './passwords/password-strength.ts'
import type { InvitationKeeper } from './recovery/accept-invitation.ts'
import { type ConsoleCodes, makeConsoleCodes } from './recovery/console-code.ts'
import { makeRecovery, type Recovery } from './recovery/recovery.ts'
import { type ConfirmPassword, makeConfirmPassword } from './sessions/confirm-password.ts'
import { makeRecordLastUse } from './sessions/last-use.ts'
import { makeReauthenticate, type Reauthenticate } from './sessions/reauthenticate.ts'
import { makeSessions, type SessionService } from './sessions/session.ts'
import { type CountSignUp, makeSignUpLimit, type SignUpLimit } from './throttles/sign-up-limit.ts'
import { type AccessTokens, makeAccessTokens } from './tokens/access-token.ts'
import { makeSeal } from './tokens/seal.ts'
import { keysOfPair, keysOfSecrets, type SigningPair, type TokenKeys } from './tokens/token-keys.ts'
import { makeFindCaller } from './users/find-caller.ts'
import { ownFacts } from './users/own-facts.ts'
import { makeViewAs, type ViewAs } from './viewing/view-as.ts'

export type Identity = CallerIdentification & {
  /** Undefined in an application without users. */
  readonly sessions: SessionService | undefined
  /** Undefined in an application without tokens that are sent by mail. */
  readonly recovery: Recovery | undefined
  /** Whether it is among the passwords that attackers try first. */
  readonly isCommonPassword: IsCommonPassword
  /**
   * Why a new password is too easy to guess; absent where the configuration does not ask for it.
   */
  readonly weaknessOf?: FindWeakness | undefined
  hashPassword(password: string, first?: () => Promise<void>): Promise<string>
  /**
   * Checks a password that is sent beside new credentials. Undefined in an application without
   * users.
   */
  readonly confirm: ConfirmPassword | undefined
  /** Called before a user's own factors or other log-ins change. */
  readonly confirmSelf: Reauthenticate
  /** Undefined in an application without second factors. */
  readonly factors: FactorService | undefined
  /** Counts a sign-up from this address. Throws `too-many-requests`. */
  readonly takeSignUp: CountSignUp
  /** The keys with which others check access tokens; undefined where only this server can. */
  readonly publicKeys: TokenKeys['published']
  /** Undefined in an application without users. */
  readonly viewAs: ViewAs | undefined
  /** Undefined in an application without users. */
  readonly consoleCodes: ConsoleCodes | undefined
  /** Undefined where no provider is configured. */
  readonly federation: Federation | undefined
}

export type IdentityDeps = {
  readonly catalog: Catalog
  readonly storage: ReadStorage
  readonly records: RecordStore
  readonly guard: Guard
  readonly clock: Clock
  /** The first one is today's. Each has at least 32 bytes. */
  readonly secrets: readonly Buffer[]
  /** These, and all before them, for what is stored sealed. */
  readonly sealingSecrets: readonly Buffer[]
  /** Signs access tokens in place of the secrets. */
  readonly signingPair?: SigningPair | undefined
  /** The secrets that are stored by now: another process may have replaced them. */
  readonly findSecrets?: (() => Promise<readonly Buffer[]>) | undefined
  /** Undefined: no limit. */
  readonly signUpLimit: SignUpLimit | undefined
  readonly federating: FederationConfig | undefined
  readonly trusting: TrustConfig | undefined
  /** A session that was unused for so long has ended. Undefined: none ends early. */
  readonly sessionIdleMs?: number | undefined
  readonly settings: ServiceSettings
  readonly mailsWaitingMax: number
  /** Undefined: the address of each request. */
  readonly publicUrl: string | undefined
  /** Of pages that may call. */
  readonly corsOrigins: readonly string[]
  readonly weaknessOf: FindWeakness | undefined
  /** Of new hashes of passwords; the usual one unless given. */
  readonly passwordCost?: HashCost | undefined
  /** Undefined in an application without invitations. */
  readonly invitations?: InvitationKeeper | undefined
  /** Facts that features add to callers. */
  readonly sources: readonly CallerSource[]
}

function keyFieldsOf({ owner, token, scopes, active, expiresAt, addresses }: ApiKeyMark): readonly string[] {
  return [owner, token, scopes, active, expiresAt, ...(addresses === undefined ? [] : [addresses])]
}

/**
 * The fields that decide who the caller is and what it may do, without those that say when it was
 * last seen. `asked`: the fields of users that rules ask for.
 */
function restingOn(
  { login, apiKey, session }: IdentityTables,
  asked: readonly string[],
  catalog: Catalog,
): ReadonlyMap<Resource, readonly string[]> {
  const tenancy = keyTenancyOf(catalog)
  return new Map<Resource, readonly string[]>([
    [
      login.resource,
      [login.mark.login, login.mark.role, ...(login.mark.status === undefined ? [] : [login.mark.status]), ...asked],
    ],
    [session.resource, [session.mark.owner, session.mark.expiresAt]],
    ...(apiKey ? [[apiKey.resource, [...keyFieldsOf(apiKey.mark), ...(tenancy ? [tenancy.field] : [])]] as const] : []),
  ])
}

/** The one key that was sent, if any. Throws `bad-request` for two different ones. */
export function keyOf({ keyHeader, keyParameter }: RequestCredentials): string | undefined {
  if (keyHeader && keyParameter && keyHeader !== keyParameter)
    throw new ApiError('bad-request', 'Two different API keys were sent')
  return keyHeader || keyParameter
}

type CredentialVerifiers = { readonly accessTokens: AccessTokens; readonly passwords: Passwords }

/** Log-ins, and the second factors that they ask for. */
function makeLogIns(parts: IdentityDeps, marks: IdentityTables, { accessTokens, passwords }: CredentialVerifiers) {
  const { login, session } = marks
  const factorParts = { ...parts, marks, login, session }
  const base = marks.factors && makeFactorCore(factorParts, marks.factors)
  const sessions = makeSessions({ ...parts, marks, accessTokens, passwords, secondStep: base?.step })
  const confirm = makeConfirmPassword({ ...parts, marks, passwords })
  const confirmSelf = makeReauthenticate({ ...parts, marks, confirm, factorBase: base })
  const factors = base && makeFactorService(factorParts, base, { begin: sessions.begin })
  return { sessions, confirm, confirmSelf, factors }
}

/** All services of identity besides identifying callers. */
function makeServices(parts: IdentityDeps, marks: IdentityTables) {
  const { storage, clock } = parts
  const tokenKeys = parts.signingPair ? keysOfPair(parts.signingPair) : keysOfSecrets(parts.secrets, parts.findSecrets)
  const accessTokens = makeAccessTokens(tokenKeys, clock)
  const passwords = makePasswords(parts.passwordCost)
  const { sessions, confirm, confirmSelf, factors } = makeLogIns(parts, marks, { accessTokens, passwords })
  const takeSignUp = makeSignUpLimit(storage, clock, parts.signUpLimit)
  const services: Omit<Identity, keyof CallerIdentification | 'viewAs'> = {
    sessions,
    recovery: makeRecovery({ ...parts, marks, sessions, passwords }),
    isCommonPassword: makeIsCommonPassword(),
    weaknessOf: parts.weaknessOf,
    hashPassword: passwords.hash,
    confirm,
    confirmSelf,
    factors,
    takeSignUp,
    publicKeys: tokenKeys.published,
    consoleCodes: makeConsoleCodes({ ...parts, marks, sessions, hashPassword: passwords.hash }),
    federation: federationOf({ ...parts, marks, begin: sessions.begin, confirmSelf, takeSignUp }),
  }
  return { accessTokens, services }
}

/** Caches principals with the facts of all sources. */
function makeMemory({ catalog, storage, clock, sources }: IdentityDeps, marks: IdentityTables) {
  const { login } = marks
  const names = catalog.callerFields
  const all = [...ownFacts({ ...marks, names }), ...sources]
  return makeCredentialCache({
    changes: storage.changes,
    clock,
    fields: restingOn(marks, names, catalog),
    tables: all.flatMap(({ tables }) => tables),
    shared: all.flatMap(({ shared = [] }) => shared),
    complete: ({ principal, restsOn }: CachedPrincipal) => {
      const user = restsOn.find(({ resource }) => resource === login.resource)?.row
      return completePrincipal(all, storage, { principal, user })
    },
  })
}

export function makeIdentity(parts: IdentityDeps, marks: IdentityTables): Identity {
  const { storage, clock } = parts
  const { login, apiKey, session } = marks
  const { accessTokens, services } = makeServices(parts, marks)
  const memory = makeMemory(parts, marks)
  const noteUse = makeRecordLastUse(parts)
  const viewAs = makeViewAs({ ...parts, marks, accessTokens })
  const byForeign = makeIdentifyByForeignToken({ ...parts, login, memory, claimNames: parts.catalog.callerClaims })

  async function byToken(authorization: string, tokenAsOfMs: number | undefined): Promise<UserPrincipal> {
    if (!authorization.startsWith('Bearer ')) throw new ApiError('unauthenticated', 'Token required')
    const claims = await accessTokens.verify(authorization.slice(7).trim(), tokenAsOfMs)
    const { viewer } = claims
    // A view ends with its token, and a session goes on with the next one.
    const view = viewer === undefined ? '' : ` ${viewer} ${claims.expiresMs}`
    const key = `session ${claims.sid} ${claims.userId}${view}`
    const principal = await memory.remember(key, async () => {
      if (viewer !== undefined) return viewAs.read(claims)
      const found = (await storage.find(session.resource, equal(session.resource.idField, claims.sid)))?.row
      const expiresMs = expiryOf(marks, found, parts.sessionIdleMs)
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

  const byKey = apiKey && makeIdentifyByKey({ catalog: parts.catalog, storage, clock, apiKey, login, memory, noteUse })
  const keyedBy = (key: string, address: string) => {
    if (!byKey) throw badKey('invalid')
    return byKey(key, address)
  }

  return {
    ...services,
    viewAs,
    findCaller: makeFindCaller({ storage, login, memory }),
    version: memory.version,
    holds: (principal) => principal.kind === 'anonymous' || memory.holds(principal),
    linkSeal: makeSeal(parts.secrets, 'addresses of files'),
    storedSeal: makeSeal(parts.sealingSecrets, 'stored secrets'),
    async identify(credentials, { machine, address = '', tokenAsOfMs }) {
      const key = keyOf(credentials)
      const { authorization } = credentials
      // A token of another issuer is a program's, as a key is.
      const foreign = byForeign(authorization)
      const own = authorization && !machine && !foreign ? byToken(authorization, tokenAsOfMs) : undefined
      const token = await (foreign ?? own)
      const keyed = key ? await keyedBy(key, address) : undefined
      return token ?? keyed ?? anonymous
    },
  }
}
