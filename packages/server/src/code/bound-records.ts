/**
 * The records of one resource as a declaration's own code uses them inside its transaction, in the
 * name of the system. No rule is checked: the write was permitted. Its tenants bound them.
 */
import { notFound } from '../operation/not-found.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import { boundsOfCode, inOwnTenant } from '../record/references/code-tenants-of.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CallerOrigin } from '../resource/code/acting-caller.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Records } from '../resource/code/code-records.ts'
import { all, equal, matching, type Scalar } from '../resource/condition.ts'
import type { CodeTenants, FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import type { Row, Values } from '../storage/storage.ts'
import { type CodeEngine, codeCallerOf } from './judged-engine.ts'
import { recordsOfCaller } from './judged-records.ts'
import { listMatching } from './record-reads.ts'
import { existsIn, systemReads } from './system-reads.ts'
import { type SystemParts, systemRecords } from './system-records.ts'

type BoundTo = { readonly tx: RecordTransaction; readonly tenants: FindCodeTenants | undefined }

export function boundRecordsOf(engine: CodeEngine, { tx, tenants: findTenants }: BoundTo, resource: Resource): Records {
  const { catalog } = engine
  const exists = () => existsIn(catalog, resource, findTenants)
  const get = async (id: unknown, options?: { readonly toDelete: true }): Promise<Row> => {
    const found = await tx.lock(resource, all(equal(resource.idField, id as Scalar), await exists()), options)
    if (!found) throw notFound(resource, 'get')
    return found.row
  }
  /** Writes in the tenants of the code refer to records of these alone. */
  async function inside<T>(work: (own: RecordTransaction, tenants: CodeTenants | undefined) => Promise<T>): Promise<T> {
    const tenants = await findTenants?.()
    if (!tenants || tenants.size === 0) return work(tx, undefined)
    return tx.bounded(boundsOfCode({ catalog }, tenants), (own) => work(own, tenants))
  }
  return {
    ...systemReads({ engine, tx, tenants: findTenants }, resource),
    get: (id) => get(id),
    list: async (values) => {
      const where = all(matching(values), await exists())
      return listMatching(resource, (request) => tx.lockAll(resource, { ...request, where }))
    },
    create: (values: Values) =>
      inside(async (own, tenants) => {
        const whole = tenants ? inOwnTenant({ catalog, tenants }, resource, values) : values
        return own.insert(await own.prepare(resource, whole))
      }),
    update: (id, changes) => inside(async (own) => own.change(resource, await get(id), changes)),
    delete: async (id) => tx.remove(resource, await get(id, { toDelete: true })),
    deleteWhere: async (values) => tx.removeWhere(resource, all(matching(values), await exists())),
  } as Records
}

/** The parts of `records(things)` inside a transaction. */
export function boundParts(engine: CodeEngine, tx: RecordTransaction): SystemParts {
  return {
    catalog: tx.catalog,
    of: (resource, tenants) => boundRecordsOf(engine, { tx, tenants }, resource),
    quiet: (resource, tenants) => boundRecordsOf(engine, { tx: tx.quiet(), tenants }, resource),
    ofCaller: (from: CallerOrigin) => recordsOfCaller(codeCallerOf(engine, from, { tx })),
  }
}

/** `records(things)`, as code inside a transaction is given it. `tenants`: those that it is in. */
export function boundRecords(engine: CodeEngine, tx: RecordTransaction, tenants?: FindCodeTenants): SystemRecords {
  return systemRecords(boundParts(engine, tx), tenants)
}
