/**
 * The embedded store. Two connections to one file: one reads, and always sees what is committed; one writes, one transaction
 * at a time, so that nothing comes between the steps of a transaction though other requests run meanwhile.
 */
import { all as allOf, equal } from '../../operation/condition.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { rowReader, toColumns } from '../row.ts'
import { columnOf, foldColumnOf } from '../schema.ts'
import { makeStatements } from '../statements.ts'
import { type Counter, conflictOver, type Reader, type Row, type Storage, type Transaction } from '../storage.ts'
import { makeTotals } from '../totals.ts'
import { type Connection, openConnection, translateError, uniqueColumnsOf } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import { makeSnapshot, type Snapshot } from './snapshot.ts'

type Tools = {
  readonly statements: ReturnType<typeof makeStatements>
  readerOf(resource: Resource): (cells: readonly unknown[]) => Row
}

function makeTools(catalog: Catalog): Tools {
  const readers = new Map([...catalog.resources.values()].map((one) => [one.name, rowReader(sqliteDialect, one)]))
  return {
    statements: makeStatements(catalog, sqliteDialect),
    readerOf: (resource) => readers.get(resource.name) as (cells: readonly unknown[]) => Row,
  }
}

/** `begin` is called before each read. */
function makeReader(connection: Connection, { statements, readerOf }: Tools, begin: () => void): Reader {
  return {
    async find(resource, where, test) {
      begin()
      const cells = connection.first(statements.find(resource, where, test))
      if (!cells) return undefined
      return { row: readerOf(resource)(cells), passes: test === undefined || cells.at(-1) === 1 }
    },
    async list(resource, request) {
      begin()
      return connection.all(statements.list(resource, request)).map(readerOf(resource))
    },
    async count(resource, where) {
      begin()
      return connection.first(statements.count(resource, where))?.[0] as number
    },
  }
}

/** The declared key that these columns belong to, as a sentence. */
function conflictOf(resource: Resource, error: unknown): unknown {
  const columns = uniqueColumnsOf(error)?.map((column) => column.split('.')[1])
  if (!columns) return error
  const key = resource.unique.find((names) =>
    names.every((name) => columns.includes(columnOf(name)) || columns.includes(foldColumnOf(name))),
  )
  return conflictOver(resource, key ?? (columns as string[]), error)
}

function makeTransaction(connection: Connection, tools: Tools, touched: Set<Resource>): Transaction {
  const { statements } = tools
  const reader = makeReader(connection, tools, () => undefined)

  /** With `cascade`: also what the database deletes or clears along with it. */
  function touch(resource: Resource, cascade = false, passed: readonly Resource[] = []): void {
    touched.add(resource)
    if (!cascade || passed.includes(resource)) return
    for (const link of resource.referencedBy)
      touch(link.resource, link.options.onDelete === 'delete', [...passed, resource])
  }
  return {
    ...reader,
    lock: reader.find, // there is one writer: whoever is in here has locked everything
    async insert(resource, values) {
      touch(resource)
      const record: Record<string, unknown> = {}
      for (const name of resource.storedNames) record[name] = values[name] ?? null
      if (record[resource.idField] === null) delete record[resource.idField]
      const { columns, values: cells } = toColumns(sqliteDialect, resource, record, record)
      try {
        const returned = connection.first(statements.insert(resource, [...columns, 'version'], [...cells, 1]))
        return { ...record, [resource.idField]: returned?.[0], version: 1 }
      } catch (error) {
        throw conflictOf(resource, error)
      }
    },
    async update(resource, row, changes) {
      touch(resource)
      const next = { ...row, ...changes, version: row.version + 1 }
      const { columns, values } = toColumns(sqliteDialect, resource, changes, next)
      const where = equal(resource.idField, row[resource.idField] as string | number)
      try {
        connection.run(statements.update(resource, where, columns, values))
      } catch (error) {
        throw conflictOf(resource, error)
      }
      return next
    },
    async updateWhere(resource, where, changes) {
      touch(resource)
      const { columns, values } = toColumns(sqliteDialect, resource, changes, changes)
      return connection.run(statements.update(resource, where, columns, values))
    },
    async deleteWhere(resource, where) {
      touch(resource, true)
      return connection.run(statements.remove(resource, where))
    },
  }
}

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

/** One after another, in the order of asking. */
function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work, work)
    last = run.catch(() => undefined)
    return run
  }
}

const upsertCounter = `
  INSERT INTO bindery_counters (name, count, reset_at_ms) VALUES (?1, 1, ?3)
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN reset_at_ms <= ?2 THEN 1 ELSE count + 1 END,
    reset_at_ms = CASE WHEN reset_at_ms <= ?2 THEN ?3 ELSE reset_at_ms END
  RETURNING count, reset_at_ms`

function makeCounters(
  writer: Connection,
  queue: ReturnType<typeof makeQueue>,
): Pick<Storage, 'countUp' | 'readCounter' | 'clearCounter'> {
  return {
    countUp: (key, windowMs, nowMs) =>
      queue(async () => {
        writer.run({ sql: 'DELETE FROM bindery_counters WHERE reset_at_ms <= ?', parameters: [nowMs] })
        const cells = writer.first({ sql: upsertCounter, parameters: [key, nowMs, nowMs + windowMs] }) as [
          number,
          number,
        ]
        return { count: cells[0], resetAtMs: cells[1] }
      }),
    async readCounter(key, nowMs): Promise<Counter> {
      const sql = 'SELECT count, reset_at_ms FROM bindery_counters WHERE name = ? AND reset_at_ms > ?'
      const cells = writer.first({ sql, parameters: [key, nowMs] }) as [number, number] | undefined
      return cells ? { count: cells[0], resetAtMs: cells[1] } : { count: 0, resetAtMs: nowMs }
    },
    clearCounter: (key) =>
      queue(async () => {
        writer.run({ sql: 'DELETE FROM bindery_counters WHERE name = ?', parameters: [key] })
      }),
  }
}

/** Opens the file and brings it to today's declarations. Throws `StartError`. */
/** `heldMs`: how long reads may share a snapshot; 0 where other processes serve the same file. */
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
