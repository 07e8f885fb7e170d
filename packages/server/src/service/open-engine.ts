/**
 * Assembles the engine: declarations and configuration in, everything that performs operations out. For the server and the command line.
 */
import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, limits } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Cost } from '../identity/argon2.ts'
import { type IdentityParts, makeIdentity } from '../identity/identity.ts'
import { type Marks, marksOf } from '../identity/marks.ts'
import { makeIdentityWithoutUsers } from '../identity/without-users.ts'
import { makeIds } from '../ids.ts'
import type { Engine } from '../perform/engine.ts'
import { makePolicy } from '../policy/policy.ts'
import { makeRecords } from '../record/records.ts'
import { makeCatalog } from '../resource/catalog.ts'
import type { Declared } from '../resource/define.ts'
import { lossFileIn } from '../storage/migrate/loss-file.ts'
import { keepSecret, openStorage } from '../storage/open.ts'

/** The secrets of access tokens, newest first. */
async function secretsOf(config: Config): Promise<Buffer[]> {
  const secret = config.jwtSecret ?? (await keepSecret(config.database, randomBytes(48).toString('base64url')))
  return [secret, ...(config.jwtSecretPrevious ? [config.jwtSecretPrevious] : [])].map((one) => Buffer.from(one))
}

/** An application without users needs no secret either. */
async function identityOf(parts: Omit<IdentityParts, 'secrets'>, config: Config, marks: Marks | undefined) {
  if (!marks) return makeIdentityWithoutUsers()
  const { storage } = parts
  const secrets = await secretsOf(config)
  return makeIdentity({ ...parts, secrets, storage: { ...storage, ...storage.urgent } }, marks)
}

function identitySettings({ settings, signUpLimit, accounts, publicUrl, corsOrigins }: Config) {
  return { settings, signUpLimit, factorsFrom: accounts.mfaFrom, publicUrl, corsOrigins }
}

export type EngineOptions = {
  readonly clock?: Clock
  /** Receives messages for the operator. */
  readonly report?: (message: string) => void
  /** Of new hashes of passwords; less than the usual one is for tests alone. */
  readonly passwordCost?: Cost | undefined
}

/** Opens the storage and migrates it to the current declarations. Throws `StartError` with one clear reason; nothing has changed then. */
export async function openEngine(
  config: Config,
  declarations: readonly Declared[],
  { clock = systemClock, report, passwordCost }: EngineOptions = {},
): Promise<Engine> {
  const catalog = makeCatalog(declarations)
  const marks = marksOf(catalog)
  if (config.accounts.mfaFrom !== undefined && !marks?.factors)
    throw new StartError("MFA needs a resource that is marked as identity: { kind: 'factor' }")
  const heldMs = config.workers > 1 ? 0 : limits.snapshotHeldMs
  const totalsBytesMax = config.keepAnswers ? limits.keptTotalsBytesMax : 0
  const { costly } = limits
  const losses = lossFileIn(config.dataDir, clock(), report)
  const storage = await openStorage(config.database, catalog, { heldMs, report, totalsBytesMax, costly, losses })
  const makeId = makeIds(clock)
  const { settings } = config
  const { mailsWaitingMax } = limits
  const records = makeRecords({ catalog, storage, clock, makeId, settings })
  return {
    catalog,
    settings,
    storage,
    records,
    clock,
    makeId,
    policy: makePolicy(catalog, settings),
    identity: await identityOf(
      { catalog, storage, records, clock, mailsWaitingMax, passwordCost, ...identitySettings(config) },
      config,
      marks,
    ),
  }
}
