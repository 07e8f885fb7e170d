/** What the databases' data definition languages have in common. Names come from checked declarations, values never. */
import type { Column } from '../model/model.ts'

export function quote(name: string): string {
  return `"${name}"`
}

/** What stands behind a column's type and constraints. `literal`: a value in the words of the database. */
export function columnEnd(column: Column, literal: (value: string | number | boolean) => string): string[] {
  const parts: string[] = []
  if (column.fill !== null && column.fill !== undefined) parts.push(`DEFAULT ${literal(column.fill)}`)
  if (column.references) {
    const { table, column: id, onDelete } = column.references
    parts.push(`REFERENCES ${quote(table)}(${quote(id)}) ON DELETE ${onDelete.toUpperCase()}`)
  }
  return parts
}
