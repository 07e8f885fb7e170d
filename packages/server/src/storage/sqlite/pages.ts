/** Pages with their totals: each total is counted once, and kept until one of the resources that it reads changes. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { makeGenerations } from '../generations.ts'
import type { Tools } from '../sql/reader.ts'
import { keyOf } from '../sql/statements.ts'
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

export function makePages({ reader, reads, snapshot, log, tools }: Parts): Pick<Storage, 'count' | 'page'> {
  const generations = makeGenerations(log)
  const totals = makeTotals()

  async function count(resource: Resource, where: Condition): Promise<number> {
    const statement = tools.statements.count(resource, where)
    const key = keyOf(statement)
    log.catchUp()
    const generation = generations.of(statement.resources)
    const known = totals.get(key, generation)
    if (known !== undefined) return known
    snapshot.begin()
    const counted = reader.first(statement)?.[0] as number
    totals.set(key, generation, counted)
    return counted
  }

  return {
    count,
    async page(resource, request) {
      const total = await count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await reads.list(resource, request) }
    },
  }
}
