/**
 * Compiles conditions on branches of a tree to one recursive query, the same for each database. It
 * walks from one record down or up, through records that satisfy a condition, to a fixed level.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { columnOf } from '../model/model.ts'
import { sql } from './kysely.ts'
import { type CompileContext, nextSlot, type ShapeBuilder } from './shape.ts'

export type WithinCondition = Condition & { readonly kind: 'within' }

/** The values, in the order of their slots. The condition stands twice in the statement. */
export function describeTree(
  describing: ShapeBuilder,
  { field, tree: name, by, of, way, from, to, where }: WithinCondition,
  describe: (describing: ShapeBuilder, resource: Resource, condition: Condition) => void,
): void {
  const { catalog, dialect, shape } = describing
  const tree = catalog.get(name)
  const describeWhere = () => describe(describing, tree, where)
  const { type } = tree.fields[tree.idField] as Resource['fields'][string]
  shape.resources.push(tree)
  shape.key += `${field} ${way} ${tree.name}.${by}(`
  shape.add(dialect.encode(type.column, of))
  describeWhere()
  shape.key += ','
  shape.add(to)
  describeWhere()
  shape.key += ')'
  shape.add(from)
}

type Compiled = {
  readonly tree: Resource
  readonly own: RawBuilder<unknown>
  readonly compiling: CompileContext
  compileWhere(): RawBuilder<SqlBool>
}

/** Records of the level 0 are where the walk begins; `below` begins with those of the level 1. */
export function compileTree(
  { by, way }: Pick<WithinCondition, 'by' | 'way'>,
  { tree, own, compiling, compileWhere }: Compiled,
): RawBuilder<SqlBool> {
  const table = sql.table(tree.table)
  const id = sql.ref(`${tree.table}.${columnOf(tree.idField)}`)
  const above = sql.ref(`${tree.table}.${columnOf(by)}`)
  const [begins, level] = way === 'below' ? [above, sql`1`] : [id, sql`0`]
  const first = sql`select ${id}, ${above}, ${level} from ${table} where ${begins} = ${nextSlot(compiling)} and ${compileWhere()}`
  const follows = way === 'up' ? sql`${id} = walk.above` : sql`${above} = walk.id`
  // The order of a cross join is kept by SQLite, whose planner could read the whole table first.
  const next = sql`select ${id}, ${above}, walk.level + 1 from walk cross join ${table} where ${follows} and walk.level < ${nextSlot(compiling)} and ${compileWhere()}`
  const walk = sql`with recursive walk (id, above, level) as (${first} union all ${next})`
  return sql<SqlBool>`${own} in (${walk} select walk.id from walk where walk.level >= ${nextSlot(compiling)})`
}
