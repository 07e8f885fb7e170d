/**
 * Tables that refer to each other in a circle cannot all be created after those that they refer to.
 * A reference to a table that is not there yet is left out, and added when the table comes. The
 * model tells which ones: it has the column already, and not the table.
 */
import type { ModelColumn, ModelTable, SchemaModel } from '../../model/model.ts'
import { quote, referencesSql } from '../../sql/ddl-words.ts'

/** The column without a reference that has to wait. `own`: the table that has it. */
export function withoutLate(column: ModelColumn, { tables }: SchemaModel, own: string): ModelColumn {
  const target = column.references?.table
  const isThere = target === undefined || target === own || tables.some(({ name }) => name === target)
  return isThere ? column : { ...column, references: undefined }
}

export function addReference(table: string, { name, references }: ModelColumn): string[] {
  return references ? [`ALTER TABLE ${quote(table)} ADD FOREIGN KEY (${quote(name)}) ${referencesSql(references)}`] : []
}

/**
 * Adds the references that waited for this table, which comes now and has this name from now on.
 */
export function addLate({ tables }: SchemaModel, target: string): string[] {
  const waiting = (table: ModelTable) =>
    table.columns.filter(({ references, leaving }) => references?.table === target && !leaving)
  return tables.flatMap((table) => waiting(table).flatMap((column) => addReference(table.name, column)))
}
