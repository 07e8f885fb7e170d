/** Sign-ups: users that are made by whoever comes along. Each costs a hash and a row, so an address may make only so many. */
import { ApiError } from '../errors.ts'
import type { CreateOperation } from '../operation/operation.ts'
import type { Permitted } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { anonymous } from '../resource/principal.ts'
import { roles } from '../resource/rule.ts'
import type { Engine } from './engine.ts'

function isOpen({ policy }: Engine, resource: Resource): boolean {
  try {
    policy.admit(anonymous, { resource, operation: 'create' })
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Counts the new user as a sign-up, unless the highest role or the console makes it. Throws `too-many-requests`. */
export async function countSignUp(engine: Engine, { operation, principal }: Permitted<CreateOperation>): Promise<void> {
  const { catalog, identity, address } = engine
  const { resource } = operation
  if (resource !== catalog.login?.resource || address === undefined) return
  const isKeeper = principal.kind === 'user' && principal.role === roles.at(-1)
  if (!isKeeper && isOpen(engine, resource)) await identity.takeSignUp(address)
}
