/**
 * Changes of credentials that are there already. Whoever changes their own sends the password of today beside them, so that a token left on
 * a screen is not the whole account; a key needs a scope that names credentials.
 */
import { ApiError } from '../errors.ts'
import { unknownField } from '../operation/body.ts'
import type { ChangeOperation, ImportOperation } from '../operation/operation.ts'
import { forbidden } from '../policy/judge.ts'
import type { Permitted } from '../policy/policy.ts'
import { coversWithoutCredentials, managesCredentials } from '../policy/scope.ts'
import { credentialNames, currentPassword } from '../resource/accounts/credentials.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import type { Draft } from './values.ts'

/** `sent`: the checked values of the body; a password is there as it was sent, or as a new hash. */
export type CredentialChange = { readonly before: Row; readonly sent: Draft }

function changedNames({ operation }: Permitted, { before, sent }: CredentialChange): readonly string[] {
  return credentialNames(operation.resource).filter((name) => Object.hasOwn(sent, name) && sent[name] !== before[name])
}

function isOwn({ operation, principal }: Permitted, before: Row): boolean {
  const isPerson = principal.kind === 'user' && principal.via !== 'console'
  return isPerson && before[operation.resource.idField] === principal.userId
}

/** Throws `forbidden` for a key whose scopes do not allow what is sent. */
export function checkCredentialScope(
  permitted: Permitted<ChangeOperation | ImportOperation>,
  change: CredentialChange,
) {
  const { operation, principal } = permitted
  if (principal.kind !== 'user' || principal.via !== 'key') return
  const credentials = credentialNames(operation.resource)
  if (credentials.length === 0) return
  if (changedNames(permitted, change).length > 0 && !managesCredentials(principal)) throw forbidden()
  const isOnlyCredentials = Object.keys(change.sent).every((name) => credentials.includes(name))
  if (!isOnlyCredentials && !coversWithoutCredentials(principal, operation.resource, operation.kind)) throw forbidden()
}

/**
 * The stored password that `currentPassword` was right about; undefined where it was not sent and is not needed. Throws `forbidden` without it
 * or for a wrong one, `too-many-requests`, and `bad-request` where the credentials are somebody else's.
 */
export async function confirmOwn(
  { identity, address = '', userAgent }: Engine,
  permitted: Permitted<ChangeOperation>,
  change: CredentialChange,
): Promise<string | undefined> {
  const { operation } = permitted
  const { before } = change
  const { currentPassword: password } = operation.body
  if (password === undefined) {
    checkConfirmed(permitted, change, undefined)
    return undefined
  }
  if (!isOwn(permitted, before)) throw unknownField(currentPassword)
  const [login = '', secret = ''] = credentialNames(operation.resource)
  const stored = before[secret] as string
  const userId = before[operation.resource.idField] as Scalar
  await identity.confirm?.({ userId, login: before[login] as string, stored, password, address, userAgent })
  return stored
}

/** The same on the locked record, which may have changed while the password was checked. `confirmed` is what `confirmOwn` returned. */
export function checkConfirmed(
  permitted: Permitted<ChangeOperation | ImportOperation>,
  change: CredentialChange,
  confirmed: string | undefined,
): void {
  const { before } = change
  if (!isOwn(permitted, before) || changedNames(permitted, change).length === 0) return
  if (confirmed === undefined) throw new ApiError('forbidden', `${currentPassword} is required`)
  const [, secret = ''] = credentialNames(permitted.operation.resource)
  if (confirmed !== before[secret]) throw new ApiError('forbidden', `${currentPassword} is wrong`)
}
