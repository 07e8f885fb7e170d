/** Everything that performing an operation needs: made once at start, never changed. */
import type { Clock } from '../clock.ts'
import type { Identity } from '../identity/identity.ts'
import type { MakeId } from '../ids.ts'
import type { Policy } from '../policy/policy.ts'
import type { Records } from '../record/records.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Settings } from '../resource/rule.ts'
import type { Asker, StoredReads } from '../storage/storage.ts'

export type Engine = {
  readonly catalog: Catalog
  readonly settings: Settings
  readonly policy: Policy
  /** For reads. Writes go through `records`. */
  readonly storage: StoredReads
  readonly records: Records
  readonly identity: Identity
  readonly clock: Clock
  readonly makeId: MakeId
  /** Where the request came from. Absent at the console. */
  readonly address?: string
}

/** The engine of this caller: what its reads cost counts for the caller, and ends when the caller goes. */
export function onBehalf(engine: Engine, asker: Asker): Engine {
  return { ...engine, storage: engine.storage.by(asker), address: asker.address }
}
