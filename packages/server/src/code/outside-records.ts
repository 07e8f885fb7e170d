/**
 * Records outside of a transaction, in the name of the system: reads lock nothing, and each write
 * has a transaction of its own.
 */
import { notFound } from '../operation/not-found.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CallerOrigin } from '../resource/code/acting-caller.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Records, ResourceHandle } from '../resource/code/code-records.ts'
import { equal, matching, type Scalar } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import type { Author } from '../storage/changes.ts'
import { boundRecords } from './bound-records.ts'
import { type CodeEngine, codeCallerOf, keptFacts } from './judged-engine.ts'
import { listMatching, recordsOfCaller, systemRecords } from './judged-records.ts'

type OutsideStore = Pick<Engine, 'catalog' | 'storage' | 'records'>

function readsOf({ storage }: OutsideStore, resource: Resource): Pick<Records, 'get' | 'list'> {
  return {
    async get(id) {
      const found = await storage.find(resource, equal(resource.idField, id as Scalar))
      if (!found) throw notFound(resource, 'get')
      return found.row
    },
    list: (values) =>
      listMatching(resource, (request) => storage.list(resource, { ...request, where: matching(values) })),
  }
}

/** `author`: of their writes; its request and its cause are those of judged writes too. */
export function outsideRecords(engine: CodeEngine, author: Author): SystemRecords {
  const of =
    (by: Author) =>
    (declared: ResourceHandle<Fields>): Records => {
      const inOwn = <T>(work: (records: Records) => Promise<T>): Promise<T> =>
        engine.records.transaction(by, (tx) => work(boundRecords(engine, tx)(declared)))
      return {
        ...readsOf(engine, engine.catalog.get(declared.name)),
        create: (values) => inOwn((records) => records.create(values)),
        update: (id, changes) => inOwn((records) => records.update(id, changes)),
        delete: (id) => inOwn((records) => records.delete(id)),
        deleteWhere: (values) => inOwn((records) => records.deleteWhere(values)),
      }
    }
  const ofCaller = (from: CallerOrigin) => recordsOfCaller(codeCallerOf(engine, from, { facts: keptFacts(author) }))
  return systemRecords({ of: of(author), quiet: of({ ...author, isQuiet: true }), ofCaller })
}
