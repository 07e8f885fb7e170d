/**
 * Addresses that nobody has proven. Where they must be (`VERIFY_EMAIL`), new users wait for it, and a new address of one's own takes effect by it;
 * elsewhere it is noted, for the first proof to come.
 */
import type { CreateOperation, Operation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Writing } from '../record/records.ts'
import { mayAct } from '../resource/accounts/identity-mark.ts'
import { equal } from '../resource/condition.ts'
import { conflictOver, type Row } from '../storage/storage.ts'
import type { Engine } from './engine.ts'
import type { Draft } from './values.ts'

/** What is known of the address of a user whom nobody made who decides that: nothing. One who may not act yet is sent a mail. */
export async function noteSignUp(
  { catalog, settings, identity, languages }: Engine,
  { operation, principal }: Permitted<CreateOperation>,
  { writing, row }: { readonly writing: Writing; readonly row: Row },
): Promise<void> {
  const { login } = catalog
  const { recovery } = identity
  if (!recovery || operation.resource !== login?.resource) return
  if (principal.kind === 'user' && (principal.via === 'console' || principal.role === 'ADMIN')) return
  await recovery.noteUnproven(writing, row)
  if (settings.verifyEmail && !mayAct(login.mark, row)) await recovery.awaitProof(writing, row, languages)
}

type Changing = { readonly writing: Writing; readonly before: Row; readonly values: Draft }

/**
 * Takes a new address of the caller's own out of the values, and has it proven instead; where that is not asked, notes that it is not. Throws
 * `conflict` for one that another user has now; the unique key decides when it is proven.
 */
export async function proposeAddress(
  { catalog, settings, identity, languages }: Engine,
  { operation, principal }: Permitted<Operation>,
  { writing, before, values }: Changing,
): Promise<void> {
  const { login } = catalog
  const { recovery } = identity
  if (!recovery || operation.resource !== login?.resource) return
  const { resource, mark } = login
  const address = values[mark.login]
  const isOwn =
    principal.kind === 'user' && principal.via !== 'console' && principal.userId === before[resource.idField]
  if (!isOwn || typeof address !== 'string' || address === before[mark.login]) return
  if (!settings.verifyEmail) return recovery.noteUnproven(writing, before)
  delete values[mark.login]
  const taken = (await writing.find(resource, equal(mark.login, address)))?.row
  if (taken && taken[resource.idField] !== before[resource.idField]) throw conflictOver(resource, [mark.login])
  await recovery.proposeAddress(writing, before, { address, languages })
}
