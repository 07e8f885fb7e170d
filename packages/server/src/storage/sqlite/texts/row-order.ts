/**
 * Long sorts, of row numbers instead of rows: sorting 200,000 products takes less than half of the time, and what a stream needs to go on
 * is eight bytes a row. All are made from the statement of the list, which is compiled once a shape.
 */
import type { Statement } from '../../sql/statements.ts'

const parts =
  /^(select .*?) from (("[^"]+")(?: as "[^"]+" (?:indexed by "[^"]+"|not indexed))?) where (.*?)( order by .*)? limit \? offset \?$/s

function partsOf({ sql }: Statement) {
  const [, select = '', from = '', table = '', where = '', order = ''] = parts.exec(sql) ?? []
  return { select, from, table, where, order }
}

/** The same list, sorted by row numbers and keys; then only the rows of the page are read. Alternatives that are merged stay as they are. */
export function lateRows(statement: Statement): Statement {
  const { select, from, table, where, order } = partsOf(statement)
  if (table === '') return statement
  const numbers = `select ${table}.rowid from ${from} where ${where}${order} limit ? offset ?`
  return { ...statement, sql: `${select} from ${table} where ${table}.rowid in (${numbers})${order}` }
}

/** The row numbers of the list, in its order. */
export function rowNumbers(statement: Statement): Statement {
  const { from, table, where, order } = partsOf(statement)
  return { ...statement, sql: `select ${table}.rowid from ${from} where ${where}${order} limit ? offset ?` }
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
