/**
 * Compiles conditions on members of JSON values. Equal scalars have equal JSON texts, since values
 * are stored in a canonical form. The order of two is that of their texts or numbers.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { columnOf } from '../model/model.ts'
import { sql } from './kysely.ts'
import { type CompileContext, nextSlot, type ShapeBuilder } from './shape.ts'

type MemberCondition = Condition & { readonly kind: 'member' }

const comparisons = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

export function describeMember({ dialect, shape }: ShapeBuilder, condition: MemberCondition): void {
  const { field, path, operator, value } = condition
  const bound = dialect.encodePath(path)
  shape.key += `${field} member ${bound.length} ${operator} ${operator === 'eq' ? '' : typeof value}`
  for (const one of bound) shape.add(one)
  if (operator !== 'has') shape.add(operator === 'eq' ? JSON.stringify(value) : value)
}

export function compileMember(
  { table }: Resource,
  { field, path, operator, value }: MemberCondition,
  compiling: CompileContext,
): RawBuilder<SqlBool> {
  const { dialect } = compiling
  const slots = dialect.encodePath(path).map(() => nextSlot(compiling))
  const column = sql.ref(`${table}.${columnOf(field)}`)
  if (operator === 'has') return sql<SqlBool>`${dialect.member(column, slots)} is not null`
  const bound = nextSlot(compiling)
  if (operator === 'eq') return sql<SqlBool>`${dialect.member(column, slots)} = ${bound}`
  const own = typeof value === 'number' ? dialect.memberNumber(column, slots) : dialect.memberText(column, slots)
  return sql<SqlBool>`${own} ${comparisons[operator]} ${bound}`
}
