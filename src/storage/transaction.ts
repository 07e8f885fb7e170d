/** Writing by whatever runs statements inside one transaction: rows and declared conflicts out. */
import { equal } from '../operation/condition.ts'
import type { Resource } from '../resource/catalog.ts'
import { type Executor, makeReader, type Tools } from './reader.ts'
import { toColumns } from './row.ts'
import { columnOf, foldColumnOf } from './schema.ts'
import { conflictOver, type Transaction } from './storage.ts'

/** What is a database's own about writing. */
export type Writing = {
  readonly executor: Executor
  /** Collects the resources that were written to. */
  readonly touched: Set<Resource>
  /** The columns of a broken unique key; undefined for any other error. */
  uniqueColumnsOf(error: unknown, resource: Resource): readonly string[] | undefined
  /** Before a row whose counted id is given is inserted: later ids must not meet it. Absent where the database sees to it. */
  keepAhead?(resource: Resource, id: number): Promise<void>
}

/** The declared key that these columns belong to, as a sentence. */
function conflictOf(writing: Writing, resource: Resource, error: unknown): unknown {
  const columns = writing.uniqueColumnsOf(error, resource)
  if (!columns) return error
  const key = resource.unique.find((names) =>
    names.every((name) => columns.includes(columnOf(name)) || columns.includes(foldColumnOf(name))),
  )
  return conflictOver(resource, key ?? columns, error)
}

export function makeTransaction(writing: Writing, tools: Tools): Transaction {
  const { executor, touched } = writing
  const { dialect, statements, readerOf } = tools
  const reader = makeReader(executor, tools)

  /** With `cascade`: also what the database deletes or clears along with it. */
  function touch(resource: Resource, cascade = false, passed: readonly Resource[] = []): void {
    touched.add(resource)
    if (!cascade || passed.includes(resource)) return
    for (const link of resource.referencedBy)
      touch(link.resource, link.options.onDelete === 'delete', [...passed, resource])
  }
  return {
    ...reader,
    async lock(resource, where, { test, toDelete = false } = {}) {
      const cells = await executor.first(
        statements.find(resource, where, { test, lock: toDelete ? 'delete' : 'change' }),
      )
      if (!cells) return undefined
      return { row: readerOf(resource)(cells), passes: test === undefined || cells.at(-1) === 1 }
    },
    async lockAll(resource, request) {
      return (await executor.all(statements.list(resource, request, { lock: 'change' }))).map(readerOf(resource))
    },
    async insert(resource, values) {
      touch(resource)
      const record: Record<string, unknown> = {}
      for (const name of resource.storedNames) record[name] = values[name] ?? null
      const id = record[resource.idField]
      if (id === null) delete record[resource.idField]
      else if (typeof id === 'number') await writing.keepAhead?.(resource, id)
      const { columns, values: cells } = toColumns(dialect, resource, record, record)
      try {
        const returned = await executor.first(statements.insert(resource, [...columns, 'version'], [...cells, 1]))
        return { ...record, [resource.idField]: returned?.[0], version: 1 }
      } catch (error) {
        throw conflictOf(writing, resource, error)
      }
    },
    async update(resource, row, changes) {
      touch(resource)
      const next = { ...row, ...changes, version: row.version + 1 }
      const { columns, values } = toColumns(dialect, resource, changes, next)
      const where = equal(resource.idField, row[resource.idField] as string | number)
      try {
        await executor.run(statements.update(resource, where, columns, values))
      } catch (error) {
        throw conflictOf(writing, resource, error)
      }
      return next
    },
    async updateWhere(resource, where, changes) {
      touch(resource)
      const { columns, values } = toColumns(dialect, resource, changes, changes)
      return executor.run(statements.update(resource, where, columns, values))
    },
    async deleteWhere(resource, where) {
      touch(resource, true)
      return executor.run(statements.remove(resource, where))
    },
  }
}
