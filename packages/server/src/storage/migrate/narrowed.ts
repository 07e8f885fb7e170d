/**
 * Counts stored values beyond the narrower limits of the new declaration. The values stay, so the
 * migration continues, and the operator gets a message about them.
 */
import type { Scalar } from '../../resource/condition.ts'
import { idsNamed } from './duplicate-keys.ts'
import { namedRecords } from './examine.ts'
import type { MigrationPlan, Narrowed } from './plan.ts'
import { allRows, type RowReader } from './stored-rows.ts'

const stay =
  'they stay, and reads return them; a write that sends such a value, as a PUT of the whole record does, is refused with 400'

function fits({ field, name }: Narrowed, value: unknown): boolean {
  if (value === null || value === undefined) return true
  try {
    field.type.checkStored(value, name, field)
    return true
  } catch {
    return false
  }
}

/** A sentence for each field that has such values. Each table is read once. */
export async function narrowedIn(
  from: RowReader,
  { narrowed }: Pick<MigrationPlan, 'narrowed'>,
): Promise<readonly string[]> {
  const beyond = narrowed.map((one) => ({ one, ids: [] as Scalar[], count: 0 }))
  for (const [table, fields] of Map.groupBy(beyond, ({ one }) => one.table)) {
    for await (const records of allRows(from, { table })) {
      for (const record of records) {
        for (const found of fields) {
          if (fits(found.one, record.cellOf(found.one.column))) continue
          found.count += 1
          if (found.ids.length < idsNamed) found.ids.push(record.id)
        }
      }
    }
  }
  return beyond
    .filter(({ count }) => count > 0)
    .map(({ one, ids, count }) => `${one.line}. Beyond them: ${namedRecords(count, ids)}; ${stay}`)
}
