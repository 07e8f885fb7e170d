/**
 * Loads records that other records refer to. All that are asked for in one turn of the event loop are loaded together, with one query a
 * resource; what the caller may not see is null. Nothing is cached, so a mutation is never followed by stale records.
 */

import type { Engine } from '../perform/engine.ts'
import { type Loading, loadRelated } from '../perform/related.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import { type Represented, representRecord } from '../value/represent.ts'
import { withVersion } from './object-types.ts'

/** One record by id, with these fields; null when it does not exist for the caller. */
export type Load = (resource: Resource, id: Scalar, names: Iterable<string>) => Promise<Represented | null>

type Waiting = { resolve(record: Represented | null): void; reject(error: unknown): void }
type Batch = { readonly waiting: Map<Scalar, Waiting[]>; readonly names: Set<string> }

async function settle(loading: Loading, resource: Resource, { waiting, names: asked }: Batch): Promise<void> {
  try {
    const ids = new Set(waiting.keys())
    const relation = { resource, by: resource.idField, ids, as: 'record', names: [...asked] } as const
    const { groups, visible } = await loadRelated(loading, relation)
    const names = resource.fieldNames.filter((name) => asked.has(name) && visible.has(name))
    for (const [id, callers] of waiting) {
      const [row] = groups.get(id) ?? []
      const record = row ? withVersion(representRecord(resource, names, row), row, asked) : null
      for (const one of callers) one.resolve(record)
    }
  } catch (error) {
    for (const callers of waiting.values()) for (const one of callers) one.reject(error)
  }
}

/** The loader of one request. */
export function makeLoad(engine: Engine, principal: Principal): Load {
  const loading = { engine, reader: engine.storage, principal }
  let batches = new Map<Resource, Batch>()

  function flush(): void {
    const full = batches
    batches = new Map()
    for (const [resource, batch] of full) void settle(loading, resource, batch)
  }

  return (resource, id, names) =>
    new Promise((resolve, reject) => {
      // Runs after every promise that is ready now, so that the fields of one level share a batch.
      if (batches.size === 0) setImmediate(flush)
      const batch = batches.get(resource) ?? { waiting: new Map<Scalar, Waiting[]>(), names: new Set<string>() }
      batches.set(resource, batch)
      for (const name of names) batch.names.add(name)
      const waiting = batch.waiting.get(id) ?? []
      waiting.push({ resolve, reject })
      batch.waiting.set(id, waiting)
    })
}
