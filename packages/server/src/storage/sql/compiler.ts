/**
 * Compiles each statement shape once, and fills in the values. Requests of the same shape differ
 * only in their values. So the SQL is cached under the shape's name, and the driver keeps it
 * prepared.
 */
import type { CompiledQuery } from 'kysely'
import { boundedCache } from '../../base/bounded-cache.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { describe } from './compile-condition.ts'
import type { Dialect } from './dialect.ts'
import { type CompileContext, type ParameterSlot, StatementShape } from './shape.ts'

/** SQL and its values. The same `sql` text is the same prepared statement. */
export type Statement = { readonly sql: string; readonly parameters: unknown[] }

type SqlTemplate = { readonly sql: string; readonly slots: readonly number[] }

/**
 * The limit of cached shapes. A shape consists of declared names only; this many cover a service,
 * and an attacker can only evict some.
 */
const templatesMax = 2000

export type Compiler = {
  readonly dialect: Dialect
  /** A shape that begins with the condition on the rows. */
  shapeOf(kind: string, resource: Resource, where: Condition): StatementShape
  /** Adds another condition, which is compiled after those before it. */
  addTest(shape: StatementShape, resource: Resource, test: Condition): void
  fill(shape: StatementShape, compile: (compiling: CompileContext) => CompiledQuery): Statement
}

export function makeCompiler(catalog: Catalog, dialect: Dialect): Compiler {
  const templates = boundedCache<string, SqlTemplate>({ entriesMax: templatesMax })
  return {
    dialect,
    shapeOf(kind, resource, where) {
      const shape = new StatementShape()
      shape.resources.push(resource)
      shape.key = `${kind} ${resource.name} `
      describe({ catalog, dialect, shape }, resource, where)
      return shape
    },
    addTest(shape, resource, test) {
      describe({ catalog, dialect, shape }, resource, test)
    },
    fill(shape, compile) {
      let template = templates.get(shape.key)
      if (!template) {
        const query = compile({ catalog, dialect, slots: 0 })
        template = { sql: query.sql, slots: query.parameters.map((parameter) => (parameter as ParameterSlot).index) }
        templates.set(shape.key, template)
      }
      const { slots } = template
      const parameters = new Array<unknown>(slots.length)
      for (let i = 0; i < slots.length; i += 1) parameters[i] = shape.values[slots[i] as number]
      return { sql: template.sql, parameters }
    },
  }
}
