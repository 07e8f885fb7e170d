/**
 * Gives the rows of a table their places in a new manual order: in the order of a former column,
 * then as they were created. Each batch is one transaction. An interrupted step resumes with the
 * rows that have no place.
 */
import { keyBetween } from '../../../base/order-keys.ts'
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import type { Scalar } from '../../../resource/condition.ts'
import { placedWithin } from '../../../resource/fields/places/placed-within.ts'
import { columnOf, type ModelColumn, type ModelTable, type SchemaModel, versionColumn } from '../../model/model.ts'
import { sql } from '../../sql/kysely.ts'
import type { FilledCells, MigrationDatabase } from '../migration-database.ts'
import type { MigrationStep } from '../steps.ts'

/** Each batch sorts the rows that are left, so batches are large. */
const batchRows = 10_000

type PlaceStep = Extract<MigrationStep, { kind: 'place' }>
type PlacingOf = { readonly catalog: Catalog; readonly state: SchemaModel; readonly step: PlaceStep }
type TablePlacing = {
  readonly table: ModelTable
  readonly column: ModelColumn
  readonly from: string | undefined
  readonly within: readonly string[]
  readonly created: string | undefined
  /** The last key of each order. */
  readonly last: Map<string, string>
}

const orderOf = (values: readonly unknown[]) =>
  JSON.stringify(values.map((value) => (value === null ? null : String(value))))

/** The column that a field has in the table; a table that is being migrated may lack it. */
function createdOf({ storedNames, fields }: Resource): string | undefined {
  const name = storedNames.find((one) => fields[one]?.setBy === 'create')
  return name === undefined ? undefined : columnOf(name)
}

async function lastKeys(
  { dialect, executor }: MigrationDatabase,
  { table, column, within }: Omit<TablePlacing, 'last'>,
): Promise<Map<string, string>> {
  const query = dialect.builder
    .selectFrom(table.name)
    .select([...within, sql`max(${sql.ref(column.name)})`.as('last')])
    .where(column.name, 'is not', null)
  const grouped = (within.length === 0 ? query : query.groupBy([...within])).compile()
  const rows = await executor.all({ sql: grouped.sql, parameters: [...grouped.parameters] })
  return new Map(
    rows.flatMap((row) => {
      const [last, ...values] = [row.at(-1), ...row.slice(0, -1)]
      return typeof last === 'string' ? [[orderOf(values), last] as const] : []
    }),
  )
}

async function nextRows({ dialect, executor }: MigrationDatabase, placing: TablePlacing) {
  const { table, column, from, within, created } = placing
  const chosen = dialect.builder
    .selectFrom(table.name)
    .select([table.primaryKey, versionColumn, ...within])
    .where(column.name, 'is', null)
  const first = from === undefined ? chosen : chosen.orderBy(sql`${sql.ref(from)} is null`).orderBy(from)
  const query = [...(created === undefined ? [] : [created]), table.primaryKey]
    .reduce((sorted, one) => sorted.orderBy(one), first)
    .limit(batchRows)
    .compile()
  return executor.all({ sql: query.sql, parameters: [...query.parameters] })
}

function placed(rows: readonly (readonly unknown[])[], { last }: TablePlacing): FilledCells[] {
  return rows.map(([id, version, ...values]) => {
    const order = orderOf(values)
    const key = keyBetween(last.get(order) ?? null, null) as string
    last.set(order, key)
    return { id: id as Scalar, version: version as number, values: [key] }
  })
}

/** Resolves when every row has a place. */
export async function placeTable(database: MigrationDatabase, { catalog, state, step }: PlacingOf): Promise<void> {
  const table = state.tables.find(({ name }) => name === step.table) as ModelTable
  const resource = [...catalog.resources.values()].find((one) => one.table === step.table) as Resource
  const parts = {
    table,
    column: table.columns.find(({ name }) => name === step.column) as ModelColumn,
    from: step.from,
    within: placedWithin(resource).map(columnOf),
    created: createdOf(resource),
  }
  const placing = { ...parts, last: await lastKeys(database, parts) }
  for (;;) {
    const count = await database.transaction(async () => {
      const rows = await nextRows(database, placing)
      if (rows.length > 0) await database.update(table, [parts.column], placed(rows, placing))
      return rows.length
    })
    if (count === 0) return
    await database.breathe()
  }
}
