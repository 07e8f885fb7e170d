/**
 * Records outside of a transaction, in the name of the system: reads lock nothing, and each write
 * has a transaction of its own.
 */
import { notFound } from '../operation/not-found.ts'
import type { Engine } from '../perform/engine.ts'
import { boundRecords, listMatching } from '../record/bound-records.ts'
import type { Resource } from '../resource/catalog.ts'
import type { SystemRecords } from '../resource/code/code-context.ts'
import type { Records, ResourceHandle } from '../resource/code/code-records.ts'
import { equal, type Scalar } from '../resource/condition.ts'
import type { Fields } from '../resource/fields/field.ts'
import type { Author } from '../storage/changes.ts'

type OutsideStore = Pick<Engine, 'catalog' | 'storage' | 'records'>

function readsOf({ storage }: OutsideStore, resource: Resource): Pick<Records, 'get' | 'list'> {
  return {
    async get(id) {
      const found = await storage.find(resource, equal(resource.idField, id as Scalar))
      if (!found) throw notFound(resource, 'get')
      return found.row
    },
    list: (values) => listMatching(resource, values, (request) => storage.list(resource, request)),
  }
}

export function outsideRecords(engine: OutsideStore, author: Author): SystemRecords {
  const of =
    (as: Author) =>
    (declared: ResourceHandle<Fields>): Records => {
      const inOwn = <T>(work: (records: Records) => Promise<T>): Promise<T> =>
        engine.records.transaction(as, (tx) => work(boundRecords(tx)(declared)))
      return {
        ...readsOf(engine, engine.catalog.get(declared.name)),
        create: (values) => inOwn((records) => records.create(values)),
        update: (id, changes) => inOwn((records) => records.update(id, changes)),
        deleteWhere: (values) => inOwn((records) => records.deleteWhere(values)),
      }
    }
  return Object.assign(of(author), { quiet: of({ ...author, isQuiet: true }) }) as unknown as SystemRecords
}
