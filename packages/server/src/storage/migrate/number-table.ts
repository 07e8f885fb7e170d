/**
 * Numbers the rows of a table for a new `autoNumber`, in the order in which they were created. Each
 * batch is one transaction that takes numbers as a write does. An interrupted step resumes with
 * the rows that have none.
 */
import { timestampOf } from '../../base/clock.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { columnOf, type ModelColumn, type ModelTable, type SchemaModel, versionColumn } from '../model/model.ts'
import { takeNumbersStatement } from '../sql/number-series.ts'
import type { NumberSeries } from '../storage.ts'
import type { FilledCells, MigrationDatabase } from './migration-database.ts'
import type { MigrationStep } from './steps.ts'

/** Each batch reads the whole table to find its rows, so batches are large. */
const batchRows = 10_000

export type NumberStep = Extract<MigrationStep, { kind: 'number' }>
type NumberingOf = { readonly catalog: Catalog; readonly state: SchemaModel; readonly step: NumberStep }
type Numbering = {
  readonly table: ModelTable
  readonly column: ModelColumn
  readonly resource: Resource
  /** The field that is counted, and those that decide which series a row is in. */
  readonly name: string
  readonly created: string | undefined
  readonly tenant: string | undefined
}

function numberingOf({ catalog, state, step }: NumberingOf): Numbering {
  const table = state.tables.find(({ name }) => name === step.table) as ModelTable
  const resource = [...catalog.resources.values()].find((one) => one.table === step.table) as Resource
  const name = resource.numberedNames.find((one) => columnOf(one) === step.column) as string
  const field = resource.fields[name] as Field
  return {
    table,
    resource,
    name,
    column: table.columns.find((one) => one.name === step.column) as ModelColumn,
    created: resource.storedNames.find((one) => resource.fields[one]?.setBy === 'create'),
    tenant: field.type.series?.isPerTenant(field) ? ownTenantField(resource) : undefined,
  }
}

type Unnumbered = {
  readonly id: Scalar
  readonly version: number
  readonly series: Pick<NumberSeries, 'base' | 'tenant'>
}

/** The next rows without a number. Those without a time of creation are counted as of now. */
async function nextRows({ dialect, executor }: MigrationDatabase, numbering: Numbering): Promise<Unnumbered[]> {
  const { table, column, resource, name, created, tenant } = numbering
  const field = resource.fields[name] as Field
  const order = [...(created === undefined ? [] : [columnOf(created)]), table.primaryKey]
  const more = [created, tenant].map((one) => (one === undefined ? [] : [columnOf(one)]))
  const chosen = dialect.builder
    .selectFrom(table.name)
    .select([table.primaryKey, versionColumn, ...more.flat()])
    .where(column.name, 'is', null)
  const query = order
    .reduce((sorted, one) => sorted.orderBy(one), chosen)
    .limit(batchRows)
    .compile()
  const rows: readonly (readonly unknown[])[] = await executor.all({
    sql: query.sql,
    parameters: [...query.parameters],
  })
  const decodeTime = dialect.decode.timestamp ?? ((time: unknown) => time)
  return rows.map(([id, version, ...rest]) => {
    const time = created === undefined ? timestampOf(Date.now()) : (decodeTime(rest[0]) as string)
    const base = field.type.series?.base(field, time) ?? 0
    const ofTenant = tenant === undefined ? null : (rest.at(-1) as Scalar)
    return { id: id as Scalar, version: version as number, series: { base, tenant: ofTenant } }
  })
}

async function numberRows(
  database: MigrationDatabase,
  { table, column, resource, name }: Numbering,
  rows: readonly Unnumbered[],
): Promise<void> {
  const cells: FilledCells[] = []
  const groups = Map.groupBy(rows, ({ series: { base, tenant } }) => `${base} ${tenant}`)
  for (const group of groups.values()) {
    const [{ series }] = group as [Unnumbered]
    const statement = takeNumbersStatement(database.dialect, { ...series, resource, field: name }, group.length)
    const [last] = (await database.executor.first(statement)) as [number]
    for (const [i, { id, version }] of group.entries())
      cells.push({ id, version, values: [last - group.length + 1 + i] })
  }
  await database.update(table, [column], cells)
}

/** Resolves when every row has a number. */
export async function numberTable(database: MigrationDatabase, of: NumberingOf): Promise<void> {
  const numbering = numberingOf(of)
  for (;;) {
    const count = await database.transaction(async () => {
      const rows = await nextRows(database, numbering)
      if (rows.length > 0) await numberRows(database, numbering, rows)
      return rows.length
    })
    if (count === 0) return
    await database.breathe()
  }
}
