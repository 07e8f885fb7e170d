/**
 * Counts stored values beyond the narrower limits of the new declaration. The values stay, so the
 * migration continues, and the operator gets a message about them.
 */
import type { Scalar } from '../../resource/condition.ts'
import { idsNamed, namedRecords } from './examine.ts'
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

/** A sentence for each field that has such values. */
export async function narrowedIn(
  from: RowReader,
  { narrowed }: Pick<MigrationPlan, 'narrowed'>,
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const one of narrowed) {
    const ids: Scalar[] = []
    let count = 0
    for await (const records of allRows(from, { table: one.table })) {
      for (const record of records) {
        if (fits(one, record.cellOf(one.column))) continue
        count += 1
        if (ids.length < idsNamed) ids.push(record.id)
      }
    }
    if (count > 0) sentences.push(`${one.line}. Beyond them: ${namedRecords(count, ids)}; ${stay}`)
  }
  return sentences
}
