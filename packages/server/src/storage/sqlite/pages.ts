/** Pages with their totals. A total is counted once, and kept right by the changes that follow. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { makeKeptTotals } from '../derived/totals.ts'
import type { Watches } from '../derived/watch.ts'
import type { Storage } from '../storage.ts'
import type { ChangeLog } from './change-log.ts'
import type { Lists } from './lists.ts'

type Parts = {
  readonly lists: Lists
  readonly log: ChangeLog
  readonly watches: Watches
  readonly totalsBytesMax: number
}

export function makePages({ lists, log, watches, totalsBytesMax }: Parts): Pick<Storage, 'count' | 'page'> {
  const totals = makeKeptTotals({ watches, count: lists.count, bytesMax: totalsBytesMax })

  async function count(resource: Resource, where: Condition): Promise<number> {
    log.catchUp()
    return totals.total(resource, where)
  }

  return {
    count,
    async page(resource, request) {
      const total = await count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await lists.list(resource, request, total) }
    },
  }
}
