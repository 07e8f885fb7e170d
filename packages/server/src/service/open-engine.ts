/** Puts the engine together: declarations and configuration in, everything that performs out. Used by the server and the command line. */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, limits } from '../config.ts'
import { StartError } from '../errors.ts'
import { makeIdentity } from '../identity/identity.ts'
import type { Marks } from '../identity/marks.ts'
import { makeIds } from '../ids.ts'
import type { Engine } from '../perform/engine.ts'
import { makePolicy } from '../policy/policy.ts'
import { makeRecords } from '../record/records.ts'
import { type Catalog, makeCatalog } from '../resource/catalog.ts'
import type { Declared } from '../resource/define.ts'
import { makeFolder, openStorage } from '../storage/open.ts'
import type { Storage } from '../storage/storage.ts'

/** Made once: in the database that all instances share, or in a file that its owner alone can read. */
async function generatedSecret(storage: Storage, dataDir: string): Promise<string> {
  const drawn = randomBytes(48).toString('base64url')
  return storage.keep ? storage.keep('jwt secret', drawn) : secretInFile(dataDir, drawn)
}

function secretInFile(dataDir: string, drawn: string): string {
  const file = join(dataDir, 'jwt-secret')
  makeFolder(dataDir)
  try {
    writeFileSync(file, `${drawn}\n`, { mode: 0o600, flag: 'wx' })
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

export type EngineOptions = {
  readonly clock?: Clock
  /** What whoever runs the service should read. */
  readonly report?: (message: string) => void
}

/** Opens storage and brings it to today's declarations. Throws `StartError`: one clear reason, nothing changed. */
export async function openEngine(
  config: Config,
  declarations: readonly Declared[],
  { clock = systemClock, report }: EngineOptions = {},
): Promise<Engine> {
  const catalog = makeCatalog(declarations)
  const marks = marksOf(catalog)
  const heldMs = config.workers > 1 ? 0 : limits.snapshotHeldMs
  const storage = await openStorage(config.database, catalog, { heldMs, report })
  const secret = config.jwtSecret ?? (await generatedSecret(storage, config.dataDir))
  const secrets = [secret, ...(config.jwtSecretPrevious ? [config.jwtSecretPrevious] : [])]
  const makeId = makeIds(clock)
  const { settings } = config
  const records = makeRecords({ catalog, storage, clock, makeId, settings })
  const identityParts = {
    catalog,
    storage: { ...storage, ...storage.urgent },
    records,
    clock,
    secrets: secrets.map((one) => Buffer.from(one)),
  }
  return {
    catalog,
    settings,
    storage,
    records,
    clock,
    makeId,
    policy: makePolicy(catalog, settings),
    identity: makeIdentity(identityParts, marks),
  }
}
