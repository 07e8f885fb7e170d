/**
 * Counts the records of a counted field for all rows of a table: for a new field, and where it
 * counts other records than before. Each batch is one transaction. An interrupted step begins
 * again.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, type Scalar } from '../../resource/condition.ts'
import { isExactSum, storedSum } from '../../resource/fields/numbers/exact-sum.ts'
import type { Sums } from '../../resource/fields/numbers/number-facts.ts'
import type { CountedIn } from '../../resource/resolved-resource.ts'
import { columnOf, type ModelColumn, type ModelTable, type SchemaModel } from '../model/model.ts'
import { makeStatements, type Statements } from '../sql/statements.ts'
import { readSummary } from '../sql/summary-statement.ts'
import type { MigrationDatabase } from './migration-database.ts'
import type { MigrationStep } from './steps.ts'
import { nextRows } from './stored-rows.ts'

export type CountStep = Extract<MigrationStep, { kind: 'count' }>
type CountingOf = { readonly catalog: Catalog; readonly state: SchemaModel; readonly step: CountStep }
type Counting = {
  readonly table: ModelTable
  readonly column: ModelColumn
  readonly counted: CountedIn
  readonly statements: Statements
}

/** The sum as it is stored. Throws for one that the column does not hold. */
function sumFor({ parent, name }: CountedIn, id: unknown, sum: bigint): number | bigint {
  const adds = parent.fields[name]?.type.adds as Sums
  if (isExactSum(adds, sum)) return storedSum(adds, sum)
  throw new Error(`${parent.writtenIn}: ${parent.name} ${id}: ${name} would be too large to be exact: ${sum}`)
}

/** The value of each id; ids without any record are absent. */
async function countsOf(
  { dialect, executor }: MigrationDatabase,
  { counted, statements }: Counting,
  ids: readonly Scalar[],
): Promise<ReadonlyMap<unknown, unknown>> {
  const { resource, by, kind, field, where } = counted
  const request = {
    where: all({ kind: 'in', field: by, values: ids }, ...(where ? [where] : [])),
    groups: [{ field: by, unit: undefined }],
    sums: kind === 'sum' ? [field as string] : [],
    ends: kind === 'latest' ? [field as string] : [],
    limit: ids.length,
  }
  const rows = readSummary(dialect, { resource, request }, await executor.all(statements.summary(resource, request)))
  return new Map(
    rows.map(({ group: [id], count, sums, ends }) => [
      id,
      kind === 'count'
        ? count
        : kind === 'sum'
          ? sumFor(counted, id, sums.get(field as string)?.sum ?? 0n)
          : ends.get(field as string)?.most,
    ]),
  )
}

/** Resolves when every row has its count. */
export async function countTable(database: MigrationDatabase, { catalog, state, step }: CountingOf): Promise<void> {
  const { dialect } = database
  const table = state.tables.find(({ name }) => name === step.table) as ModelTable
  const parent = [...catalog.resources.values()].find((one) => one.table === step.table) as Resource
  const name = parent.countedNames.find((one) => columnOf(one) === step.column) as string
  const column = table.columns.find((one) => one.name === step.column) as ModelColumn
  const counted = parent.counts[name] as CountedIn
  const counting = { table, column, counted, statements: makeStatements(catalog, dialect) }
  const empty = counted.kind === 'latest' ? null : 0
  for (let after: Scalar | undefined; ; ) {
    const last = await database.transaction(async () => {
      const rows = await nextRows(database, { table }, after)
      if (rows.length === 0) return undefined
      const counts = await countsOf(
        database,
        counting,
        rows.map(({ id }) => id),
      )
      const cells = rows.map(({ id, version }) => {
        const value = counts.get(id) ?? empty
        return { id, version, values: [value === null ? null : dialect.encode(column.type, value)] }
      })
      await database.update(table, [column], cells)
      return rows.at(-1)?.id
    })
    if (last === undefined) return
    after = last
    await database.breathe()
  }
}
