/**
 * An engine whose reads find one record as a write would leave it. The children of a body are
 * explained by it, because their rules may look at the record above them. Nothing is stored.
 */

import { rowHolds } from '../../record/row-holds.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, not, type Scalar } from '../../resource/condition.ts'
import { makeMatcher, relatedIn } from '../../storage/derived/match.ts'
import type { Reader, Row, Values } from '../../storage/storage.ts'
import { nonRecordMethods, recordReads, wrapStorage } from '../../storage/wrap-storage.ts'
import type { Engine } from '../engine.ts'

export type PlannedRow = { readonly resource: Resource; readonly row: Values }

/** The id of a record that is not stored: no stored one has it. */
export function unusedId({ hasCountedId }: Resource): Scalar {
  return hasCountedId ? 0 : '00000000-0000-0000-0000-000000000000'
}

const partsOf = (where: Condition): readonly Condition[] => (where.kind === 'and' ? where.of : [where])

/** `find` of the wrapped storage. The other reads tell of stored records alone. */
export function withPlanned(engine: Engine, { resource: planned, row }: PlannedRow): Engine {
  const { catalog, storage } = engine
  const matching = makeMatcher()
  const isAbout = (where: Condition) => relatedIn(where).some((one) => one.resource === planned.name)
  const holds = (resource: Resource, where: Condition, one: Values) =>
    rowHolds({ catalog, reader, matching }, { resource, where, row: one })

  const passes = async (resource: Resource, test: Condition | undefined, one: Row) => ({
    row: one,
    passes: test === undefined || (await holds(resource, test, one)),
  })

  const find: Reader['find'] = async (resource, where, test) => {
    if (resource === planned) {
      if (await holds(planned, where, row)) return passes(planned, test, { version: 0, ...row } as Row)
      return storage.find(planned, all(where, not(equal(planned.idField, row[planned.idField] as Scalar))), test)
    }
    // One record by its id: what it says about the planned one is judged here.
    const parts = partsOf(where)
    const isNamed = parts.some((one) => one.kind === 'compare' && one.field === resource.idField)
    if (!isNamed || !isAbout(where)) return storage.find(resource, where, test)
    const found = await storage.find(resource, all(...parts.filter((one) => !isAbout(one))))
    const rest = all(...parts.filter(isAbout))
    return found && (await holds(resource, rest, found.row)) ? passes(resource, test, found.row) : undefined
  }
  const reader = wrapStorage(storage, { find }, { ...nonRecordMethods, ...withoutFind })
  return { ...engine, storage: reader }
}

const { find: _find, ...withoutFind } = recordReads
