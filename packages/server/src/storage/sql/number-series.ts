/**
 * The table of the numbers that the engine counts (`autoNumber`), the same in every database: one
 * row for each series. A statement that takes numbers locks the row until its transaction ends. So
 * a rollback gives them back, and no two transactions take the same ones.
 */
import type { Field } from '../../resource/fields/field.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import type { MigrationStep } from '../migrate/steps.ts'
import { columnOf, type SchemaModel } from '../model/model.ts'
import type { NumberSeries } from '../storage.ts'
import { textLiteral } from './ddl-words.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'
import type { Statement } from './statements.ts'

export const numbersTable = 'bindery_numbers'

/** The names of a table and a column have no space and no dot. */
function seriesOf({ resource, field, base, tenant }: NumberSeries): string {
  return `${resource.table}.${columnOf(field)} ${base} ${tenant ?? ''}`
}

/**
 * Takes `by` numbers, and returns the last one. A series without a row begins behind the highest
 * stored number, and no series ever falls behind that.
 */
export function takeNumbersStatement(
  { builder }: Pick<Dialect, 'builder'>,
  series: NumberSeries,
  by: number,
): Statement {
  const { resource, field, base, tenant } = series
  const { size } = (resource.fields[field] as Field).type.series as NonNullable<Field['type']['series']>
  const column = sql.ref(columnOf(field))
  const own = tenant === null ? undefined : ownTenantField(resource)
  const within = own === undefined ? sql`` : sql` and ${sql.ref(columnOf(own))} = ${tenant}`
  const highest = sql`select max(${column}) from ${sql.table(resource.table)} where ${column} > ${base} and ${column} < ${base + size}${within}`
  const statement = sql`insert into ${sql.table(numbersTable)} as n (series, taken)
    values (${seriesOf(series)}, coalesce((${highest}), ${base}) + ${by})
    on conflict (series) do update set taken = case when n.taken + ${by} < excluded.taken then excluded.taken else n.taken + ${by} end
    returning taken`.compile(builder)
  return { sql: statement.sql, parameters: [...statement.parameters] }
}

/** The condition of the series of a table (`invoices.`), or of one of its columns. */
function begins(place: string): string {
  return `substr(series, 1, ${place.length}) = ${textLiteral(place)}`
}

function renamed(from: string, to: string): string {
  const rest = `substr(series, ${from.length + 1})`
  return `UPDATE ${numbersTable} SET series = ${textLiteral(to)} || ${rest} WHERE ${begins(from)}`
}

/** The statements by which the series follow a step that renames or drops what they count. */
export function seriesSql(step: MigrationStep, { tables }: SchemaModel): string[] {
  const columnsOf = (table: string, column?: string) => {
    const columns = tables.find(({ name }) => name === table)?.columns ?? []
    return columns.filter(({ name, means }) => means?.numbers && (column === undefined || name === column))
  }
  switch (step.kind) {
    case 'rename-table':
      return columnsOf(step.from.name).length === 0 ? [] : [renamed(`${step.from.name}.`, `${step.table.name}.`)]
    case 'rename-column':
      return columnsOf(step.table, step.column).map(({ name }) =>
        renamed(`${step.table}.${name} `, `${step.table}.${step.to} `),
      )
    case 'drop-table':
    case 'drop-column':
      return columnsOf(step.table, step.kind === 'drop-column' ? step.column : undefined).map(
        ({ name }) => `DELETE FROM ${numbersTable} WHERE ${begins(`${step.table}.${name} `)}`,
      )
    default:
      return []
  }
}
