/**
 * Writes to credentials also hash passwords, make tokens and check scopes. Marks say which fields
 * these are.
 */
import { isDeepStrictEqual } from 'node:util'
import { findAddressProblem, isWithinAddresses } from '../accounts/keys/key-addresses.ts'
import { checkStillActs } from '../accounts/sessions/still-acts.ts'
import { ApiError } from '../errors.ts'
import type { Operation } from '../operation/operation.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import { findScopeProblem, isWithinScopes } from '../policy/scope.ts'
import type { Writing } from '../record/records.ts'
import type { ApiKeyMark } from '../resource/accounts/identity-mark.ts'
import type { Marked, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { prefixOf } from '../resource/fields/secret.ts'
import type { UserPrincipal } from '../resource/principal.ts'
import type { Row } from '../storage/storage.ts'
import { checkChosenPasswords } from './chosen-password.ts'
import type { Engine } from './engine.ts'
import type { Draft } from './values.ts'

/** How much of a key is shown for good. The other 37 characters have more than 220 random bits. */
const shownCharacters = 6

type Hashing = { readonly resource: Resource; readonly values: Draft; readonly first?: () => Promise<void> }

/** Passwords → their hashes. Call it before the transaction: a hash takes 45 ms. `first` runs before each hash, and may refuse. */
export async function hashSecrets({ identity }: Engine, { resource, values, first }: Hashing): Promise<void> {
  for (const name of resource.storedNames) {
    if (resource.fields[name]?.type.secret !== 'sent' || typeof values[name] !== 'string') continue
    values[name] = await identity.hashPassword(values[name], first)
  }
}

/** Whether a password among the values is to be hashed. */
export function hasSecret(resource: Resource, values: Draft): boolean {
  return Object.keys(values).some((name) => resource.fields[name]?.type.secret === 'sent')
}

/** New tokens: their hashes go into `values`, the tokens themselves into the one answer that shows them. */
export function makeTokens(engine: Engine, resource: Resource, values: Draft): Record<string, string> | undefined {
  let revealed: Record<string, string> | undefined
  for (const name of resource.storedNames) {
    const prefix = prefixOf(resource.fields[name] as Field)
    if (prefix === undefined) continue
    const { token, hash } = engine.identity.makeKey(prefix)
    values[name] = hash
    const { apiKey } = engine.catalog
    if (apiKey?.mark.prefix !== undefined && resource === apiKey.resource)
      values[apiKey.mark.prefix] = token.slice(0, prefix.length + shownCharacters)
    revealed = { ...revealed, [name]: token }
  }
  return revealed
}

type Written = { readonly values: Draft; readonly before?: Row | undefined }

/**
 * Throws `forbidden` when a key made or changed here could do more than the key that asks, live
 * longer, or act for somebody else. Whether it is switched on does not matter: its owner may do
 * that later. Its limits may stay as they are, as long as it is not switched on.
 */
function checkWithin({ mark }: Marked<ApiKeyMark>, principal: UserPrincipal, { values, before }: Written): void {
  const { scopes, expiresAt, active, addresses, owner } = mark
  const after: Draft = { ...before, ...values }
  const isSame = (name: string) => before !== undefined && isDeepStrictEqual(after[name], before[name])
  const ownerId = after[owner] ?? principal.userId
  if (before ? !isSame(owner) : ownerId !== principal.userId) throw forbidden()
  const limits = [scopes, expiresAt, ...(addresses === undefined ? [] : [addresses])]
  if (limits.every(isSame) && (isSame(active) || after[active] === false)) return
  const ends = (after[expiresAt] as string | null | undefined) ?? null
  const { keyExpiresAt: most = null, keyAddresses = null } = principal
  const bound = addresses === undefined ? null : ((after[addresses] as string[] | null | undefined) ?? null)
  const isInTime = most === null || (ends !== null && Date.parse(ends) <= Date.parse(most))
  if (
    !isInTime ||
    !isWithinAddresses(bound, keyAddresses) ||
    !isWithinScopes(principal, (after[scopes] as string[] | null | undefined) ?? null)
  )
    throw forbidden()
}

/** A key must not gain rights: neither by making or changing keys, nor through the role of an account. */
function checkScoped(engine: Engine, { operation, principal }: Permitted<Operation>, written: Written): void {
  if (principal.kind !== 'user' || principal.via !== 'key') return
  const { apiKey, login } = engine.catalog
  const { resource } = operation
  if (apiKey && resource === apiKey.resource) checkWithin(apiKey, principal, written)
  const isRole = resource === login?.resource && Object.hasOwn(written.values, login.mark.role)
  if (isRole && principal.scopes !== null) throw forbidden()
}

/** Scopes must exist, and a key cannot widen itself. `before` is absent for a new record. Throws `bad-request`, `forbidden`. */
export function checkCredentials(engine: Engine, permitted: Permitted<Operation>, written: Written): void {
  checkScoped(engine, permitted, written)
  checkChosenPasswords(engine, { resource: permitted.operation.resource, ...written })
  const { apiKey } = engine.catalog
  if (permitted.operation.resource !== apiKey?.resource) return
  const { mark } = apiKey
  const networks = mark.addresses === undefined ? undefined : written.values[mark.addresses]
  const wrong = Array.isArray(networks) ? findAddressProblem(networks as string[]) : undefined
  const scopes = written.values[mark.scopes]
  const problem = Array.isArray(scopes) ? findScopeProblem(engine.catalog, scopes as string[]) : undefined
  const mistakes = [
    ...(wrong ? [{ field: mark.addresses as string, detail: wrong }] : []),
    ...(problem ? [{ field: mark.scopes, detail: problem }] : []),
  ]
  if (mistakes[0]) throw new ApiError('bad-request', mistakes[0].detail, { mistakes })
}

/** First in the transaction that makes or changes a key. Throws `unauthenticated` where the credential that asks has ended meanwhile. */
export async function checkAsksStill(
  { catalog }: Engine,
  { operation, principal }: Permitted<Operation>,
  writing: Writing,
): Promise<void> {
  if (operation.resource === catalog.apiKey?.resource) await checkStillActs(writing, catalog, principal)
}
