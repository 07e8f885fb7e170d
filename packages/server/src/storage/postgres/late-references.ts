/**
 * Tables that refer to each other in a circle cannot all be created after those that they refer to: references to tables that a later step
 * creates are added when all are there.
 */
import type { Step } from '../model/migration.ts'
import type { Column } from '../model/model.ts'
import { columnEnd, quote } from '../sql/ddl-words.ts'

/** The same steps without references to tables that are not there yet, and the statements that add these afterwards. */
export function withLateReferences(steps: readonly Step[]): { steps: readonly Step[]; after: readonly string[] } {
  const coming = new Set(steps.flatMap((step) => (step.kind === 'create-table' ? [step.table.name] : [])))
  const after: string[] = []
  const early = (table: string, column: Column): Column => {
    const { references, fill: _fill, ...rest } = column
    if (!references || !coming.has(references.table)) return column
    const end = columnEnd({ ...rest, references }, String).join(' ')
    after.push(`ALTER TABLE ${quote(table)} ADD FOREIGN KEY (${quote(column.name)}) ${end}`)
    return { ...column, references: undefined }
  }
  const first = steps.map((step): Step => {
    if (step.kind === 'add-column') return { ...step, column: early(step.table, step.column) }
    if (step.kind !== 'create-table') return step
    const { table } = step
    coming.delete(table.name) // a table may refer to itself while it is created
    return { ...step, table: { ...table, columns: table.columns.map((column) => early(table.name, column)) } }
  })
  return { steps: first, after }
}
