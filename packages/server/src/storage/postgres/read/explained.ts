/**
 * Explains how reads run. PostgreSQL plans them by its own statistics, and EXPLAIN shows the plan.
 */
import type { ExplainPlan } from '../../../observe/storage-metrics.ts'
import type { Executor, SqlTools } from '../../sql/reader.ts'
import type { Storage } from '../../storage.ts'

/**
 * The plan of a statement for any values; a plan of one call would depend on its values. PostgreSQL
 * 16 and later has it.
 */
export function planBy(executor: Executor): ExplainPlan {
  return async (sql) => {
    const rows = await executor.all({ sql: `EXPLAIN (GENERIC_PLAN) ${sql}`, parameters: [] })
    return rows.map(([line]) => String(line))
  }
}

export function makeExplain(executor: Executor, { statements }: SqlTools): Storage['explain'] {
  return async (resource, request) => {
    const { where, sort, limit = 1 } = request
    const { sql, parameters } = sort
      ? statements.list(resource, { ...request, where, sort, limit })
      : statements.count(resource, where)
    const rows = await executor.all({ sql: `EXPLAIN ${sql}`, parameters })
    return { way: 'planned by PostgreSQL', isOutside: false, sql, steps: rows.map(([line]) => String(line)) }
  }
}
