/** What the databases' data definition languages have in common. Names and defaults come from checked declarations, never from requests. */
import type { Column } from '../model/model.ts'

export function quote(name: string): string {
  return `"${name}"`
}

/** What follows a column's type and constraints. `literal`: writes a value in the syntax of the database. */
export function columnEnd(column: Column, literal: (value: string | number | boolean) => string): string[] {
  const parts: string[] = []
  if (column.fill !== null && column.fill !== undefined) parts.push(`DEFAULT ${literal(column.fill)}`)
  if (column.references) {
    const { table, column: id, onDelete } = column.references
    parts.push(`REFERENCES ${quote(table)}(${quote(id)}) ON DELETE ${onDelete.toUpperCase()}`)
  }
  return parts
}
