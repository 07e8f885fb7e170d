/**
 * Compiles conditions to SQL, in two passes over the same tree. `describe` runs for every request:
 * it collects the values and builds the shape's name. `compileCondition` runs once per shape: it
 * writes SQL with numbered slots for the values, in the same order. SQL text never contains a
 * request's value.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { foldName } from '../../value/fold.ts'
import { columnOf, foldColumnOf, isFolded } from '../model/model.ts'
import { compileTexts, describeTexts } from './compile-texts.ts'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'
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
      for (const one of condition.of) {
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
    case 'in': {
      shape.key += `${condition.field} in`
      const caseless = isCaseless(resource, condition.field)
      const field = fieldOf(resource, condition.field)
      const values = condition.values.map((value) =>
        caseless ? foldName(value as string) : encodeCompared(dialect, field, { operator: 'eq', value }),
      )
      shape.add(dialect.encodeList(values))
      return
    }
    case 'null':
      shape.key += `${condition.field} ${condition.isNull ? 'null' : 'notnull'}`
      return
    case 'contains':
    case 'startsWith':
    case 'search':
      describeTexts(describing, resource, condition)
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

export function compileCondition(
  resource: Resource,
  condition: Condition,
  compiling: CompileContext,
): RawBuilder<SqlBool> {
  const ref = (column: string) => sql.ref(`${resource.table}.${column}`)
  switch (condition.kind) {
    case 'true':
      return sql<SqlBool>`1 = 1`
    case 'false':
      return sql<SqlBool>`1 = 0`
    case 'and':
      return joined(
        condition.of.map((one) => compileCondition(resource, one, compiling)),
        sql` and `,
      )
    case 'or':
      return joined(
        condition.of.map((one) => compileCondition(resource, one, compiling)),
        sql` or `,
      )
    case 'not':
      return sql<SqlBool>`((${compileCondition(resource, condition.of, compiling)}) is not true)`
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
    case 'in': {
      const column = isCaseless(resource, condition.field) ? foldColumnOf(condition.field) : columnOf(condition.field)
      return sql<SqlBool>`${compiling.dialect.isIn(`${resource.table}.${column}`, nextSlot(compiling))}`
    }
    case 'null':
      return condition.isNull
        ? sql<SqlBool>`${ref(columnOf(condition.field))} is null`
        : sql<SqlBool>`${ref(columnOf(condition.field))} is not null`
    case 'contains':
    case 'startsWith':
    case 'search':
      return compileTexts(resource, condition, compiling)
    case 'related': {
      const target = compiling.catalog.get(condition.resource)
      const where = compileCondition(target, condition.where, compiling)
      const at = sql.ref(`${target.table}.${columnOf(condition.at ?? target.idField)}`)
      return sql<SqlBool>`${ref(columnOf(condition.field))} in (select ${at} from ${sql.table(target.table)} where ${where})`
    }
  }
}
