/**
 * What writes to credentials also need: passwords hashed, tokens made, scopes checked, sessions ended. Marks say which fields these are.
 */

import { ApiError } from '../errors.ts'
import type { Operation } from '../operation/operation.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import { findScopeProblem } from '../policy/scope.ts'
import type { Writing } from '../record/records.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, equal, type Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { prefixOf } from '../resource/fields/secret.ts'
import type { Row } from '../storage/storage.ts'
import { checkChosenPasswords } from './chosen-password.ts'
import type { Engine } from './engine.ts'
import type { Draft } from './values.ts'

type Hashing = { readonly resource: Resource; readonly values: Draft; readonly first?: () => Promise<void> }

/** Passwords → their hashes. Call it before the transaction: a hash takes 45 ms. `first` runs before each hash, and may refuse. */
export async function hashSecrets({ identity }: Engine, { resource, values, first }: Hashing): Promise<void> {
  for (const name of resource.storedNames) {
    if (resource.fields[name]?.type.secret !== 'sent' || typeof values[name] !== 'string') continue
    values[name] = await identity.hashPassword(values[name], first)
  }
}

/** New tokens: their hashes go into `values`, the tokens themselves into the one answer that shows them. */
export function makeTokens(engine: Engine, resource: Resource, values: Draft): Record<string, string> | undefined {
  let revealed: Record<string, string> | undefined
  for (const name of resource.storedNames) {
    const prefix = prefixOf(resource.fields[name] as Field)
    if (prefix === undefined) continue
    const { token, hash } = engine.identity.makeKey(prefix)
    values[name] = hash
    revealed = { ...revealed, [name]: token }
  }
  return revealed
}

/** A scoped key must not gain rights: neither by making keys, nor through the password or role of an account. */
function checkScoped(engine: Engine, { operation, principal }: Permitted<Operation>, values: Draft): void {
  if (principal.kind !== 'user' || principal.scopes === null) return
  const { apiKey, login } = engine.catalog
  const { resource, kind } = operation
  if (resource === apiKey?.resource) throw forbidden()
  if (resource !== login?.resource) return
  const { secret, role } = login.mark
  if (Object.hasOwn(values, role) || (kind !== 'create' && Object.hasOwn(values, secret))) throw forbidden()
}

/** Scopes must exist, and a scoped key cannot widen itself. Throws `bad-request`, `forbidden`. */
export function checkCredentials(engine: Engine, permitted: Permitted<Operation>, values: Draft): void {
  checkScoped(engine, permitted, values)
  checkChosenPasswords(engine, { resource: permitted.operation.resource, values })
  const { apiKey } = engine.catalog
  if (permitted.operation.resource !== apiKey?.resource) return
  const scopes = values[apiKey.mark.scopes]
  if (!Array.isArray(scopes)) return
  const problem = findScopeProblem(engine.catalog, scopes as string[])
  if (problem) throw new ApiError('bad-request', problem)
}

type SecretChange = { readonly writing: Writing; readonly row: Row; readonly sent: Draft }

/** A changed password ends every other session of that user. */
export async function afterSecretChange(
  engine: Engine,
  permitted: Permitted<Operation>,
  { writing, row, sent }: SecretChange,
): Promise<void> {
  const { login, session } = engine.catalog
  if (!login || !session || permitted.operation.resource !== login.resource || !Object.hasOwn(sent, login.mark.secret))
    return
  const { principal } = permitted
  const own = principal.kind === 'user' ? principal.sessionId : undefined
  const others =
    own === undefined
      ? all()
      : ({ kind: 'compare', field: session.resource.idField, operator: 'ne', value: own } as const)
  await writing.removeWhere(
    session.resource,
    all(equal(session.mark.owner, row[login.resource.idField] as Scalar), others),
  )
}
