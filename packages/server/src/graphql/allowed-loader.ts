/**
 * Judges together all records of one turn of the event loop for their field `can`, as
 * `relation-loader.ts` loads related records together.
 */
import type { Engine } from '../perform/engine.ts'
import { type AllowedOperations, allowedOperations } from '../perform/read/allowed-operations.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import type { Row } from '../storage/storage.ts'

/** A record as it was read, for the caller with all scopes. Its field `can` is computed from it. */
export type JudgedRecord = { readonly row: Row; readonly asking: Principal }

export type AllowedLoader = (resource: Resource, record: JudgedRecord) => Promise<AllowedOperations>

type WaitingRecord = { readonly row: Row; resolve(allowed: AllowedOperations): void; reject(error: unknown): void }
/** The records of one page, by resource; for each caller that asks in the request. */
type WaitingPages = Map<Principal, Map<Resource, WaitingRecord[]>>

/** The loader of one request. */
export function makeAllowedLoader(engine: Engine): AllowedLoader {
  let pages: WaitingPages = new Map()

  async function judge(principal: Principal, resource: Resource, waiting: readonly WaitingRecord[]): Promise<void> {
    try {
      const loading = { engine, reader: engine.storage, principal }
      const allowed = await allowedOperations(loading, { resource, rows: waiting.map(({ row }) => row) })
      for (const [i, one] of waiting.entries()) one.resolve(allowed[i] as AllowedOperations)
    } catch (error) {
      for (const one of waiting) one.reject(error)
    }
  }

  function flush(): void {
    const full = pages
    pages = new Map()
    for (const [principal, byResource] of full)
      for (const [resource, waiting] of byResource) void judge(principal, resource, waiting)
  }

  return (resource, { row, asking }) =>
    new Promise((resolve, reject) => {
      if (pages.size === 0) setImmediate(flush)
      const own = pages.get(asking) ?? new Map<Resource, WaitingRecord[]>()
      pages.set(asking, own)
      const waiting = own.get(resource) ?? []
      own.set(resource, waiting)
      waiting.push({ row, resolve, reject })
    })
}
