/** Sign-ups: users that are made by whoever comes along. Each costs a hash and a row, so an address may make only so many. */
import type { CreateOperation } from '../operation/operation.ts'
import { isOpen } from '../policy/passing.ts'
import type { Permitted } from '../policy/policy.ts'
import { roles } from '../resource/rule.ts'
import type { Engine } from './engine.ts'

/** Counts the new user as a sign-up, unless the highest role or the console makes it. Throws `too-many-requests`. */
export async function countSignUp(engine: Engine, { operation, principal }: Permitted<CreateOperation>): Promise<void> {
  const { catalog, settings, identity, address } = engine
  const { resource } = operation
  if (resource !== catalog.login?.resource || address === undefined) return
  const isKeeper = principal.kind === 'user' && principal.role === roles.at(-1)
  const rule = resource.access.create
  if (!isKeeper && rule && isOpen(rule, { catalog, settings, resource })) await identity.takeSignUp(address)
}
