/**
 * Foreign keys between tables that refer to each other in a circle. A new table leaves out the
 * references to tables that do not exist yet; the migration adds them when the target is created.
 * The model shows which ones: it has the column already, but not the table.
 */
import type { ModelColumn, ModelTable, SchemaModel } from '../../model/model.ts'
import { quote, referencesSql } from '../../sql/ddl-words.ts'

/** The column without a reference that has to wait. `own`: the table of the column. */
export function withoutLate(column: ModelColumn, { tables }: SchemaModel, own: string): ModelColumn {
  const target = column.references?.table
  const isThere = target === undefined || target === own || tables.some(({ name }) => name === target)
  return isThere ? column : { ...column, references: undefined }
}

export function addReference(table: string, { name, references }: ModelColumn): string[] {
  return references ? [`ALTER TABLE ${quote(table)} ADD FOREIGN KEY (${quote(name)}) ${referencesSql(references)}`] : []
}

/** Adds the references that waited for this table, which is being created under this name. */
export function addLate({ tables }: SchemaModel, target: string): string[] {
  const waiting = (table: ModelTable) =>
    table.columns.filter(({ references, leaving }) => references?.table === target && !leaving)
  return tables.flatMap((table) => waiting(table).flatMap((column) => addReference(table.name, column)))
}
