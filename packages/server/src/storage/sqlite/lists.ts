/**
 * Lists and counts of large tables: by a plan that is chosen from exact sizes, on the main thread where its cost is bounded and in a thread
 * of its own where it is not. Small tables are left to the database.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Counted } from '../derived/totals.ts'
import { modelOf } from '../model/model.ts'
import type { Tools } from '../sql/reader.ts'
import type { Statement } from '../sql/statements.ts'
import type { ListRequest, Row } from '../storage.ts'
import type { ChangeLog } from './change-log.ts'
import type { Connection } from './connection.ts'

import { type Stretch, stretchesOf } from './fence/covering.ts'
import { type FencedIndex, fencedIndexesOf } from './fence/fenced-index.ts'
import { makeFences } from './fence/fences.ts'
import { makeStretchSizes } from './fence/stretch-size.ts'
import { mainThreadUsMax, planList } from './list-plan.ts'
import { makePlannedLists } from './planned-list.ts'
import type { Snapshot } from './snapshot.ts'
import { rowNumberOf } from './text-tables.ts'

/** A table whose row numbers end below this is read as the database likes: even a scan of it takes about a millisecond. */
const smallRows = 1_500

type Parts = {
  readonly reader: Connection
  readonly tools: Tools
  readonly snapshot: Snapshot
  readonly log: ChangeLog
  readonly catalog: Catalog
}

export type Lists = {
  count(resource: Resource, where: Condition): Counted | Promise<Counted>
  /** `total`: the number of records that match, where it is known. */
  list(resource: Resource, request: ListRequest, total?: number): Row[] | Promise<Row[]>
}

export function makeLists({ reader, tools, snapshot, log, catalog }: Parts): Lists {
  const { statements, readerOf } = tools
  const tables = new Map(modelOf(catalog).tables.map((table) => [table.name, table]))
  const indexes = new Map<string, readonly FencedIndex[]>()
  for (const resource of catalog.resources.values()) {
    const table = tables.get(resource.table)
    indexes.set(resource.name, table ? fencedIndexesOf(resource, table) : [])
  }
  const indexesOf = (name: string) => indexes.get(name) ?? []
  const present = <T>(work: () => T): T =>
    snapshot.within(() => {
      log.catchUp()
      return work()
    })
  const fences = makeFences({ reader, tools, present, indexesOf })
  log.follow(fences)
  const sizes = makeStretchSizes({ reader, tools, fences, present })
  const readPlanned = makePlannedLists({ reader, tools, fences })
  const lastRows = new Map(
    [...catalog.resources.values()].map((one): [string, Statement] => {
      const column = rowNumberOf(one)
      return [one.name, { sql: `SELECT max("${column}") FROM "${one.table}"`, parameters: [] }]
    }),
  )
  /** Row numbers begin at 1 and are not used twice, so no table has more rows than its last number says. */
  const rowsMaxOf = ({ name }: Resource) => (reader.first(lastRows.get(name) as Statement)?.[0] as number | null) ?? 0
  const countPlainly = (resource: Resource, where: Condition, index?: string) =>
    reader.first(statements.count(resource, where, { index }))?.[0] as number
  const listPlainly = (resource: Resource, request: ListRequest) =>
    reader.all(statements.list(resource, request)).map(readerOf(resource))

  /** Undefined where it would take long. */
  function countAtOnce(resource: Resource, where: Condition): number | undefined {
    if (rowsMaxOf(resource) < smallRows) return countPlainly(resource, where)
    const stretches = stretchesOf(indexesOf(resource.name), resource, where)
    const [exact] = stretches
    if (exact && exact.residual.length === 0) return sizes.known(exact)
    return countPlainly(resource, where)
  }

  /** Call it in the snapshot of the count. */
  function countedBy(total: number | undefined): Counted | undefined {
    if (total === undefined) return undefined
    const last = log.lastSeen()
    return { total, includes: ({ sequence }) => sequence <= last }
  }

  return {
    count(resource, where) {
      const counted = present(() => countedBy(countAtOnce(resource, where)))
      if (counted) return counted
      const [exact] = stretchesOf(indexesOf(resource.name), resource, where)
      return sizes.get(exact as Stretch, countedBy)
    },
    list(resource, request, total) {
      return present(() => {
        const rowsMax = rowsMaxOf(resource)
        if (rowsMax < smallRows) return listPlainly(resource, request)
        const plan = planList(resource, indexesOf(resource.name), { request, total, sizes, rowsMax })
        if (plan.kind === 'scan' || plan.us > mainThreadUsMax) return listPlainly(resource, request)
        return readPlanned(resource, request, plan)
      })
    },
  }
}
