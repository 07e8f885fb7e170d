/** Tables in a circle on PostgreSQL: references to tables that a later step creates are added when all are there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLateReferences } from '../../src/storage/postgres/late-references.ts'

const to = (table: string) => ({ table, column: 'id', onDelete: 'set null' as const })
const column = (name: string, references?: ReturnType<typeof to>) =>
  ({ name, type: 'text', notNull: false, ...(references && { references }) }) as const
const table = (name: string, ...columns: readonly ReturnType<typeof column>[]) => ({
  kind: 'create-table' as const,
  table: { name, columns: [column('id'), ...columns], primaryKey: 'id', indexes: [] },
})

test('only references to tables that are still to come are late', () => {
  const { steps, after } = withLateReferences([
    { kind: 'add-column', table: 'old', column: column('a_id', to('a')) },
    table('a', column('b_id', to('b')), column('self_id', to('a')), column('old_id', to('old'))),
    table('b', column('a_id', to('a'))),
    { kind: 'add-column', table: 'old', column: column('b_id', to('b')) },
  ])
  assert.deepEqual(after, [
    'ALTER TABLE "old" ADD FOREIGN KEY ("a_id") REFERENCES "a"("id") ON DELETE SET NULL',
    'ALTER TABLE "a" ADD FOREIGN KEY ("b_id") REFERENCES "b"("id") ON DELETE SET NULL',
  ])
  const kept = steps.flatMap((step) => {
    const columns = step.kind === 'create-table' ? step.table.columns : step.kind === 'add-column' ? [step.column] : []
    return columns.flatMap((one) => (one.references ? [`${one.name} ${one.references.table}`] : []))
  })
  assert.deepEqual(kept, ['self_id a', 'old_id old', 'a_id a', 'b_id b'])
})
