/**
 * Columns behind references, by outer joins: one for each reference on the way, with the records
 * that the reader may see. Any other record counts as none, so its columns are null.
 */
import type { RawBuilder } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import { type FieldKey, resourcesBehind } from '../../resource/relations/far-field.ts'
import { columnOf } from '../model/model.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler } from './compiler.ts'
import { sql } from './kysely.ts'
import type { RowQuery } from './select-rows.ts'
import type { CompileContext, StatementShape } from './shape.ts'

/** Adds the paths of these keys to the shape, and their conditions. */
export function describeFar(
  { addTest }: Compiler,
  shape: StatementShape,
  { resource, keys }: { readonly resource: Resource; readonly keys: readonly FieldKey[] },
): void {
  for (const { far } of keys) {
    if (!far) continue
    for (const [i, target] of resourcesBehind(resource, far).entries()) {
      const { by, where } = far.through[i] as (typeof far.through)[number]
      shape.resources.push(target)
      shape.key += ` via ${by} ${target.name}(`
      addTest(shape, target, where)
      shape.key += ')'
    }
    shape.key += `.${far.field}`
  }
}

const farTable = (key: number, step: number) => `far_${key}_${step}`
const farId = 'id'
const farValue = 'value'

/**
 * Joins the records on the way to each key. A table is joined as a query of its own, under a name
 * of its own: it may be the table of the list.
 */
export function joinFar(
  query: RowQuery,
  { resource, keys }: { readonly resource: Resource; readonly keys: readonly FieldKey[] },
  compiling: CompileContext,
): RowQuery {
  let joined = query
  for (const [key, { far }] of keys.entries()) {
    if (!far) continue
    const targets = resourcesBehind(resource, far)
    let from = `${resource.table}.${columnOf(far.through[0]?.by ?? '')}`
    for (const [step, target] of targets.entries()) {
      const { where } = far.through[step] as (typeof far.through)[number]
      const next = far.through[step + 1]?.by ?? far.field
      const ref = (name: string) => sql.ref(`${target.table}.${columnOf(name)}`)
      const condition = compileCondition(target, where, compiling)
      const records = sql`(select ${ref(target.idField)} as ${sql.id(farId)}, ${ref(next)} as ${sql.id(farValue)} from ${sql.table(target.table)} where ${condition})`
      const name = farTable(key, step)
      const named = from
      joined = joined.leftJoin(records.as(name), (join) => join.onRef(`${name}.${farId}`, '=', named)) as RowQuery
      from = `${name}.${farValue}`
    }
  }
  return joined
}

/** The column of the key with this index among the keys that were joined. */
export function farColumn({ far }: FieldKey, key: number): RawBuilder<unknown> {
  return sql.ref(`${farTable(key, (far?.through.length ?? 1) - 1)}.${farValue}`)
}
