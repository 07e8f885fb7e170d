/**
 * Decides in one statement which conditions each of several records satisfies: `select id, version,
 * case when … then 1 else 0 end, … where id in (…)`.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import type { ColumnType } from '../../resource/fields/field.ts'
import { columnOf, versionColumn } from '../model/model.ts'
import type { TestedRow, TestRequest } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'

export function testEach(compiler: Compiler, resource: Resource, { ids, tests }: TestRequest): Statement {
  const { dialect } = compiler
  const among: Condition = { kind: 'in', field: resource.idField, values: ids }
  const shape = compiler.shapeOf('test', resource, among)
  for (const test of tests) {
    shape.key += ' test '
    compiler.addTest(shape, resource, test)
  }
  return compiler.fill(shape, (compiling) => {
    const where = compileCondition(resource, among, compiling)
    const passes = tests.map((test, i) => {
      const condition = compileCondition(resource, test, compiling)
      return sql`case when ${condition} then 1 else 0 end`.as(`passes_${i}`)
    })
    const told = [columnOf(resource.idField), versionColumn].map((column) => `${resource.table}.${column}`)
    return dialect.builder.selectFrom(resource.table).select(told).select(passes).where(where).compile()
  })
}

export function testedReader(dialect: Dialect, resource: Resource): (cells: readonly unknown[]) => TestedRow {
  const decode = dialect.decode[resource.fields[resource.idField]?.type.column as ColumnType]
  return ([id, version, ...passes]) => ({
    id: (decode ? decode(id) : id) as Scalar,
    version: version as number,
    passes: passes.map((one) => one === 1),
  })
}
