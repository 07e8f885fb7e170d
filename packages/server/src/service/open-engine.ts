/**
 * Assembles the engine: declarations and configuration in, everything that performs operations out. For the server and the command line.
 */
import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, limits } from '../config.ts'
import type { Cost } from '../identity/argon2.ts'
import { type IdentityParts, makeIdentity } from '../identity/identity.ts'
import { type Marks, marksOf } from '../identity/marks.ts'
import { noticingFailures } from '../identity/throttle.ts'
import { makeIdentityWithoutUsers } from '../identity/without-users.ts'
import { makeIds } from '../ids.ts'
import type { StorageWatch } from '../observe/statement-watch.ts'
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

export type EngineOptions = {
  readonly clock?: Clock
  /** Receives messages for the operator. */
  readonly report?: (message: string) => void
  readonly watch?: StorageWatch | undefined
  /** Called for each wrong guess of a password, or of another proof. */
  readonly onLogInFailed?: (() => void) | undefined
  /** Of new hashes of passwords; less than the usual one is for tests alone. */
  readonly passwordCost?: Cost | undefined
}

/** Opens the storage and migrates it to the current declarations. Throws `StartError` with one clear reason; nothing has changed then. */
export async function openEngine(
  config: Config,
  declarations: readonly Declared[],
  { clock = systemClock, report, passwordCost, watch, onLogInFailed = () => undefined }: EngineOptions = {},
): Promise<Engine> {
  const catalog = makeCatalog(declarations)
  const marks = marksOf(catalog)
  const heldMs = config.workers > 1 ? 0 : limits.snapshotHeldMs
  const totalsBytesMax = config.keepAnswers ? limits.keptTotalsBytesMax : 0
  const { costly } = limits
  const losses = lossFileIn(config.dataDir, clock(), report)
  const storage = await openStorage(config.database, catalog, { heldMs, report, totalsBytesMax, costly, losses, watch })
  const makeId = makeIds(clock)
  const { settings, signUpLimit } = config
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
      {
        catalog,
        storage: noticingFailures(storage, onLogInFailed),
        records,
        clock,
        settings,
        signUpLimit,
        mailsWaitingMax,
        passwordCost,
      },
      config,
      marks,
    ),
  }
}
