/**
 * Explains how reads run, in words for people: the planner's choice, and SQLite's own plan of the
 * statement.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { ExplainPlan } from '../../../observe/storage-metrics.ts'
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import type { ListRequest, ReadPlan, Storage } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import { type CountRecords, isCostly } from './counts.ts'
import type { AccessPath, ListReads } from './list-reads.ts'
import type { TableSizes } from './table-sizes.ts'

const ways: Readonly<Record<AccessPath['kind'], string>> = {
  small: 'a small table, read as SQLite likes',
  merged: 'alternatives, each walked in the order of the list until the page is full',
  texts: 'the rows that the index of texts finds',
  'row order': 'the index of texts in the order of its rows, until the page is full',
  jump: 'a walk in the order of the list that begins at the page',
  walk: 'a walk in the order of the list, until the page is full',
  gather: 'all entries of a filter, sorted',
  scan: 'all rows, sorted',
}

type ExplainedDeps = {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
  readonly lists: ListReads
  readonly counts: CountRecords
  readonly tables: TableSizes
}

/** The plan of a statement for any values. */
export function planBy({ database }: SqliteConnection): ExplainPlan {
  return async (sql) => {
    // Without values it never runs, so it cannot be slow either.
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    return rows.map(({ detail }) => String(detail))
  }
}

export function makeExplain({ reader, tools, lists, counts, tables }: ExplainedDeps): Storage['explain'] {
  function stepsOf({ sql, parameters }: Statement): string[] {
    const rows = reader.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...(parameters as SQLInputValue[]))
    return rows.map(({ detail }) => String(detail))
  }

  async function explainList(resource: Resource, request: ListRequest): Promise<ReadPlan> {
    const counted = await counts(resource, request.where)
    const total = isCostly(counted) ? undefined : counted.total
    const { kind, index, entries, statementOf, costly } = lists.accessPathOf(resource, request, total)
    const statement = statementOf()
    return {
      way: ways[kind],
      index,
      entriesMax: entries === undefined || entries === Infinity ? undefined : Math.ceil(entries),
      isOutside: costly !== undefined,
      sql: statement.sql,
      steps: stepsOf(statement),
    }
  }

  async function explainCount(resource: Resource, where: Condition): Promise<ReadPlan> {
    const statement = tools.statements.count(resource, where)
    const isOutside = isCostly(await counts(resource, where))
    const ranked = tables.rangesOf(resource, where).outlines.find(({ residual }) => residual.length === 0)
    const isSmall = tables.isSmall(resource, where)
    const index = isSmall || isOutside ? undefined : ranked?.index.name
    const way = index
      ? 'summed by the rank index over an index, and counted inside two of its blocks'
      : 'counted row by row'
    return { way, index, isOutside, sql: statement.sql, steps: stepsOf(statement) }
  }

  return async (resource, request) =>
    request.sort ? explainList(resource, { limit: 1, sort: [], ...request }) : explainCount(resource, request.where)
}
