/**
 * Creates the first operator in an empty database: from the environment, or with a generated
 * password that is shown once.
 */
import { randomBytes } from 'node:crypto'
import { noteWay } from '../accounts/code/noted-way.ts'
import type { ServedEngine } from '../accounts/served-engine.ts'
import type { Config } from '../config.ts'
import { ApiError, StartError } from '../errors.ts'
import { always } from '../resource/condition.ts'
import { serviceAuthor } from '../storage/changes.ts'

/** The address of the first operator. */
export function firstEmail({ admin }: Pick<Config, 'admin'>): string {
  return admin?.email ?? 'admin@localhost'
}

/**
 * Returns the new user, or undefined when users exist. The password is included only when it was
 * generated here.
 */
export async function firstAdmin(
  engine: ServedEngine,
  config: Config,
): Promise<{ email: string; password?: string } | undefined> {
  const { login, roles } = engine.catalog
  if (!login || (await engine.storage.count(login.resource, always)) > 0) return undefined
  const { resource, mark } = login
  const email = firstEmail(config)
  const drawn = config.admin ? undefined : randomBytes(15).toString('base64url')
  const hash = await engine.identity.hashPassword(config.admin?.password ?? (drawn as string))
  const status = mark.status === undefined ? {} : { [mark.status]: mark.activeStatus }
  const values = { [mark.login]: email, [mark.secret]: hash, [mark.role]: roles.operator, ...status }
  const author = { ...serviceAuthor, role: roles.operator }
  const making = engine.records.transaction(author, async (tx) => {
    if ((await tx.count(resource, always)) > 0) return false // another process was faster
    noteWay(tx, 'first-start')
    await tx.insert(await tx.prepare(resource, values), 'first-admin-created')
    return true
  })
  const made = await making.catch((error) => {
    if (!(error instanceof ApiError)) throw error
    throw new StartError(
      `The first account, ${email}, was refused: ${error.message}. A hook knows it by way: 'first-start'`,
    )
  })
  return made ? { email, password: drawn } : undefined
}
