/** Writing by whatever runs statements inside one transaction: rows and declared conflicts out. */

import type { Resource } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import { columnOf, foldColumnOf, versionColumn } from '../model/model.ts'
import { conflictOver, type Transaction, type Values } from '../storage.ts'
import { boundValuesMax } from './dialect.ts'
import { type Executor, makeReader, type Tools } from './reader.ts'
import { toColumns } from './row.ts'

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

type Group = { readonly columns: readonly string[]; readonly rows: unknown[][]; highestId: number | undefined }

/** Of one INSERT: more rows save little, and make more statements to keep prepared. */
const rowsMax = 50

/** Every stored field; without the id when the database counts it. */
function recordOf(resource: Resource, values: Values): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const name of resource.storedNames) record[name] = values[name] ?? null
  if (record[resource.idField] === null) delete record[resource.idField]
  return record
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

  /** Those with an id and those that get one, each in their order. */
  function groupsOf(resource: Resource, records: readonly Values[]): Group[] {
    const groups = new Map<string, Group>()
    for (const values of records) {
      const record = recordOf(resource, values)
      const id = record[resource.idField]
      const { columns, values: cells } = toColumns(dialect, resource, record, record)
      const key = columns.join()
      const group = groups.get(key) ?? { columns: [...columns, versionColumn], rows: [], highestId: undefined }
      groups.set(key, group)
      group.rows.push([...cells, 1])
      if (typeof id === 'number') group.highestId = Math.max(id, group.highestId ?? id)
    }
    return [...groups.values()]
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
      const record = recordOf(resource, values)
      const id = record[resource.idField]
      if (typeof id === 'number') await writing.keepAhead?.(resource, id)
      const { columns, values: cells } = toColumns(dialect, resource, record, record)
      try {
        const returned = await executor.first(statements.insert(resource, [...columns, versionColumn], [[...cells, 1]]))
        return { ...record, [resource.idField]: returned?.[0], version: 1 }
      } catch (error) {
        throw conflictOf(writing, resource, error)
      }
    },
    async insertAll(resource, records) {
      if (records.length === 0) return
      touch(resource)
      for (const { columns, rows, highestId } of groupsOf(resource, records)) {
        if (highestId !== undefined) await writing.keepAhead?.(resource, highestId)
        const most = Math.max(1, Math.min(rowsMax, Math.floor(boundValuesMax / columns.length)))
        for (let at = 0; at < rows.length; at += most) {
          try {
            await executor.run(statements.insert(resource, columns, rows.slice(at, at + most)))
          } catch (error) {
            throw conflictOf(writing, resource, error)
          }
        }
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
