/**
 * Compiles a statement when its shape is new, and fills it. Requests of the same shape differ only in their values, so the compiled text is
 * cached under the shape's name and the driver keeps it prepared.
 */
import type { CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { describe } from './compile-condition.ts'
import type { Dialect } from './dialect.ts'
import { type Compiling, Shape, type Slot } from './shape.ts'

/** SQL and its values. The same `sql` text is the same prepared statement. */
export type Statement = { readonly sql: string; readonly parameters: unknown[] }

type Template = { readonly sql: string; readonly slots: readonly number[] }

/** Shapes that are cached. A shape is made of declared names only; this many cover a service, and an attacker can only evict some. */
const templatesMax = 2000

export type Compiler = {
  readonly dialect: Dialect
  /** A shape that begins with the condition that says which rows are meant. */
  shapeOf(kind: string, resource: Resource, where: Condition): Shape
  /** Adds another condition, which is compiled after those before it. */
  addTest(shape: Shape, resource: Resource, test: Condition): void
  fill(shape: Shape, compile: (compiling: Compiling) => CompiledQuery): Statement
}

export function makeCompiler(catalog: Catalog, dialect: Dialect): Compiler {
  const templates = new LRUCache<string, Template>({ max: templatesMax })
  return {
    dialect,
    shapeOf(kind, resource, where) {
      const shape = new Shape()
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
        template = { sql: query.sql, slots: query.parameters.map((parameter) => (parameter as Slot).index) }
        templates.set(shape.key, template)
      }
      const { slots } = template
      const parameters = new Array<unknown>(slots.length)
      for (let i = 0; i < slots.length; i += 1) parameters[i] = shape.values[slots[i] as number]
      return { sql: template.sql, parameters }
    },
  }
}
