/** Pages with their totals. A total is counted once, and kept right by the changes that follow. */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { type Counted, makeKeptTotals } from '../derived/totals.ts'
import type { Watches } from '../derived/watch.ts'
import type { Tools } from '../sql/reader.ts'
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
  readonly watches: Watches
  readonly totalsBytesMax: number
}

export function makePages(parts: Parts): Pick<Storage, 'count' | 'page'> {
  const { reader, reads, snapshot, log, tools, watches, totalsBytesMax } = parts

  /** The sequence is read first: where reads share no snapshot, others may commit in between, and their changes are never added up. */
  function countNow(resource: Resource, where: Condition): Counted {
    snapshot.begin()
    const last = log.lastSeen()
    const total = reader.first(tools.statements.count(resource, where))?.[0] as number
    return { total, includes: ({ sequence }) => sequence <= last }
  }
  const totals = makeKeptTotals({ watches, count: countNow, bytesMax: totalsBytesMax })

  async function count(resource: Resource, where: Condition): Promise<number> {
    log.catchUp()
    return totals.total(resource, where)
  }

  return {
    count,
    async page(resource, request) {
      const total = await count(resource, request.where)
      return { total, rows: request.offset >= total ? [] : await reads.list(resource, request) }
    },
  }
}
