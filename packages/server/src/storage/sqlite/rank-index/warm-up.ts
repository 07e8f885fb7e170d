/**
 * Builds the rank indexes of large tables before the first list request. They come one after
 * another, slice by slice. Without this, the first request would wait for a scan of the index.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import { all } from '../../../resource/condition.ts'
import type { TableSizes } from '../read/table-sizes.ts'
import type { RankIndexes } from './rank-indexes.ts'

/** A process that starts has other work first. */
const afterStartMs = 500

type WarmUpTables = Pick<TableSizes, 'indexesOf' | 'isSmall'>

/** Call `stop` before the database is closed. */
export function startWarmUp(rankIndexes: RankIndexes, tables: WarmUpTables, { resources }: Catalog): { stop(): void } {
  let isStopped = false
  async function warm(): Promise<void> {
    for (const resource of resources.values()) {
      for (const index of tables.indexesOf(resource.name)) {
        if (isStopped || tables.isSmall(resource, all())) break
        await rankIndexes.madeQuietly(index)
      }
    }
  }
  // Where the database cannot be read, the next list request reports it.
  const timer = setTimeout(() => void warm().catch(() => undefined), afterStartMs).unref()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      rankIndexes.reset()
    },
  }
}
