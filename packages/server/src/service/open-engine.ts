/** Puts the engine together: declarations and configuration in, everything that performs out. Used by the server and the command line. */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, limits } from '../config.ts'
import { StartError } from '../errors.ts'
import { type IdentityParts, makeIdentity } from '../identity/identity.ts'
import { type Marks, marksOf } from '../identity/marks.ts'
import { makeIdentityWithoutUsers } from '../identity/without-users.ts'
import { makeIds } from '../ids.ts'
import type { Engine } from '../perform/engine.ts'
import { makePolicy } from '../policy/policy.ts'
import { makeCatalog } from '../resource/catalog.ts'
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
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') {
      rmSync(file, { force: true }) // half a secret would be in the way of the next start
      throw new StartError(`Cannot write ${file}: ${message}`)
    }
    chmodSync(file, 0o600)
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (Buffer.byteLength(secret) < 32)
    throw new StartError(`${file} holds no secret of 32 bytes or more; delete it to make a new one`)
  return secret
}

/** What signs access tokens, newest first. */
async function secretsOf(config: Config, storage: Storage): Promise<Buffer[]> {
  const secret = config.jwtSecret ?? (await generatedSecret(storage, config.dataDir))
  return [secret, ...(config.jwtSecretPrevious ? [config.jwtSecretPrevious] : [])].map((one) => Buffer.from(one))
}

/** Whoever needs no users needs no secret either. */
async function identityOf(parts: Omit<IdentityParts, 'secrets'>, config: Config, marks: Marks | undefined) {
  if (!marks) return makeIdentityWithoutUsers()
  const { storage } = parts
  const secrets = await secretsOf(config, storage)
  return makeIdentity({ ...parts, secrets, storage: { ...storage, ...storage.urgent } }, marks)
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
  const makeId = makeIds(clock)
  const { settings } = config
  return {
    catalog,
    settings,
    storage,
    clock,
    makeId,
    policy: makePolicy(catalog, settings),
    identity: await identityOf({ catalog, storage, clock, makeId }, config, marks),
  }
}
