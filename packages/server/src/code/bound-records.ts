/**
 * The records of one resource as a declaration's own code uses them inside its transaction. No rule
 * is checked: the write was permitted.
 */
import { notFound } from '../operation/not-found.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CallerOrigin } from '../resource/code/acting-caller.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Records, ResourceHandle } from '../resource/code/code-records.ts'
import { equal, matching, type Scalar } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import type { Row } from '../storage/storage.ts'
import { type CodeEngine, codeCallerOf } from './judged-engine.ts'
import { listMatching, recordsOfCaller, systemRecords } from './judged-records.ts'

function recordsOf(tx: RecordTransaction, resource: Resource): Records {
  const get = async (id: unknown, options?: { readonly toDelete: true }): Promise<Row> => {
    const found = await tx.lock(resource, equal(resource.idField, id as Scalar), options)
    if (!found) throw notFound(resource, 'get')
    return found.row
  }
  return {
    get: (id) => get(id),
    list: (values) =>
      listMatching(resource, (request) => tx.lockAll(resource, { ...request, where: matching(values) })),
    create: async (values) => tx.insert(await tx.prepare(resource, values)),
    update: async (id, changes) => tx.change(resource, await get(id), changes),
    delete: async (id) => tx.remove(resource, await get(id, { toDelete: true })),
    deleteWhere: (values) => tx.removeWhere(resource, matching(values)),
  }
}

/** `records(things)`, as code inside a transaction is given it. */
export function boundRecords(engine: CodeEngine, tx: RecordTransaction): SystemRecords {
  const of =
    (inside: () => RecordTransaction) =>
    ({ name }: ResourceHandle<Fields>) =>
      recordsOf(inside(), tx.catalog.get(name))
  const ofCaller = (from: CallerOrigin) => recordsOfCaller(codeCallerOf(engine, from, { tx }))
  return systemRecords({ of: of(() => tx), quiet: of(tx.quiet), ofCaller })
}
