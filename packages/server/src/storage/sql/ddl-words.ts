/**
 * DDL fragments that both databases share. Names and defaults come from checked declarations, never
 * from requests.
 */
import type { Scalar } from '../../resource/condition.ts'
import type { ModelColumn } from '../model/model.ts'

export function quote(name: string): string {
  return `"${name}"`
}

/** A text literal for statements without parameters: `it's` → `'it''s'`. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * A restricting reference is checked at the end of the transaction, which may delete the referring
 * rows too.
 */
export function referencesSql({ table, column, onDelete }: NonNullable<ModelColumn['references']>): string {
  const end = onDelete === 'refuse' ? 'NO ACTION DEFERRABLE INITIALLY DEFERRED' : onDelete.toUpperCase()
  return `REFERENCES ${quote(table)}(${quote(column)}) ON DELETE ${end}`
}

/**
 * The part after a column's type and constraints. `literal`: writes a value in the database's
 * syntax.
 */
export function columnEnd(column: ModelColumn, literal: (value: Scalar) => string): string[] {
  const parts: string[] = []
  if (column.fill !== null && column.fill !== undefined) parts.push(`DEFAULT ${literal(column.fill)}`)
  if (column.references) parts.push(referencesSql(column.references))
  return parts
}
