/**
 * The records of one resource as a declaration's own code uses them inside its transaction. No rule
 * is checked: the write was permitted.
 */
import { ApiError } from '../errors.ts'
import { notFound } from '../operation/not-found.ts'
import type { Resource } from '../resource/catalog.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Records } from '../resource/code/code-records.ts'
import { equal, matching, type Scalar } from '../resource/condition.ts'
import type { ListRequest, Row, Values } from '../storage/storage.ts'
import type { RecordTransaction } from './write-context.ts'

const listMax = 10_000

/** All records with these values, oldest first. Throws `conflict` for more than 10,000. */
export async function listMatching(
  resource: Resource,
  values: Values,
  read: (request: ListRequest) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const sort = [{ field: resource.idField, descending: false }]
  const rows = await read({ where: matching(values), sort, limit: listMax + 1 })
  if (rows.length > listMax)
    throw new ApiError('conflict', `More than ${listMax} records of ${resource.plural}: too many for one action`)
  return rows
}

function recordsOf(tx: RecordTransaction, resource: Resource): Records {
  const get = async (id: unknown): Promise<Row> => {
    const found = await tx.lock(resource, equal(resource.idField, id as Scalar))
    if (!found) throw notFound(resource, 'get')
    return found.row
  }
  return {
    get,
    list: (values) => listMatching(resource, values, (request) => tx.lockAll(resource, request)),
    create: async (values) => tx.insert(await tx.prepare(resource, values)),
    update: async (id, changes) => tx.change(resource, await get(id), changes),
    deleteWhere: (values) => tx.removeWhere(resource, matching(values)),
  }
}

/** `records(things)`, as actions and hooks are given it. */
export function boundRecords(tx: RecordTransaction): SystemRecords {
  const of = (inside: RecordTransaction) => (declared: { readonly name: string }) =>
    recordsOf(inside, inside.catalog.get(declared.name))
  const quiet = (declared: { readonly name: string }) => of(tx.quiet())(declared)
  return Object.assign(of(tx), { quiet }) as unknown as SystemRecords
}
