/**
 * The records of one resource as a declaration's own code uses them inside its transaction. No rule
 * is checked: the write was permitted.
 */
import { ApiError } from '../errors.ts'
import { notFound } from '../operation/not-found.ts'
import type { Records } from '../resource/action.ts'
import type { Resource } from '../resource/catalog.ts'
import { equal, matching, type Scalar } from '../resource/condition.ts'
import type { DeclaredResource } from '../resource/define.ts'
import type { Row } from '../storage/storage.ts'
import type { RecordTransaction } from './write-context.ts'

const listMax = 10_000

function recordsOf(tx: RecordTransaction, resource: Resource): Records {
  const get = async (id: unknown): Promise<Row> => {
    const found = await tx.lock(resource, equal(resource.idField, id as Scalar))
    if (!found) throw notFound(resource, 'get')
    return found.row
  }
  return {
    get,
    async list(values) {
      const sort = [{ field: resource.idField, descending: false }]
      const rows = await tx.lockAll(resource, { where: matching(values), sort, limit: listMax + 1 })
      if (rows.length > listMax)
        throw new ApiError('conflict', `More than ${listMax} records of ${resource.plural}: too many for one action`)
      return rows
    },
    create: async (values) => tx.insert(await tx.prepare(resource, values)),
    update: async (id, changes) => tx.change(resource, await get(id), changes),
    deleteWhere: (values) => tx.removeWhere(resource, matching(values)),
  }
}

type BoundRecords = (declared: Pick<DeclaredResource, 'name'>) => Records

/** `records(things)`, as actions and hooks are given it. */
export function boundRecords(tx: RecordTransaction): BoundRecords {
  return ({ name }) => recordsOf(tx, tx.catalog.get(name))
}
