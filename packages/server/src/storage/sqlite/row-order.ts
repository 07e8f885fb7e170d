/**
 * Long sorts, of row numbers instead of rows: sorting 200,000 products takes less than half of the time, and what a stream needs to go on
 * is eight bytes a row. All are made from the statement of the list, which is compiled once a shape.
 */
import type { Statement } from '../sql/statements.ts'

const parts = /^(select .*?) from ("[^"]+") where (.*?)( order by .*)? limit \? offset \?$/s

function partsOf({ sql }: Statement) {
  const found = parts.exec(sql)
  if (!found) throw new Error(`not the statement of a list: ${sql}`)
  const [, select = '', table = '', where = '', order = ''] = found
  return { select, table, where, order }
}

/** The same list, sorted by row numbers and keys; then only the rows of the page are read. */
export function lateRows(statement: Statement): Statement {
  const { select, table, where, order } = partsOf(statement)
  const numbers = `select ${table}.rowid from ${table} where ${where}${order} limit ? offset ?`
  return { ...statement, sql: `${select} from ${table} where ${table}.rowid in (${numbers})${order}` }
}

/** The row numbers of the list, in its order. */
export function rowNumbers(statement: Statement): Statement {
  const { table, where, order } = partsOf(statement)
  return { ...statement, sql: `select ${table}.rowid from ${table} where ${where}${order} limit ? offset ?` }
}

/** Those of these rows that (still) satisfy the list's condition, in the order of the numbers. */
export function rowsAt(statement: Statement, numbers: readonly number[]): Statement {
  const { select, table, where } = partsOf(statement)
  const from = `json_each(?) as place cross join ${table}`
  const condition = `${table}.rowid = place.value and ${where}`
  return {
    sql: `${select} from ${from} where ${condition} order by place.key limit ? offset ?`,
    parameters: [JSON.stringify(numbers), ...statement.parameters],
  }
}
