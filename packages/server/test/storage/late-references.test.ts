/**
 * Tables that refer to each other in a circle, on PostgreSQL. A reference to a later table is left
 * out first, and added when that table is created.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addLate, withoutLate } from '../../src/storage/postgres/migrate/late-references.ts'

const to = (table: string) => ({ table, column: 'id', onDelete: 'set null' as const })
const column = (name: string, references?: ReturnType<typeof to>) =>
  ({ name, type: 'text', notNull: false, ...(references && { references }) }) as const
const table = (name: string, ...columns: readonly ReturnType<typeof column>[]) => ({
  name,
  columns: [column('id'), ...columns],
  primaryKey: 'id',
  indexes: [],
})
const there = { tables: [table('old', column('a_id', to('a'))), table('b')] }

test('only references to tables that are still to come are left out', () => {
  const kept = (name: string, own = 'c') => withoutLate(column('it', to(name)), there, own).references?.table
  assert.deepEqual([kept('b'), kept('a'), kept('c'), kept('c', 'd')], ['b', undefined, 'c', undefined])
})

test('when the table comes, those that waited for it are added', () => {
  assert.deepEqual(addLate(there, 'a'), [
    'ALTER TABLE "old" ADD FOREIGN KEY ("a_id") REFERENCES "a"("id") ON DELETE SET NULL',
  ])
  assert.deepEqual(addLate(there, 'b'), [])
})
