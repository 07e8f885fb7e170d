/**
 * Lists in the main thread, as far as their cost is bounded: small tables as the database likes, large ones by a plan that is chosen from
 * exact sizes. What is not bounded is handed back as a statement, to be run elsewhere.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { makeCosts } from '../sql/costs.ts'
import type { Tools } from '../sql/reader.ts'
import type { ListRequest, Row } from '../storage.ts'
import type { Connection } from './connection.ts'
import type { Costly } from './counts.ts'
import type { Fences } from './fence/fences.ts'
import type { StretchSizes } from './fence/stretch-size.ts'
import { mainThreadUsMax, planList } from './list-plan.ts'
import { makePlannedLists } from './planned-list.ts'
import { lateRows } from './row-order.ts'
import { listByRowOrder } from './row-order-list.ts'
import type { TableSizes } from './table-sizes.ts'
import { comparedMax, type TextSizes } from './text-sizes.ts'

export type ReadingParts = {
  readonly reader: Connection
  readonly tools: Tools
  readonly catalog: Catalog
  readonly fences: Fences
  readonly sizes: StretchSizes
  readonly tables: TableSizes
  readonly texts: TextSizes
  readonly present: <T>(work: () => T) => T
}

export type Lists = {
  /** `total`: the number of records that match, where it is known. */
  list(resource: Resource, request: ListRequest, total?: number): readonly Row[] | Costly
  /** Whether a list from its beginning would be sorted anew for each piece. */
  isSortedEachTime(resource: Resource, request: ListRequest): boolean
}

/** Rows that are looked up one by one, at random: about three milliseconds. */
const lookedUpMax = 300

export function makeLists({ reader, tools, catalog, fences, sizes, tables, texts, present }: ReadingParts): Lists {
  const { statements, readerOf } = tools
  const costs = makeCosts(catalog)
  const readPlanned = makePlannedLists({ reader, tools, fences })
  const adviceOf = (resource: Resource, request: ListRequest) =>
    (costs.ofList(resource, request) ?? costs.ofCount(resource, request.where))?.advice

  function listPlainly(resource: Resource, request: ListRequest): readonly Row[] {
    return reader.all(statements.list(resource, request)).map(readerOf(resource))
  }

  /** By the index of texts alone, where a condition asks it; undefined where another way is better. */
  function listTexts(resource: Resource, request: ListRequest): readonly Row[] | undefined {
    const { where, sort } = request
    const candidates = texts.candidates(resource, where)
    if (candidates === undefined) return undefined
    if (candidates <= lookedUpMax || (texts.isInOrder(resource, request) && candidates <= comparedMax))
      return listPlainly(resource, request)
    if (!texts.isDecided(resource, where) && candidates > comparedMax) return undefined
    const index = tables.indexOf(resource, sort)
    if (!index) return undefined
    fences.of(index) // begins to make it, and so to know the lag
    return listByRowOrder({ reader, tools }, resource, { request, lagMs: fences.lagOf(index) })
  }

  function planOf(resource: Resource, request: ListRequest, total: number | undefined) {
    const stretches = tables.stretchesOf(resource, request.where)
    return planList(stretches, { request, total, sizes, rowsMax: tables.rowsMax(resource) })
  }

  function listPresent(resource: Resource, request: ListRequest, total: number | undefined): readonly Row[] | Costly {
    const { where } = request
    if (tables.isSmall(resource, where) || tables.isMerged(resource, where, request))
      return listPlainly(resource, request)
    const found = listTexts(resource, request)
    if (found) return found
    const plan = planOf(resource, request, total)
    if (plan.us <= mainThreadUsMax) return readPlanned(resource, request, plan)
    const advice = adviceOf(resource, request)
    const index = plan.kind === 'scan' ? undefined : plan.stretch?.index.name
    if (plan.kind === 'walk') return { statement: statements.list(resource, request, { index }), advice }
    return { statement: lateRows(statements.list(resource, request, { index })), advice }
  }

  return {
    list: (resource, request, total) => present(() => listPresent(resource, request, total)),
    isSortedEachTime(resource, request) {
      const { where } = request
      return present(() => {
        if (tables.isSmall(resource, where) || texts.isInOrder(resource, request)) return false
        const { kind, us } = planOf(resource, request, undefined)
        return us > mainThreadUsMax && (kind === 'scan' || kind === 'gather')
      })
    },
  }
}
