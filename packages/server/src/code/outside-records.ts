/**
 * Records outside of a transaction, in the name of the system: reads lock nothing, and each write
 * has a transaction of its own.
 */
import { notFound } from '../operation/not-found.ts'
import { refuseGuarded } from '../record/guard/guarded-code.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CallerOrigin } from '../resource/code/acting-caller.ts'
import type { Records } from '../resource/code/code-records.ts'
import { all, equal, matching, type Scalar } from '../resource/condition.ts'
import type { FindCodeTenants } from '../resource/tenancy/code-tenants.ts'
import type { Author } from '../storage/changes.ts'
import { boundRecordsOf } from './bound-records.ts'
import { type CodeEngine, codeCallerOf, keptFacts } from './judged-engine.ts'
import { recordsOfCaller } from './judged-records.ts'
import { listMatching } from './record-reads.ts'
import { existsIn, systemReads } from './system-reads.ts'
import type { SystemParts } from './system-records.ts'

type InTenants = { readonly engine: CodeEngine; readonly tenants: FindCodeTenants | undefined }

function readsOf({ engine, tenants }: InTenants, resource: Resource): Pick<Records, 'get' | 'list'> {
  const { storage, catalog } = engine
  const exists = () => existsIn(catalog, resource, tenants)
  return {
    async get(id) {
      refuseGuarded('reads', 'records')
      const found = await storage.find(resource, all(equal(resource.idField, id as Scalar), await exists()))
      if (!found) throw notFound(resource, 'get')
      return found.row
    },
    async list(values) {
      refuseGuarded('reads', 'records')
      const where = all(matching(values), await exists())
      return listMatching(resource, (request) => storage.list(resource, { ...request, where }))
    },
  }
}

/** `author`: of their writes; its request and its cause are those of judged writes too. */
export function outsideRecords(engine: CodeEngine, author: Author): SystemParts {
  const of =
    (by: Author): SystemParts['of'] =>
    (resource, tenants) => {
      const inOwn = <T>(work: (records: Records) => Promise<T>): Promise<T> =>
        engine.records.transaction(by, (tx) => work(boundRecordsOf(engine, { tx, tenants }, resource)))
      return {
        ...systemReads({ engine, tenants }, resource),
        ...readsOf({ engine, tenants }, resource),
        create: (values) => inOwn((records) => records.create(values)),
        update: (id, changes) => inOwn((records) => records.update(id, changes)),
        delete: (id) => inOwn((records) => records.delete(id)),
        deleteWhere: (values) => inOwn((records) => records.deleteWhere(values)),
      }
    }
  const ofCaller = (from: CallerOrigin) => recordsOfCaller(codeCallerOf(engine, from, { facts: keptFacts(author) }))
  return { catalog: engine.catalog, of: of(author), quiet: of({ ...author, isQuiet: true }), ofCaller }
}
