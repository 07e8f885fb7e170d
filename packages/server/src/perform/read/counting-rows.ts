/** A read storage that counts the rows it reads, for the log line of a request. */
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { nonRecordMethods, wrapStorage } from '../../storage/wrap-storage.ts'

export type RowCount = { rows: number }

/** They read no rows, or are not asked of the storage of one caller. */
const uncounted = {
  ...nonRecordMethods,
  count: true,
  testEach: true,
  knownTotal: true,
  by: true,
  urgent: true,
} as const

export function countingRows(storage: ReadStorage, note: RowCount): ReadStorage {
  const counted = (rows: Row[]): Row[] => {
    note.rows += rows.length
    return rows
  }
  const own = {
    async find(resource, where, test) {
      const found = await storage.find(resource, where, test)
      if (found) note.rows += 1
      return found
    },
    list: async (resource, request) => counted(await storage.list(resource, request)),
    listEach: async (resource, request) => counted(await storage.listEach(resource, request)),
    async page(resource, request) {
      const page = await storage.page(resource, request)
      note.rows += page.rows.length
      return page
    },
    async summarize(resource, request) {
      const groups = await storage.summarize(resource, request)
      note.rows += groups.length
      return groups
    },
    walk(resource, request) {
      const walk = storage.walk(resource, request)
      return {
        async next() {
          const rows = await walk.next()
          note.rows += rows.length
          return rows
        },
        close: () => walk.close(),
      }
    },
  } satisfies Partial<ReadStorage>
  return wrapStorage(storage, own, uncounted)
}
