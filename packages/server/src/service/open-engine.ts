/** Puts the engine together: declarations and configuration in, everything that performs out. Used by the server and the command line. */
import { randomBytes } from 'node:crypto'
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
import { keepSecret, openStorage } from '../storage/open.ts'

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
  const secret = config.jwtSecret ?? (await keepSecret(config.database, randomBytes(48).toString('base64url')))
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
