/**
 * Groups records and sums their values, in one statement. Sums come in two halves, so that no
 * database's integers overflow.
 */
import type { RawBuilder } from 'kysely'
import { jsonText } from '../../base/json-text.ts'
import type { TimeUnit } from '../../operation/measures.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { earlierWords, presentWord } from '../../resource/fields/field-facts.ts'
import { fieldOfKey } from '../../resource/relations/far-field.ts'
import { columnOf } from '../model/model.ts'
import type { SummaryRequest, SummaryRow } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import type { Dialect } from './dialect.ts'
import { describeFar, farColumn, joinFar } from './far-columns.ts'
import { sql } from './kysely.ts'
import { readable } from './select-rows.ts'
import { weekName } from './time-part.ts'
import { describeOffsets, offsetOf, offsetSlots } from './zone-slots.ts'

/** The quotient and the remainder by this number are the two halves. */
const half = 1_000_000

function sumOf(cells: readonly [high: unknown, low: unknown]): bigint {
  const [high, low] = cells.map((cell) => BigInt((cell as string | null) ?? 0)) as [bigint, bigint]
  return high * BigInt(half) + low
}

export type SummaryStatements = { summary(resource: Resource, request: SummaryRequest): Statement }

export function summaryStatements(compiler: Compiler): SummaryStatements {
  const { dialect, shapeOf, fill } = compiler
  return {
    summary(resource, { where, groups, sums, ends, limit, offsets }) {
      const shape = shapeOf('summary', resource, where)
      const names = groups.map(({ field, unit }) => `${field}.${unit}`)
      describeFar(compiler, shape, { resource, keys: groups })
      if (offsets) describeOffsets(dialect, shape, offsets)
      shape.key += ` by ${names.join()} sums ${sums.join()} ends ${ends.join()} limit ${limit}`
      const columnFor = (field: string) => sql.ref(`${resource.table}.${columnOf(field)}`)
      const shown = (field: string, value: RawBuilder<unknown> = sql`${columnFor(field)}`) =>
        readable(resource.fields[field]?.type.column, value)
      return fill(shape, (compiling) => {
        const condition = compileCondition(resource, where, compiling)
        const rows = joinFar(dialect.builder.selectFrom(resource.table), { resource, keys: groups }, compiling)
        const slots = offsets && offsetSlots(compiling, offsets)
        const grouped = (group: SummaryRequest['groups'][number], i: number) => {
          const { field, unit, far } = group
          const { inTime, column: type } = fieldOfKey(resource, group).type
          const [column, kind] = [far ? farColumn(group, i) : columnFor(field), inTime?.kind ?? 'moment']
          const offset = slots && kind === 'moment' ? offsetOf(column, slots) : undefined
          return unit ? dialect.timePart(column, { kind, unit, offset }) : readable(type, sql`${column}`)
        }
        const selected = [
          ...groups.map(grouped),
          sql`count(*)`,
          ...sums.flatMap((field) => {
            const column = columnFor(field)
            return [
              sql`cast(sum(${column} / ${sql.lit(half)}) as text)`,
              sql`cast(sum(${column} % ${sql.lit(half)}) as text)`,
              sql`count(${column})`,
            ]
          }),
          ...ends.flatMap((field) =>
            ['min', 'max'].map((end) => shown(field, sql`${sql.raw(end)}(${columnFor(field)})`)),
          ),
        ]
        const query = rows.select(selected.map((expression, i) => expression.as(`c${i}`))).where(condition)
        const all = groups.length === 0 ? query : query.groupBy(groups.map((_, i) => sql.lit(i + 1)))
        return all.limit(sql.lit(limit)).compile()
      })
    },
  }
}

type ValueBounds = { readonly least: unknown; readonly most: unknown }

/** The least or greatest of two values; null counts as absent. */
function extreme(a: unknown, b: unknown, sign: 1 | -1): unknown {
  if (a === null || b === null) return a ?? b
  const isLess = (a as number) < (b as number)
  return isLess === (sign === 1) ? a : b
}

function joined(a: SummaryRow, b: SummaryRow): SummaryRow {
  const sums = [...a.sums].map(([field, { sum, values }]) => {
    const other = b.sums.get(field)
    return [field, { sum: sum + (other?.sum ?? 0n), values: values + (other?.values ?? 0) }] as const
  })
  const ends = [...a.ends].map(([field, { least, most }]) => {
    const other = b.ends.get(field) as ValueBounds
    return [field, { least: extreme(least, other.least, 1), most: extreme(most, other.most, -1) }] as const
  })
  return { group: a.group, count: a.count + b.count, sums: new Map(sums), ends: new Map(ends) }
}

/**
 * Converts the driver's arrays to rows. A renamed word counts under its new name, as `row.ts` reads
 * it: an instance of the version before may still write the old one.
 */
export function readSummary(
  dialect: Dialect,
  { resource, request }: { readonly resource: Resource; readonly request: SummaryRequest },
  cells: readonly (readonly unknown[])[],
): SummaryRow[] {
  const rows = cells.map(summaryReader(dialect, resource, request))
  const words = request.groups.map((group) => (group.unit ? {} : earlierWords(fieldOfKey(resource, group))))
  if (words.every((one) => Object.keys(one).length === 0)) return rows
  const byGroup = new Map<string, SummaryRow>()
  for (const row of rows) {
    const group = row.group.map((value, i) => presentWord(words[i] ?? {}, value))
    const key = jsonText(group)
    const before = byGroup.get(key)
    byGroup.set(key, before ? joined(before, row) : { ...row, group })
  }
  return [...byGroup.values()]
}

function groupOf(unit: TimeUnit | undefined, value: unknown): unknown {
  return unit === 'week' && value !== null ? weekName(value as number) : value
}

/** Makes a function from the driver's arrays to rows, in the order of the statement. */
function summaryReader(
  dialect: Dialect,
  resource: Resource,
  { groups, sums, ends }: SummaryRequest,
): (cells: readonly unknown[]) => SummaryRow {
  const decodeAs = ({ type }: Field, cell: unknown) => {
    const decoder = dialect.decode[type.column]
    return decoder && cell !== null ? decoder(cell) : cell
  }
  const decode = (field: string, cell: unknown) => decodeAs(resource.fields[field] as Field, cell)
  const grouped = groups.map((group) => ({ unit: group.unit, field: fieldOfKey(resource, group) }))
  return (cells) => {
    let at = 0
    const next = () => cells[at++]
    return {
      group: grouped.map(({ field, unit }) => groupOf(unit, unit ? next() : decodeAs(field, next()))),
      count: next() as number,
      sums: new Map(sums.map((field) => [field, { sum: sumOf([next(), next()]), values: next() as number }])),
      ends: new Map(ends.map((field) => [field, { least: decode(field, next()), most: decode(field, next()) }])),
    }
  }
}
