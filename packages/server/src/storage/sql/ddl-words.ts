/**
 * What the databases' data definition languages have in common. Names and defaults come from
 * checked declarations, never from requests.
 */
import type { ModelColumn } from '../model/model.ts'

export function quote(name: string): string {
  return `"${name}"`
}

/** A text as a statement has it where no parameter may stand: `it's` → `'it''s'`. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** One that refuses is looked at when the transaction ends: what refers may go in it as well. */
export function referencesSql({ table, column, onDelete }: NonNullable<ModelColumn['references']>): string {
  const end = onDelete === 'refuse' ? 'NO ACTION DEFERRABLE INITIALLY DEFERRED' : onDelete.toUpperCase()
  return `REFERENCES ${quote(table)}(${quote(column)}) ON DELETE ${end}`
}

/**
 * What follows a column's type and constraints. `literal`: writes a value in the syntax of the
 * database.
 */
export function columnEnd(column: ModelColumn, literal: (value: string | number | boolean) => string): string[] {
  const parts: string[] = []
  if (column.fill !== null && column.fill !== undefined) parts.push(`DEFAULT ${literal(column.fill)}`)
  if (column.references) parts.push(referencesSql(column.references))
  return parts
}
