/**
 * The embedded store. Two connections to one file: one reads, and always sees what is committed; one writes, one transaction
 * at a time, so that nothing comes between the steps of a transaction though other requests run meanwhile.
 */
import { all as allOf } from '../../operation/condition.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Storage } from '../storage.ts'
import { makeTotals } from '../totals.ts'
import { openConnection, translateError } from './connection.ts'
import { makeCounters } from './counters.ts'
import { migrate } from './migrate.ts'
import { makeQueue } from './queue.ts'
import { makeSnapshot, type Snapshot } from './snapshot.ts'
import { makeReader, makeTools, makeTransaction } from './transaction.ts'

/** Own writes are counted by resource; those of other processes may have touched anything. */
function makeStamps(snapshot: Snapshot) {
  const writes = new Map<Resource, number>()
  let seen = -1
  let others = 0
  return {
    wrote(resources: Iterable<Resource>): void {
      for (const resource of resources) writes.set(resource, (writes.get(resource) ?? 0) + 1)
    },
    stamp(resources: readonly Resource[]): number {
      const version = snapshot.dataVersion()
      if (version !== seen) others += 1
      seen = version
      let sum = others
      for (const resource of resources) sum += writes.get(resource) ?? 0
      return sum
    },
  }
}

/**
 * Opens the file and brings it to today's declarations. Throws `StartError`.
 * `heldMs`: how long reads may share a snapshot; 0 where other processes serve the same file.
 */
export function openSqlite(path: string, catalog: Catalog, { heldMs }: { heldMs: number } = { heldMs: 0 }): Storage {
  const writer = openConnection(path, { readOnly: false })
  try {
    migrate(writer, catalog)
  } catch (error) {
    writer.database.close()
    throw error
  }
  const reader = openConnection(path, { readOnly: true })
  const tools = makeTools(catalog)
  const snapshot = makeSnapshot(reader, writer, heldMs)
  const reads = makeReader(reader, tools, snapshot.begin)
  const stamps = makeStamps(snapshot)
  const totals = makeTotals()
  const queue = makeQueue()

  return {
    ...reads,
    ...makeCounters(writer, queue),
    stamp: stamps.stamp,
    async count(resource, where) {
      const { sql, parameters, resources } = tools.statements.count(resource, where)
      const key = `${sql} ${JSON.stringify(parameters)}`
      const stamp = stamps.stamp(resources)
      const known = totals.get(key, stamp)
      if (known !== undefined) return known
      snapshot.begin()
      const count = reader.first({ sql, parameters })?.[0] as number
      totals.set(key, stamp, count)
      return count
    },
    transaction: (work) =>
      queue(async () => {
        const touched = new Set<Resource>()
        try {
          writer.database.exec('BEGIN IMMEDIATE')
          const result = await work(makeTransaction(writer, tools, touched))
          snapshot.end()
          writer.database.exec('COMMIT')
          stamps.wrote(touched)
          return result
        } catch (error) {
          if (writer.database.isTransaction) writer.database.exec('ROLLBACK')
          throw translateError(error)
        }
      }),
    async check() {
      await reads.find([...catalog.resources.values()][0] as Resource, allOf())
    },
    async close() {
      await queue(async () => undefined)
      snapshot.end()
      reader.database.close()
      writer.database.close()
    },
  }
}
