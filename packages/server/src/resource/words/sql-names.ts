/**
 * Converts names to tables and columns, the same on every database. A name that a database refuses,
 * cuts off or reserves gets an underscore. Names of declarations never end with `_`, and only
 * `_id` begins with one, so no converted name equals a declared one.
 */
import { hash } from 'node:crypto'
import { snakeOf } from './names.ts'

/** PostgreSQL cuts names to 63 characters, and the longest that is made of a name has 14 more. */
const lengthMax = 49
const markLength = 8

/**
 * Columns that PostgreSQL's tables have by themselves, SQLite's names of the row number, and what
 * the engine keeps beside the fields.
 */
export const takenColumns: ReadonlySet<string> = new Set([
  ...['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'],
  ...['rowid', 'oid'],
  ...['row_id', 'version', 'search'],
])
/** The suffix of columns that the engine makes of texts. */
const madeEnd = /_folded$/
/**
 * Names reserved by databases and the engine begin with `pg_`, `bindery_`, or a word that begins
 * with the language's name.
 */
const takenTable = /^(sql[a-z]*|pg|bindery)_/

function shortened(name: string): string {
  if (name.length <= lengthMax) return name
  const mark = hash('sha256', name, 'hex').slice(0, markLength)
  return `${name.slice(0, lengthMax - markLength - 1)}_${mark}`
}

/** The column of a field: `orderItemId` → `order_item_id`, `xmin` → `xmin_`. */
export function columnNameOf(field: string): string {
  const name = snakeOf(field)
  return takenColumns.has(name) || madeEnd.test(name) ? `${shortened(name)}_` : shortened(name)
}

/**
 * The table of a resource, by its plural: `orderItems` → `order_items`, `pgRoles` → `_pg_roles`.
 */
export function tableNameOf(plural: string): string {
  const name = snakeOf(plural)
  return takenTable.test(name) ? `_${shortened(name)}` : shortened(name)
}
