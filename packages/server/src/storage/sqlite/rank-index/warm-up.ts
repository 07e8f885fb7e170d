/**
 * Makes the fences of large tables before anybody asks for a list of them, one after another and a
 * slice at a time: the first to ask would wait for a scan of the index.
 */
import type { Catalog } from '../../../resource/catalog.ts'
import { all } from '../../../resource/condition.ts'
import type { TableSizes } from '../read/table-sizes.ts'
import type { RankIndexes } from './rank-indexes.ts'

/** Whoever starts is busy with other things first. */
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
  // Where the database cannot be read, whoever asks for the list is told.
  const timer = setTimeout(() => void warm().catch(() => undefined), afterStartMs).unref()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      rankIndexes.reset()
    },
  }
}
