/** The first ADMIN of an empty database: from the environment, or with a password that is shown once. */
import { randomBytes } from 'node:crypto'
import { timestampOf } from '../clock.ts'
import type { Config } from '../config.ts'
import { defaultOf } from '../operation/body.ts'
import { always } from '../operation/condition.ts'
import type { Engine } from '../perform/engine.ts'
import type { Field } from '../resource/fields/field.ts'

/** What was made: nothing when there are users already. The password only when it was drawn here. */
export async function firstAdmin(
  engine: Engine,
  config: Config,
): Promise<{ email: string; password?: string } | undefined> {
  const { login } = engine.catalog
  if (!login || (await engine.storage.count(login.resource, always)) > 0) return undefined
  const { resource, mark } = login
  const email = config.admin?.email ?? 'admin@localhost'
  const drawn = config.admin ? undefined : randomBytes(15).toString('base64url')
  const hash = await engine.identity.hashPassword(config.admin?.password ?? (drawn as string))
  const now = timestampOf(engine.clock())
  const values: Record<string, unknown> = {}
  for (const name of resource.storedNames) {
    const field = resource.fields[name] as Field
    const byEngine = field.setBy === 'create' || field.setBy === 'write'
    values[name] = byEngine ? now : defaultOf(field, { now, settings: engine.settings, role: 'ADMIN' })
  }
  const made = await engine.storage.transaction(async (transaction) => {
    if ((await transaction.count(resource, always)) > 0) return false // another process was faster
    await transaction.insert(resource, {
      ...values,
      [resource.idField]: engine.makeId(),
      [mark.login]: email,
      [mark.secret]: hash,
      [mark.role]: 'ADMIN',
      ...(mark.status === undefined ? {} : { [mark.status]: mark.activeStatus }),
    })
    return true
  })
  return made ? { email, password: drawn } : undefined
}
