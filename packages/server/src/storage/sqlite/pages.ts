/** Pages with their totals: each total is counted once, and kept until one of the resources that it reads changes. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { makeGenerations } from '../generations.ts'
import type { Tools } from '../sql/reader.ts'
import { keyOf } from '../sql/statements.ts'
import { makeTotals } from '../sql/totals.ts'
import type { Storage } from '../storage.ts'
import type { ChangeLog } from './change-log.ts'
import type { Lists } from './lists.ts'

type Parts = {
  readonly lists: Lists
  readonly log: ChangeLog
  readonly tools: Tools
}

export function makePages({ lists, log, tools }: Parts): Pick<Storage, 'count' | 'page'> {
  const generations = makeGenerations(log)
  const totals = makeTotals()

  async function count(resource: Resource, where: Condition): Promise<number> {
    const statement = tools.statements.count(resource, where)
    const key = keyOf(statement)
    log.catchUp()
    const generation = generations.of(statement.resources)
    const known = totals.get(key, generation)
    if (known !== undefined) return known
    const counted = await lists.count(resource, where)
    totals.set(key, generation, counted)
    return counted
  }

  return {
    count,
    async page(resource, request) {
      const total = await count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await lists.list(resource, request, total) }
    },
  }
}
