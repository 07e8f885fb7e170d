/**
 * Records that other records refer to. All that are asked for in one turn of the event loop are fetched by one query a resource, under
 * the same policy as any other read: what the caller may not see is null. Nothing is kept, so a mutation is never followed by stale records.
 */
import { ApiError } from '../errors.ts'
import type { Scalar } from '../operation/condition.ts'
import type { ListOperation } from '../operation/operation.ts'
import type { Principal } from '../operation/principal.ts'
import type { Engine } from '../perform/engine.ts'
import { perform } from '../perform/perform.ts'
import type { Admission } from '../policy/policy.ts'
import type { Resource } from '../resource/catalog.ts'
import { type Represented, representRecord } from '../value/represent.ts'

/** One record by id, with these fields; null when it does not exist for the caller. */
export type Load = (resource: Resource, id: Scalar, names: Iterable<string>) => Promise<Represented | null>

type Waiting = { resolve(record: Represented | null): void; reject(error: unknown): void }
type Batch = { readonly waiting: Map<Scalar, Waiting[]>; readonly names: Set<string> }

function admit(engine: Engine, principal: Principal, resource: Resource): Admission | undefined {
  try {
    return engine.policy.admit(principal, { resource, operation: 'get' })
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** The records of these ids that the rule of `get` lets the caller see. */
async function fetchAll(
  engine: Engine,
  principal: Principal,
  resource: Resource,
  batch: Batch,
): Promise<Map<Scalar, Represented>> {
  const admission = admit(engine, principal, resource)
  if (!admission) return new Map()
  const values = [...batch.waiting.keys()]
  const names = resource.fieldNames.filter((name) => batch.names.has(name) && admission.visible.has(name))
  const operation: ListOperation = {
    kind: 'list',
    resource,
    under: undefined,
    select: names,
    query: {
      where: { kind: 'in', field: resource.idField, values },
      sort: resource.list.defaultSort,
      paging: { kind: 'page', page: 1, limit: values.length },
      total: false,
    },
  }
  const result = await perform(engine, engine.policy.permit(admission, operation))
  if (result.kind !== 'list') throw new Error('a page of records was expected')
  return new Map(
    result.records.map((record) => [record[resource.idField] as Scalar, representRecord(resource, names, record)]),
  )
}

async function settle(engine: Engine, principal: Principal, resource: Resource, batch: Batch): Promise<void> {
  try {
    const records = await fetchAll(engine, principal, resource, batch)
    for (const [id, waiting] of batch.waiting) for (const one of waiting) one.resolve(records.get(id) ?? null)
  } catch (error) {
    for (const waiting of batch.waiting.values()) for (const one of waiting) one.reject(error)
  }
}

/** The loader of one request. */
export function makeLoad(engine: Engine, principal: Principal): Load {
  let batches = new Map<Resource, Batch>()

  function flush(): void {
    const full = batches
    batches = new Map()
    for (const [resource, batch] of full) void settle(engine, principal, resource, batch)
  }

  return (resource, id, names) =>
    new Promise((resolve, reject) => {
      // After every promise that is ready now: fields of one level wait for each other.
      if (batches.size === 0) setImmediate(flush)
      const batch = batches.get(resource) ?? { waiting: new Map<Scalar, Waiting[]>(), names: new Set<string>() }
      batches.set(resource, batch)
      for (const name of names) batch.names.add(name)
      const waiting = batch.waiting.get(id) ?? []
      waiting.push({ resolve, reject })
      batch.waiting.set(id, waiting)
    })
}
