/**
 * Statements that scan one index in its order without reading the table: how many entries a range
 * has, and which key is at an offset.
 */
import type { Resource } from '../../resource/catalog.ts'
import { type Condition, never } from '../../resource/condition.ts'
import { columnOf } from '../model/model.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import { sql } from './kysely.ts'
import { ParameterSlot } from './shape.ts'

/** An index by its name, the fields that give its order, and booleans behind them. */
export type ScannedIndex = {
  readonly resource: Resource
  readonly name: string
  readonly fields: readonly string[]
  readonly flags: readonly string[]
}

export type ScanStatements = {
  /** The number of entries in these ranges, which do not overlap. */
  entries(index: ScannedIndex, ranges: readonly Condition[]): Statement
  /**
   * The number of entries with each pattern of flags among the first `limit`, in one row. The first
   * flag is the lowest bit of a pattern.
   */
  tally(index: ScannedIndex, where: Condition, limit: number): Statement
  /** The keys of the two entries after the first `offset`. */
  keys(index: ScannedIndex, where: Condition, offset: number): Statement
  /**
   * The keys of the entries that the function passes. It gets the row number and the flags of each.
   */
  through(index: ScannedIndex, where: Condition, pass: string): Statement
  /** The key of the last entry. */
  last(index: ScannedIndex, where: Condition): Statement
}

export function walkStatements({ dialect, shapeOf, addTest, fill }: Compiler): ScanStatements {
  const from = ({ resource, name }: ScannedIndex) => dialect.tableBy(resource.table, name)
  const refs = ({ resource }: ScannedIndex, names: readonly string[]) =>
    names.map((name) => sql.ref(`${resource.table}.${columnOf(name)}`))
  const bitsOf = (index: ScannedIndex) => {
    const weighted = refs(index, index.flags).map((flag, i) => sql`${flag} * ${sql.lit(2 ** i)}`)
    return weighted.length === 0 ? sql`0` : sql.join(weighted, sql` + `)
  }

  const rowOf = ({ resource }: ScannedIndex) => sql.ref(`${resource.table}.rowid`)
  const patternsOf = ({ flags }: ScannedIndex) => Array.from({ length: 2 ** flags.length }, (_, bits) => bits)
  // One pass without groups: SQLite would sort for GROUP BY.
  const countOf = (bits: number) => sql`count(*) filter (where bits = ${sql.lit(bits)})`

  return {
    entries(index, [first, ...others]) {
      const shape = shapeOf(`entries ${index.name}`, index.resource, first ?? never)
      for (const range of others) {
        shape.key += ' + '
        addTest(shape, index.resource, range)
      }
      return fill(shape, (compiling) => {
        const counts = [first ?? never, ...others].map((range) => {
          const condition = compileCondition(index.resource, range, compiling)
          return sql`(select count(*) from ${from(index)} where ${condition})`
        })
        return sql`select ${sql.join(counts, sql` + `)}`.compile(dialect.builder)
      })
    },
    tally(index, where, limit) {
      const shape = shapeOf(`tally ${index.name}`, index.resource, where)
      shape.add(limit)
      return fill(shape, (compiling) => {
        const condition = compileCondition(index.resource, where, compiling)
        const most = new ParameterSlot(compiling.slots++)
        const order = sql.join(refs(index, index.fields))
        const entries = sql`select ${bitsOf(index)} as bits from ${from(index)} where ${condition} order by ${order} limit ${dialect.limit(most)}`
        const counts = index.flags.length === 0 ? [sql`count(*)`] : patternsOf(index).map(countOf)
        return sql`select ${sql.join(counts)} from (${entries})`.compile(dialect.builder)
      })
    },
    keys(index, where, offset) {
      const shape = shapeOf(`keys ${index.name}`, index.resource, where)
      shape.add(offset)
      return fill(shape, (compiling) => {
        const condition = compileCondition(index.resource, where, compiling)
        const skip = new ParameterSlot(compiling.slots++)
        const key = sql.join(refs(index, index.fields))
        return sql`select ${key} from ${from(index)} where ${condition} order by ${key} limit 2 offset ${skip}`.compile(
          dialect.builder,
        )
      })
    },
    through(index, where, pass) {
      return fill(shapeOf(`through ${pass} ${index.name}`, index.resource, where), (compiling) => {
        const condition = compileCondition(index.resource, where, compiling)
        const key = sql.join(refs(index, index.fields))
        const names = index.fields.map((_, i) => sql.id(`key_${i}`))
        const keys = sql.join(refs(index, index.fields).map((ref, i) => sql`${ref} as ${names[i]}`))
        // With a limit the entries are read one by one, in order and before the function: it must
        // see no entry outside the condition.
        const entries = sql`select ${keys}, ${rowOf(index)} as row, ${bitsOf(index)} as bits from ${from(index)} where ${condition} order by ${key} limit -1`
        return sql`select ${sql.join(names)} from (${entries}) where ${sql.raw(pass)}(row, bits)`.compile(
          dialect.builder,
        )
      })
    },
    last(index, where) {
      return fill(shapeOf(`last ${index.name}`, index.resource, where), (compiling) => {
        const condition = compileCondition(index.resource, where, compiling)
        const keys = refs(index, index.fields)
        const backwards = sql.join(keys.map((key) => sql`${key} desc`))
        return sql`select ${sql.join(keys)} from ${from(index)} where ${condition} order by ${backwards} limit 1`.compile(
          dialect.builder,
        )
      })
    },
  }
}
