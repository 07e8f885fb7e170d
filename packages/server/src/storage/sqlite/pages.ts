/** Pages with their totals: each total is counted once, and kept until one of the resources that it reads changes. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { makeGenerations } from '../generations.ts'
import type { Tools } from '../sql/reader.ts'
import { keyOf, type Statement } from '../sql/statements.ts'
import { makeTotals } from '../sql/totals.ts'
import type { Reader, Storage } from '../storage.ts'
import type { ChangeLog } from './change-log.ts'
import type { Connection } from './connection.ts'
import type { Snapshot } from './snapshot.ts'

type Parts = {
  readonly reader: Connection
  /** The same connection, with each read in the current snapshot. */
  readonly reads: Reader
  readonly snapshot: Snapshot
  readonly log: ChangeLog
  readonly tools: Tools
}

export type Pages = Pick<Storage, 'page'> & {
  /** `elsewhere` runs the statement outside of this thread. */
  count(resource: Resource, where: Condition, elsewhere?: (statement: Statement) => Promise<number>): Promise<number>
  /** Another number after each write that could change a page of these records. */
  generationOf(resource: Resource, where: Condition): number
}

export function makePages({ reader, reads, snapshot, log, tools }: Parts): Pages {
  const generations = makeGenerations(log)
  const totals = makeTotals()

  const count: Pages['count'] = async (resource, where, elsewhere) => {
    const statement = tools.statements.count(resource, where)
    const key = keyOf(statement)
    log.catchUp()
    const generation = generations.of(statement.resources)
    const known = totals.get(key, generation)
    if (known !== undefined) return known
    if (!elsewhere) snapshot.begin()
    const counted = elsewhere ? await elsewhere(statement) : (reader.first(statement)?.[0] as number)
    totals.set(key, generation, counted)
    return counted
  }

  return {
    count,
    generationOf(resource, where) {
      log.catchUp()
      return generations.of(tools.statements.count(resource, where).resources)
    },
    async page(resource, request) {
      const total = await count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await reads.list(resource, request) }
    },
  }
}
