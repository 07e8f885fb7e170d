/**
 * Counts stored values that the new declaration no longer takes. The values stay, so the migration
 * continues, and the operator gets a message about them.
 */
import type { Scalar } from '../../resource/condition.ts'
import { quote } from '../sql/ddl-words.ts'
import { idsNamed } from './duplicate-keys.ts'
import { namedRecords } from './examine.ts'
import type { MigrationPlan, Narrowed } from './plan.ts'
import { allRows, type RowReader } from './stored-rows.ts'

type NarrowedLimits = Narrowed & { readonly kind: 'limits' }
type NarrowedMatch = Narrowed & { readonly kind: 'match' }

const staysBeyond =
  'they stay, and reads return them; a write that sends such a value, as a PUT of the whole record does, is refused with 400'
const staysOther =
  'they stay, and reads return them; a write that sets the reference or what it shares is refused with 400 until both agree'

function fits({ field, name }: NarrowedLimits, value: unknown): boolean {
  if (value === null || value === undefined) return true
  try {
    field.type.checkStored(value, name, field)
    return true
  } catch {
    return false
  }
}

/** A sentence for each field that has values beyond its limits. Each table is read once. */
async function beyondLimits(from: RowReader, narrowed: readonly NarrowedLimits[]): Promise<string[]> {
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
    .map(({ one, ids, count }) => `${one.line}. Beyond them: ${namedRecords(count, ids)}; ${staysBeyond}`)
}

/** A sentence where records refer to one that does not share their values. */
async function otherMatch({ executor }: RowReader, one: NarrowedMatch): Promise<string[]> {
  const { table, column, target, pairs, line } = one
  const key = `own.${quote(table.primaryKey)}`
  const differ = pairs.map(({ own, other }) => {
    const value = `own.${quote(own)}`
    return `(${value} IS NOT NULL AND other.${quote(other)} IS DISTINCT FROM ${value})`
  })
  const rows = `FROM ${quote(table.name)} AS own JOIN ${quote(target.table)} AS other
    ON other.${quote(target.key)} = own.${quote(column)} WHERE ${differ.join(' OR ')}`
  const ids = await executor.all({ sql: `SELECT ${key} ${rows} ORDER BY 1 LIMIT ${idsNamed}`, parameters: [] })
  if (ids.length === 0) return []
  const [count] = (await executor.first({ sql: `SELECT count(*) ${rows}`, parameters: [] })) as [number]
  const named = namedRecords(
    count,
    ids.map(([id]) => id),
  )
  return [`${line}. Others are named by: ${named}; ${staysOther}`]
}

/** A sentence for each field whose stored values the declaration no longer takes. */
export async function narrowedIn(
  from: RowReader,
  { narrowed }: Pick<MigrationPlan, 'narrowed'>,
): Promise<readonly string[]> {
  const sentences = await beyondLimits(
    from,
    narrowed.filter((one) => one.kind === 'limits'),
  )
  for (const one of narrowed) if (one.kind === 'match') sentences.push(...(await otherMatch(from, one)))
  return sentences
}
