/**
 * Operations → SQL, compiled once per shape. Requests of the same shape differ only in their values, so the compiled text is cached under
 * the shape's name and the driver keeps it prepared.
 */

import { type CompiledQuery, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { columnOf, versionColumn } from '../model/model.ts'
import type { ListRequest } from '../storage.ts'
import { type Compiling, compileCondition, describe, Shape, Slot } from './compile-condition.ts'
import type { Builder, Dialect, Lock } from './dialect.ts'
import { afterCursor } from './keyset.ts'
import type { Columns } from './row.ts'

/** SQL and its values. The same `sql` text is the same prepared statement. */
export type Statement = { readonly sql: string; readonly parameters: unknown[] }
/** The same for the same statement with the same values: cached results are stored under this key. */
export function keyOf({ sql, parameters }: Statement): string {
  return `${sql} ${JSON.stringify(parameters)}`
}

type Template = { readonly sql: string; readonly slots: readonly number[] }

/** Shapes that are cached. A shape is made of declared names only; this many cover a service, and an attacker can only evict some. */
const templatesMax = 2000

export type Statements = {
  find(resource: Resource, where: Condition, options?: { test?: Condition | undefined; lock?: Lock }): Statement
  list(resource: Resource, request: ListRequest, options?: { lock?: Lock }): Statement
  /** With the resources that it reads. */
  count(resource: Resource, where: Condition): Statement & { readonly resources: readonly Resource[] }
  /** insert, update and remove return the id and the version of each row that they wrote. */
  insert(resource: Resource, columns: readonly string[], rows: readonly (readonly unknown[])[]): Statement
  insertOne(resource: Resource, columns: readonly string[], row: readonly unknown[]): Statement
  update(resource: Resource, where: Condition, set: Columns): Statement
  remove(resource: Resource, where: Condition): Statement
  /** Writes derived columns of one row: its version stays, and the change log does not note it. */
  refill(resource: Resource, id: unknown, columns: ReadonlyMap<string, unknown>): Statement
}

/** What compiles a statement when its shape is new, and fills it. */
type Compiler = {
  readonly dialect: Dialect
  /** A shape that begins with the condition that says which rows are meant. */
  shapeOf(kind: string, resource: Resource, where: Condition): Shape
  addTest(shape: Shape, resource: Resource, test: Condition): void
  fill(shape: Shape, compile: (compiling: Compiling) => CompiledQuery): Statement
}

function makeCompiler(catalog: Catalog, dialect: Dialect): Compiler {
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

function readStatements({ dialect, shapeOf, addTest, fill }: Compiler): Pick<Statements, 'find' | 'list' | 'count'> {
  const db: Builder = dialect.builder

  function selection(resource: Resource) {
    const names = [...resource.storedNames.map(columnOf), versionColumn]
    return db.selectFrom(resource.table).select(names.map((name) => `${resource.table}.${name}`))
  }

  /** Locks the rows that the query reads until the transaction ends. */
  function locked<Q extends ReturnType<typeof selection>>(query: Q, lock: Lock | undefined): Q {
    const clause = lock && dialect.lockClause[lock]
    return clause ? (query.modifyEnd(clause) as Q) : query
  }

  return {
    find(resource, where, { test, lock } = {}) {
      const shape = shapeOf('find', resource, where)
      shape.key += ` ${lock} test `
      if (test) addTest(shape, resource, test)
      return fill(shape, (compiling) => {
        const query = locked(selection(resource).where(compileCondition(resource, where, compiling)), lock)
        if (!test) return query.limit(sql.lit(1)).compile()
        const passes = sql`case when ${compileCondition(resource, test, compiling)} then 1 else 0 end`
        return query.select(passes.as('passes')).limit(sql.lit(1)).compile()
      })
    },

    list(resource, { where, sort, limit, offset = 0, after }, { lock } = {}) {
      const whole = after ? all(where, afterCursor(resource, sort, after)) : where
      const shape = shapeOf('list', resource, whole)
      shape.key += ` ${lock} by ${sort.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()}`
      shape.add(limit)
      shape.add(offset)
      return fill(shape, (compiling) => {
        let query = locked(selection(resource).where(compileCondition(resource, whole, compiling)), lock)
        for (const { field, descending } of sort) {
          const column = `${resource.table}.${columnOf(field)}`
          query = query.orderBy(column, (ob) => {
            const ordered = descending ? ob.desc() : ob.asc()
            if (dialect.nullsAreSmallest || !resource.fields[field]?.nullable) return ordered
            return descending ? ordered.nullsLast() : ordered.nullsFirst()
          })
        }
        const rows = new Slot(compiling.slots++)
        const skip = new Slot(compiling.slots++)
        return query.limit(sql<number>`${rows}`).offset(sql<number>`${skip}`).compile()
      })
    },

    count(resource, where) {
      const shape = shapeOf('count', resource, where)
      const statement = fill(shape, (compiling) =>
        db
          .selectFrom(resource.table)
          .select((eb) => eb.fn.countAll().as('count'))
          .where(compileCondition(resource, where, compiling))
          .compile(),
      )
      return { ...statement, resources: shape.resources }
    },
  }
}

type Insertion = { readonly rows: readonly (readonly unknown[])[]; readonly orFail: boolean }

function writeStatements({ dialect, shapeOf, fill }: Compiler): Omit<Statements, 'find' | 'list' | 'count'> {
  const db: Builder = dialect.builder
  const written = (resource: Resource) => [columnOf(resource.idField), versionColumn]

  function insertion(resource: Resource, columns: readonly string[], { rows, orFail }: Insertion): Statement {
    const shape = new Shape()
    shape.key = `insert ${rows.length} ${orFail} ${resource.name} ${columns.join()}`
    for (const row of rows) for (const value of row) shape.add(value)
    return fill(shape, (compiling) => {
      const slotsOf = () => Object.fromEntries(columns.map((column) => [column, new Slot(compiling.slots++)]))
      const query = db.insertInto(resource.table).values(rows.map(slotsOf)).returning(written(resource))
      return (orFail ? query.orFail() : query).compile()
    })
  }

  return {
    insert: (resource, columns, rows) => insertion(resource, columns, { rows, orFail: false }),
    insertOne: (resource, columns, row) =>
      insertion(resource, columns, { rows: [row], orFail: dialect.insertsOneOrFails === true }),

    update(resource, where, { columns, values }) {
      const shape = shapeOf('update', resource, where)
      shape.key += ` set ${columns.join()}`
      for (const value of values) shape.add(value)
      return fill(shape, (compiling) => {
        const condition = compileCondition(resource, where, compiling)
        const entries = columns.map((column) => [column, new Slot(compiling.slots++)])
        const set = { ...Object.fromEntries(entries), [versionColumn]: sql`${sql.ref(versionColumn)} + 1` }
        return db.updateTable(resource.table).set(set).where(condition).returning(written(resource)).compile()
      })
    },

    refill(resource, id, columns) {
      const shape = new Shape()
      shape.key = `refill ${resource.name} ${[...columns.keys()].join()}`
      for (const value of [...columns.values(), id]) shape.add(value)
      return fill(shape, (compiling) => {
        const set = Object.fromEntries([...columns.keys()].map((column) => [column, new Slot(compiling.slots++)]))
        const idSlot = new Slot(compiling.slots++)
        return db.updateTable(resource.table).set(set).where(columnOf(resource.idField), '=', idSlot).compile()
      })
    },

    remove(resource, where) {
      return fill(shapeOf('delete', resource, where), (compiling) =>
        db
          .deleteFrom(resource.table)
          .where(compileCondition(resource, where, compiling))
          .returning(written(resource))
          .compile(),
      )
    },
  }
}

export function makeStatements(catalog: Catalog, dialect: Dialect): Statements {
  const compiler = makeCompiler(catalog, dialect)
  return { ...readStatements(compiler), ...writeStatements(compiler) }
}
