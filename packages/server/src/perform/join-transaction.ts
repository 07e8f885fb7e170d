/**
 * An engine that works inside an open transaction: its reads see that transaction's writes, and its
 * writes join it.
 */
import { ApiError } from '../errors.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { ReadStorage } from '../storage/storage.ts'
import { nonRecordMethods, wrapStorage } from '../storage/wrap-storage.ts'
import type { Engine } from './engine.ts'

export type JoinedEngine = {
  readonly engine: Engine
  /** The conflict that has broken the transaction, even where the code that met it went on. */
  broken(): ApiError | undefined
}

/** Read outside of the transaction: no write depends on them. */
const outside = { ...nonRecordMethods, knownTotal: true, walk: true, urgent: true } as const

/** `own`: reads in place of the transaction's. */
export function joinTransaction(
  engine: Engine,
  tx: RecordTransaction,
  own: Partial<Pick<ReadStorage, 'list'>> = {},
): JoinedEngine {
  const { find, list, listEach, testEach, count, summarize } = tx
  let broken: ApiError | undefined
  const storage: ReadStorage = wrapStorage(
    engine.storage,
    {
      find,
      list,
      listEach,
      testEach,
      count,
      summarize,
      page: async (resource, request) => ({
        rows: await list(resource, request),
        total: await count(resource, request.where),
      }),
      by: () => storage,
      ...own,
    },
    outside,
  )
  const records: Engine['records'] = {
    async transaction(_author, work) {
      try {
        return await work(tx)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'conflict') broken = error
        throw error
      }
    },
  }
  return {
    engine: { ...engine, storage, records },
    broken: () => broken,
  }
}
