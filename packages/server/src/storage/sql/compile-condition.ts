/**
 * Compiles conditions to SQL, in two passes over the same tree. `describe` runs for every request:
 * it collects the values and builds the shape's name. `compileCondition` runs once per shape: it
 * writes SQL with numbered slots for the values, in the same order. SQL text never contains a
 * request's value.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import { foldName } from '../../base/fold.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { columnOf, foldColumnOf, isFolded } from '../model/model.ts'
import { compileMember, describeMember } from './compile-member.ts'
import { compileTexts, describeTexts } from './compile-texts.ts'
import { compileTree, describeTree } from './compile-tree.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'
import { partsOf } from './scoped-search.ts'
import { type CompileContext, nextSlot, type ShapeBuilder } from './shape.ts'

function fieldOf(resource: Resource, name: string): Field {
  const field = resource.fields[name]
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  return field
}

/** Case-insensitive unique texts are looked up by their folded column. */
export function isCaseless(resource: Resource, name: string): boolean {
  return isFolded(resource, name) && resource.unique.some((key) => key.includes(name))
}

/**
 * Larger than every stored integer (and smaller, negated), and still an integer in every database.
 */
const beyond = 2 ** 54

/**
 * The bound of a comparison with an integer column: a fraction or an out-of-range number becomes
 * the integer that gives the same result.
 */
function integerBound(operator: string, value: number): number {
  if (Number.isInteger(value)) return Math.max(-beyond, Math.min(beyond, value))
  if (operator === 'gt' || operator === 'lte') return integerBound(operator, Math.floor(value))
  if (operator === 'gte' || operator === 'lt') return integerBound(operator, Math.ceil(value))
  return beyond // no stored value equals it
}

type ComparedValue = { readonly operator: string; readonly value: unknown }

function encodeCompared(dialect: Dialect, field: Field, { operator, value }: ComparedValue): unknown {
  const { column } = field.type
  const bound = column === 'integer' && typeof value === 'number' ? integerBound(operator, value) : value
  return dialect.encode(column, bound)
}

type AmongCondition = Condition & { readonly kind: 'in' }

/** SQLite binds a list as JSON, where it reads some fractions as their neighbours. */
const isBoundOneByOne = ({ type }: Field) => type.column === 'float'

/** For the same reason the items of a list of fractions are compared as texts. */
const hasFractions = (resource: Resource, name: string) => fieldOf(resource, name).type.item?.type.column === 'float'

function describeAmong({ dialect, shape }: ShapeBuilder, resource: Resource, { field: name, values }: AmongCondition) {
  const field = fieldOf(resource, name)
  shape.key += `${name} in`
  if (isBoundOneByOne(field)) {
    shape.key += ` ${values.length}`
    for (const value of values) shape.add(value)
    return
  }
  const caseless = isCaseless(resource, name)
  const encoded = values.map((value) =>
    caseless ? foldName(value as string) : encodeCompared(dialect, field, { operator: 'eq', value }),
  )
  shape.add(dialect.encodeList(encoded))
}

function compileAmong(resource: Resource, { field: name, values }: AmongCondition, compiling: CompileContext) {
  const column = `${resource.table}.${isCaseless(resource, name) ? foldColumnOf(name) : columnOf(name)}`
  if (!isBoundOneByOne(fieldOf(resource, name)))
    return sql<SqlBool>`${compiling.dialect.isIn(column, nextSlot(compiling))}`
  if (values.length === 0) return sql<SqlBool>`1 = 0`
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values.map(() => nextSlot(compiling)))})`
}

export function describe(describing: ShapeBuilder, resource: Resource, condition: Condition): void {
  const { catalog, dialect, shape } = describing
  switch (condition.kind) {
    case 'true':
    case 'false':
      shape.key += condition.kind
      return
    case 'and':
    case 'or':
      shape.key += `${condition.kind}(`
      for (const one of condition.kind === 'and' ? partsOf(resource, condition) : condition.of) {
        describe(describing, resource, one)
        shape.key += ','
      }
      shape.key += ')'
      return
    case 'not':
      shape.key += 'not('
      describe(describing, resource, condition.of)
      shape.key += ')'
      return
    case 'compare': {
      const { field, operator, value } = condition
      shape.key += `${field} ${operator}`
      const caseless = isCaseless(resource, field) && (operator === 'eq' || operator === 'ne')
      const compared = () => encodeCompared(dialect, fieldOf(resource, field), condition)
      shape.add(caseless ? foldName(value as string) : compared())
      return
    }
    case 'compareFields':
      shape.key += `${condition.field} ${condition.operator} field ${condition.other}`
      return
    case 'comparePrevious':
      throw new Error('a condition on the record before the write reached storage')
    case 'in':
      describeAmong(describing, resource, condition)
      return
    case 'null':
      shape.key += `${condition.field} ${condition.isNull ? 'null' : 'notnull'}`
      return
    case 'has':
      shape.key += `${condition.field} has ${condition.item === null ? 'any' : 'one'}`
      if (condition.item !== null)
        shape.add(
          hasFractions(resource, condition.field) ? JSON.stringify(condition.item) : dialect.encodeItem(condition.item),
        )
      return
    case 'contains':
    case 'startsWith':
    case 'search':
      describeTexts(describing, resource, condition)
      return
    case 'member':
      describeMember(describing, condition)
      return
    case 'within':
      describeTree(describing, condition, describe)
      return
    case 'related': {
      const target = catalog.get(condition.resource)
      shape.resources.push(target)
      shape.key += `${condition.field} via ${target.name}.${condition.at ?? ''}(`
      describe(describing, target, condition.where)
      shape.key += ')'
    }
  }
}

const comparisons = { eq: sql`=`, ne: sql`<>`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

function joined(parts: readonly RawBuilder<SqlBool>[], separator: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(parts, separator)})`
}

/** The tables of the statements around a condition; its own is the last. */
type ConditionScope = { readonly compiling: CompileContext; readonly tables: readonly string[] }

function compileWithin(resource: Resource, condition: Condition, scope: ConditionScope): RawBuilder<SqlBool> {
  const { compiling } = scope
  const ref = (column: string) => sql.ref(`${resource.table}.${column}`)
  switch (condition.kind) {
    case 'true':
      return sql<SqlBool>`1 = 1`
    case 'false':
      return sql<SqlBool>`1 = 0`
    case 'and':
      return joined(
        partsOf(resource, condition).map((one) => compileWithin(resource, one, scope)),
        sql` and `,
      )
    case 'or':
      return joined(
        condition.of.map((one) => compileWithin(resource, one, scope)),
        sql` or `,
      )
    case 'not':
      return sql<SqlBool>`((${compileWithin(resource, condition.of, scope)}) is not true)`
    case 'compare': {
      const { field, operator } = condition
      const caseless = isCaseless(resource, field) && (operator === 'eq' || operator === 'ne')
      const column = caseless ? foldColumnOf(field) : columnOf(field)
      return sql<SqlBool>`${ref(column)} ${comparisons[operator]} ${nextSlot(compiling)}`
    }
    case 'compareFields': {
      const { field, operator, other } = condition
      return sql<SqlBool>`${ref(columnOf(field))} ${comparisons[operator]} ${ref(columnOf(other))}`
    }
    case 'comparePrevious':
      throw new Error('a condition on the record before the write reached storage')
    case 'in':
      return compileAmong(resource, condition, compiling)
    case 'null':
      return condition.isNull
        ? sql<SqlBool>`${ref(columnOf(condition.field))} is null`
        : sql<SqlBool>`${ref(columnOf(condition.field))} is not null`
    case 'has': {
      const { dialect } = compiling
      const column = `${resource.table}.${columnOf(condition.field)}`
      if (condition.item === null) return sql<SqlBool>`${dialect.hasItems(column)}`
      const has = hasFractions(resource, condition.field) ? dialect.hasFraction : dialect.hasItem
      return sql<SqlBool>`${has(column, nextSlot(compiling))}`
    }
    case 'contains':
    case 'startsWith':
    case 'search':
      return compileTexts(resource, condition, compiling)
    case 'member':
      return compileMember(resource, condition, compiling)
    case 'within': {
      const tree = compiling.catalog.get(condition.tree)
      const inner = { compiling, tables: [...scope.tables, tree.table] }
      const compileWhere = () => compileWithin(tree, condition.where, inner)
      return compileTree(condition, { tree, own: ref(columnOf(condition.field)), compiling, compileWhere })
    }
    case 'related':
      return compileRelated(resource, condition, scope)
  }
}

/** Whether the field has few records for one value: an id, a reference, or a unique field. */
function isSelective({ idField, fields, unique }: Resource, name: string): boolean {
  return name === idField || fields[name]?.reference !== undefined || unique.some((key) => key[0] === name)
}

/** Whether an index finds the few records that match. Values do not matter. */
function findsFew(catalog: Catalog, resource: Resource, where: Condition): boolean {
  switch (where.kind) {
    case 'false':
      return true
    case 'and':
      return where.of.some((one) => findsFew(catalog, resource, one))
    case 'or':
      return where.of.every((one) => findsFew(catalog, resource, one))
    case 'compare':
      return where.operator === 'eq' && isSelective(resource, where.field)
    case 'in':
      return isSelective(resource, where.field)
    case 'related':
      return findsFew(catalog, catalog.get(where.resource), where.where)
    default:
      return false
  }
}

type RelatedCondition = Condition & { readonly kind: 'related' }

/**
 * The other records are collected first where they are few. Where they may be many, each record
 * looks for its own by an index: collecting 900,000 took 1.8 s for a page of 20. A table inside
 * itself is always collected, because both would have one name.
 */
function compileRelated(resource: Resource, related: RelatedCondition, scope: ConditionScope): RawBuilder<SqlBool> {
  const { compiling, tables } = scope
  const target = compiling.catalog.get(related.resource)
  const where = compileWithin(target, related.where, { compiling, tables: [...tables, target.table] })
  const own = sql.ref(`${resource.table}.${columnOf(related.field)}`)
  const at = sql.ref(`${target.table}.${columnOf(related.at ?? target.idField)}`)
  if (tables.includes(target.table) || findsFew(compiling.catalog, target, related.where))
    return sql<SqlBool>`${own} in (select ${at} from ${sql.table(target.table)} where ${where})`
  return sql<SqlBool>`exists (select 1 from ${sql.table(target.table)} where ${at} = ${own} and ${where})`
}

export function compileCondition(
  resource: Resource,
  condition: Condition,
  compiling: CompileContext,
): RawBuilder<SqlBool> {
  return compileWithin(resource, condition, { compiling, tables: [resource.table] })
}
