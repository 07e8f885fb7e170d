/**
 * Compiles operations to SQL, once per shape. Requests of the same shape differ only in their
 * values. So the SQL is cached under the shape's name, and the driver keeps it prepared.
 */
import type { Catalog, Resource, SortKey } from '../../resource/catalog.ts'
import { all, type Condition } from '../../resource/condition.ts'
import { hasFarKey } from '../../resource/relations/far-field.ts'
import { columnOf, modelOf, versionColumn } from '../model/model.ts'
import type { EachRequest, ListRequest, TestRequest } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import { type Compiler, makeCompiler, type Statement } from './compiler.ts'
import type { Dialect, RowLock, SqlBuilder } from './dialect.ts'
import { listFarSorted } from './far-sorted.ts'
import { afterCursor } from './keyset.ts'
import { sql } from './kysely.ts'
import { listEach } from './list-each.ts'
import { countMerged, findMergedScan, listMerged, mergedLimitMax } from './merged-scan.ts'
import type { ColumnValues } from './row.ts'
import {
  asksTexts,
  candidatesByIndex,
  countByIndex,
  findRowOrderScan,
  isByNumber,
  listByRow,
  type RowOrderScan,
} from './row-order-scan.ts'
import { type ScanStatements, walkStatements } from './scan-statements.ts'
import { inOrder, type RowQuery, selection, sourceOf } from './select-rows.ts'
import { ParameterSlot, StatementShape } from './shape.ts'
import { type SummaryStatements, summaryStatements } from './summary-statement.ts'
import { testEach } from './test-each.ts'

export type { Statement } from './compiler.ts'

export type ListOptions = {
  readonly lock?: RowLock | undefined
  /** The name of the index to walk, where the caller knows better than the database. */
  readonly index?: string | undefined
  /**
   * Reads a page of search results by row numbers, which follow the sort; all keys have one
   * direction. It has no effect without a usable text index.
   */
  readonly byRowOrder?: boolean
  /** By one plain query of its table, which the database plans. */
  readonly plainly?: boolean
  /**
   * Uses no text index, and compares the texts of each row in the list: for words that most rows
   * have.
   */
  readonly comparesTexts?: boolean
}

export type Statements = ScanStatements & {
  find(resource: Resource, where: Condition, options?: { test?: Condition | undefined; lock?: RowLock }): Statement
  list(resource: Resource, request: ListRequest, options?: ListOptions): Statement
  listEach(resource: Resource, request: EachRequest): Statement
  testEach(resource: Resource, request: TestRequest): Statement
  /** With the resources that it reads. */
  count(
    resource: Resource,
    where: Condition,
    options?: Pick<ListOptions, 'index'>,
  ): Statement & { readonly resources: readonly Resource[] }
  summary: SummaryStatements['summary']
  /** The number of rows that a text index finds, up to a limit. */
  candidates(resource: Resource, walk: RowOrderScan, limit: number): Statement
  /**
   * insert, update and remove return the id and the version of each row that they wrote. An insert
   * also returns the columns that the dialect adds.
   */
  insert(resource: Resource, columns: readonly string[], rows: readonly (readonly unknown[])[]): Statement
  insertOne(resource: Resource, columns: readonly string[], row: readonly unknown[]): Statement
  update(resource: Resource, where: Condition, set: ColumnValues): Statement
  /** Adds to columns, and sets others, without a new version. */
  adjust(
    resource: Resource,
    where: Condition,
    changes: { readonly added: ColumnValues; readonly written: ColumnValues },
  ): Statement
  remove(resource: Resource, where: Condition): Statement
}

/** Locks the rows that the query reads until the transaction ends. */
function locked(query: RowQuery, dialect: Dialect, lock: RowLock | undefined): RowQuery {
  const clause = lock && dialect.lockClause[lock]
  return clause ? query.modifyEnd(clause) : query
}

function findStatement({ dialect, shapeOf, addTest, fill }: Compiler): Pick<Statements, 'find'> {
  return {
    find(resource, where, { test, lock } = {}) {
      const shape = shapeOf('find', resource, where)
      shape.key += ` ${lock} test `
      if (test) addTest(shape, resource, test)
      return fill(shape, (compiling) => {
        const rows = selection(dialect, resource).where(compileCondition(resource, where, compiling))
        const query = locked(rows, dialect, lock)
        if (!test) return query.limit(sql.lit(1)).compile()
        const passes = sql`case when ${compileCondition(resource, test, compiling)} then 1 else 0 end`
        return query.select(passes.as('passes')).limit(sql.lit(1)).compile()
      })
    },
  }
}

/** Rows in the order of the sort by one plain query, which the database plans. */
function listPlainly(
  { dialect, shapeOf, fill }: Compiler,
  resource: Resource,
  { where, sort, limit, offset = 0, lock, index }: ListRequest & Pick<ListOptions, 'lock' | 'index'>,
): Statement {
  const shape = shapeOf('list', resource, where)
  shape.key += ` ${lock} ${index} by ${sort.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()}`
  shape.add(limit)
  shape.add(offset)
  return fill(shape, (compiling) => {
    const query = locked(
      selection(dialect, resource, index).where(compileCondition(resource, where, compiling)),
      dialect,
      lock,
    )
    const nameOf = (column: string) => `${resource.table}.${column}`
    const rows = new ParameterSlot(compiling.slots++)
    const skip = new ParameterSlot(compiling.slots++)
    return inOrder(dialect, query, { resource, sort, nameOf })
      .limit(dialect.limit(rows))
      .offset(sql<number>`${skip}`)
      .compile()
  })
}

function listStatements(catalog: Catalog, dialect: Dialect): Pick<Statements, 'list' | 'count' | 'candidates'> {
  const asking = makeCompiler(catalog, dialect)
  const comparing = makeCompiler(catalog, { ...dialect, findWords: () => undefined, findPart: () => undefined })
  const indexes = new Map(modelOf(catalog).tables.map((table) => [table.name, table.indexes]))
  const mergeOf = (resource: Resource, where: Condition, sort: readonly SortKey[]) =>
    findMergedScan(indexes.get(resource.table) ?? [], resource, { where, sort })

  return {
    list(resource, request, { lock, index, byRowOrder = false, comparesTexts = false, plainly = false } = {}) {
      const { where, sort, after, limit, offset = 0 } = request
      const compiler = comparesTexts ? comparing : asking
      if (hasFarKey(sort)) return listFarSorted(compiler, resource, request)
      const whole = after ? all(where, afterCursor(resource, sort, after)) : where
      if (lock || plainly || index !== undefined)
        return listPlainly(compiler, resource, { ...request, where: whole, lock, index })
      const walk = findRowOrderScan(compiler.dialect, resource, where)
      if (walk && (byRowOrder || isByNumber(resource, sort))) return listByRow(compiler, resource, { ...walk, request })
      const isMerged = sort.length > 0 && limit <= mergedLimitMax && !asksTexts(compiler.dialect, resource, where)
      const merge = isMerged ? mergeOf(resource, whole, sort) : undefined
      if (!merge) return listPlainly(compiler, resource, { ...request, where: whole })
      if (merge.branches.length > 1) return listMerged(compiler, resource, { merge, sort, limit, offset })
      return listPlainly(compiler, resource, { ...request, where: all(...merge.branches, merge.rest) })
    },

    candidates: (resource, walk, limit) => candidatesByIndex(asking, resource, { walk, limit }),

    count(resource, where, { index } = {}) {
      const walk = index === undefined ? findRowOrderScan(dialect, resource, where) : undefined
      const byIndex = walk && countByIndex(asking, resource, walk)
      if (byIndex) return { ...byIndex, resources: [resource] }
      const isMerged = index === undefined && !asksTexts(dialect, resource, where)
      const merge = isMerged ? mergeOf(resource, where, []) : undefined
      if (merge && merge.branches.length > 1 && !merge.areApart) return countMerged(asking, resource, merge)
      const shape = asking.shapeOf(`count ${index}`, resource, where)
      const statement = asking.fill(shape, (compiling) =>
        dialect.builder
          .selectFrom(sourceOf(dialect, resource, index))
          .select((eb) => eb.fn.countAll().as('count'))
          .where(compileCondition(resource, where, compiling))
          .compile(),
      )
      return { ...statement, resources: shape.resources }
    },
  }
}

type Insertion = { readonly rows: readonly (readonly unknown[])[]; readonly orFail: boolean }

function writeStatements({
  dialect,
  shapeOf,
  fill,
}: Compiler): Pick<Statements, 'insert' | 'insertOne' | 'update' | 'adjust' | 'remove'> {
  const db: SqlBuilder = dialect.builder
  const written = (resource: Resource) => [columnOf(resource.idField), versionColumn]
  const inserted = (resource: Resource) => [...written(resource), ...(dialect.alsoReturned?.(resource) ?? [])]

  function insertion(resource: Resource, columns: readonly string[], { rows, orFail }: Insertion): Statement {
    const shape = new StatementShape()
    shape.key = `insert ${rows.length} ${orFail} ${resource.name} ${columns.join()}`
    for (const row of rows) for (const value of row) shape.add(value)
    return fill(shape, (compiling) => {
      const slotsOf = () => Object.fromEntries(columns.map((column) => [column, new ParameterSlot(compiling.slots++)]))
      const query = db.insertInto(resource.table).values(rows.map(slotsOf)).returning(inserted(resource))
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
        const entries = columns.map((column) => [column, new ParameterSlot(compiling.slots++)])
        const set = { ...Object.fromEntries(entries), [versionColumn]: sql`${sql.ref(versionColumn)} + 1` }
        return db.updateTable(resource.table).set(set).where(condition).returning(written(resource)).compile()
      })
    },

    adjust(resource, where, { added, written: { columns, values } }) {
      const shape = shapeOf('adjust', resource, where)
      shape.key += ` add ${added.columns.join()} set ${columns.join()}`
      for (const value of [...added.values, ...values]) shape.add(value)
      return fill(shape, (compiling) => {
        const condition = compileCondition(resource, where, compiling)
        const slot = () => new ParameterSlot(compiling.slots++)
        const sums = added.columns.map((column) => [column, sql`${sql.ref(column)} + ${slot()}`] as const)
        const set = { ...Object.fromEntries(sums), ...Object.fromEntries(columns.map((column) => [column, slot()])) }
        return db.updateTable(resource.table).set(set).where(condition).returning(written(resource)).compile()
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
  return {
    ...findStatement(compiler),
    ...listStatements(catalog, dialect),
    listEach: (resource, request) => listEach(compiler, resource, request),
    testEach: (resource, request) => testEach(compiler, resource, request),
    ...walkStatements(compiler),
    ...summaryStatements(compiler),
    ...writeStatements(compiler),
  }
}
