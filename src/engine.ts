/** Puts the engine together: declarations and configuration in, everything that performs out. Used by the server and the command line. */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from './clock.ts'
import { type Config, limits } from './config.ts'
import { StartError } from './errors.ts'
import { makeIdentity } from './identity/identity.ts'
import type { Marks } from './identity/marks.ts'
import { makeIds } from './ids.ts'
import type { Engine } from './perform/engine.ts'
import { makePolicy } from './policy/policy.ts'
import { type Catalog, makeCatalog } from './resource/catalog.ts'
import type { Declared } from './resource/define.ts'
import { openSqlite } from './storage/sqlite/store.ts'

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`Cannot make the folder ${path}: ${(error as Error).message}`)
  }
}

/** The secret of the embedded default: made once, readable by its owner alone. */
function generatedSecret(dataDir: string): string {
  const file = join(dataDir, 'jwt-secret')
  makeFolder(dataDir)
  try {
    writeFileSync(file, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new StartError(`Cannot write ${file}: ${(error as Error).message}`)
    chmodSync(file, 0o600)
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < 32)
    throw new StartError(`${file} holds no secret of 32 bytes or more; delete it to make a new one`)
  return secret
}

function marksOf({ login, apiKey, session, refreshToken }: Catalog): Marks {
  if (!login || !apiKey || !session || !refreshToken) {
    const missing = Object.entries({ login, 'api-key': apiKey, session, 'refresh-token': refreshToken }).filter(
      ([, mark]) => !mark,
    )
    throw new StartError(
      `No resource is marked as ${missing.map(([kind]) => `identity: { kind: '${kind}' }`).join(', ')}`,
    )
  }
  return { login, apiKey, session, refreshToken }
}

/** Opens storage and brings it to today's declarations. Throws `StartError`: one clear reason, nothing changed. */
export async function openEngine(
  config: Config,
  declarations: readonly Declared[],
  clock: Clock = systemClock,
): Promise<Engine> {
  const catalog = makeCatalog(declarations)
  const marks = marksOf(catalog)
  const secret = config.jwtSecret ?? generatedSecret(config.dataDir)
  const secrets = [secret, ...(config.jwtSecretPrevious ? [config.jwtSecretPrevious] : [])].map((one) =>
    Buffer.from(one),
  )
  makeFolder(dirname(config.database.path))
  const storage = await openSqlite(config.database.path, catalog, {
    heldMs: config.workers > 1 ? 0 : limits.snapshotHeldMs,
  })
  const makeId = makeIds(clock)
  const { settings } = config
  return {
    catalog,
    settings,
    storage,
    clock,
    makeId,
    policy: makePolicy(catalog, settings),
    identity: makeIdentity({ catalog, storage, clock, makeId, secrets }, marks),
  }
}
