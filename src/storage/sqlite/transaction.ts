/** Reading and writing on one connection: statements in, rows and declared conflicts out. */
import { equal } from '../../operation/condition.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { rowReader, toColumns } from '../row.ts'
import { columnOf, foldColumnOf } from '../schema.ts'
import { makeStatements } from '../statements.ts'
import { conflictOver, type Reader, type Row, type Transaction } from '../storage.ts'
import { type Connection, uniqueColumnsOf } from './connection.ts'
import { sqliteDialect } from './dialect.ts'

export type Tools = {
  readonly statements: ReturnType<typeof makeStatements>
  readerOf(resource: Resource): (cells: readonly unknown[]) => Row
}

export function makeTools(catalog: Catalog): Tools {
  const readers = new Map([...catalog.resources.values()].map((one) => [one.name, rowReader(sqliteDialect, one)]))
  return {
    statements: makeStatements(catalog, sqliteDialect),
    readerOf: (resource) => readers.get(resource.name) as (cells: readonly unknown[]) => Row,
  }
}

/** `begin` is called before each read. */
export function makeReader(connection: Connection, { statements, readerOf }: Tools, begin: () => void): Reader {
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

export function makeTransaction(connection: Connection, tools: Tools, touched: Set<Resource>): Transaction {
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
