/**
 * Reads records through any executor (a connection, a pool or a snapshot): statements in, rows out.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Reader, Row, Storage } from '../storage.ts'
import type { Dialect } from './dialect.ts'
import { rowReaderOf } from './far-sorted.ts'
import { inOrderOfEach } from './list-each.ts'
import { type ColumnWriter, columnWriter, rowReader } from './row.ts'
import { makeStatements, type Statement, type Statements } from './statements.ts'
import { readSummary } from './summary-statement.ts'
import { testedReader } from './test-each.ts'

/**
 * Runs statements. The embedded store returns values, others return promises. Rows are arrays, in
 * the order of the selected columns.
 */
export type Executor = {
  all(statement: Statement): unknown[][] | Promise<unknown[][]>
  first(statement: Statement): unknown[] | undefined | Promise<unknown[] | undefined>
  /** The number of changed rows. */
  run(statement: Statement): number | Promise<number>
}

/** The same executor with its errors translated. */
export function withErrors({ all, first, run }: Executor, translate: (error: unknown) => unknown): Executor {
  const translated =
    <R>(ask: (statement: Statement) => R | Promise<R>) =>
    async (statement: Statement): Promise<R> => {
      try {
        return await ask(statement)
      } catch (error) {
        throw translate(error)
      }
    }
  return { all: translated(all), first: translated(first), run: translated(run) }
}

export type SqlTools = {
  readonly dialect: Dialect
  readonly statements: Statements
  readerOf(resource: Resource): (cells: readonly unknown[]) => Row
  writerOf(resource: Resource): ColumnWriter
}

export function makeSqlTools(catalog: Catalog, dialect: Dialect): SqlTools {
  const resources = [...catalog.resources.values()]
  const readers = new Map(resources.map((one) => [one.name, rowReader(dialect, one)]))
  const writers = new Map(resources.map((one) => [one.name, columnWriter(dialect, one)]))
  return {
    dialect,
    statements: makeStatements(catalog, dialect),
    readerOf: (resource) => readers.get(resource.name) as (cells: readonly unknown[]) => Row,
    writerOf: (resource) => writers.get(resource.name) as ColumnWriter,
  }
}

export function makeReader(executor: Executor, tools: SqlTools): Reader & Pick<Storage, 'summarize'> {
  const { dialect, statements, readerOf } = tools
  return {
    async find(resource, where, test) {
      const cells = await executor.first(statements.find(resource, where, { test }))
      if (!cells) return undefined
      return { row: readerOf(resource)(cells), passes: test === undefined || cells.at(-1) === 1 }
    },
    async list(resource, request) {
      const cells = await executor.all(statements.list(resource, request))
      return cells.map(rowReaderOf(tools, resource, request.sort))
    },
    async listEach(resource, request) {
      const rows = await executor.all(statements.listEach(resource, request))
      return inOrderOfEach(request, rows.map(readerOf(resource)))
    },
    async testEach(resource, request) {
      return (await executor.all(statements.testEach(resource, request))).map(testedReader(dialect, resource))
    },
    async count(resource, where) {
      return (await executor.first(statements.count(resource, where)))?.[0] as number
    },
    async summarize(resource, request) {
      return readSummary(dialect, { resource, request }, await executor.all(statements.summary(resource, request)))
    },
  }
}
