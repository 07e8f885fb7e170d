/**
 * Compiles conditions on texts (words and parts of texts) to SQL, in the same two passes as all
 * conditions. A text index finds the rows, or candidates that an exact comparison then checks.
 * Without an index the comparison does all of the work.
 */
import type { RawBuilder, SqlBool } from 'kysely'
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { columnOf, foldColumnOf, foldOf, isFolded, searchColumn } from '../model/model.ts'
import type { Dialect, TextIndexQuery } from './dialect.ts'
import { sql } from './kysely.ts'
import type { ScopedSearch } from './scoped-search.ts'
import { type CompileContext, nextSlot, type ShapeBuilder } from './shape.ts'

export type TextCondition = (Condition & { kind: 'contains' | 'startsWith' }) | ScopedSearch

type TextLookup = {
  readonly column: string
  readonly match: TextIndexQuery | undefined
  /** The texts for the exact comparison. */
  readonly compared: readonly string[]
}

/** One read needs it several times: for its plan, its shape and its statement. */
const looked = new WeakMap<TextCondition, { readonly by: Dialect; readonly of: Resource; readonly as: TextLookup }>()

function look(dialect: Dialect, resource: Resource, condition: TextCondition): TextLookup {
  const known = looked.get(condition)
  if (known?.by === dialect && known.of === resource) return known.as
  const as = lookAnew(dialect, resource, condition)
  looked.set(condition, { by: dialect, of: resource, as })
  return as
}

function lookAnew(dialect: Dialect, resource: Resource, condition: TextCondition): TextLookup {
  if (condition.kind === 'search') {
    const match = dialect.findWords(resource, condition.words, condition.scope?.tenants)
    return { column: searchColumn, match, compared: match?.undecided ?? condition.words }
  }
  const { field, text, kind } = condition
  if (!isFolded(resource, field)) return { column: columnOf(field), match: undefined, compared: [text] }
  const part = foldOf(resource, field)(text)
  const match = kind === 'contains' ? dialect.findPart(resource, field, part) : undefined
  return { column: foldColumnOf(field), match, compared: match?.undecided ?? [part] }
}

/** The query of a text index for the condition; undefined when no index can help. */
export function textMatchOf(
  dialect: Dialect,
  resource: Resource,
  condition: TextCondition,
): TextIndexQuery | undefined {
  return look(dialect, resource, condition).match
}

export function describeTexts({ dialect, shape }: ShapeBuilder, resource: Resource, condition: TextCondition): void {
  const { column, match, compared } = look(dialect, resource, condition)
  shape.key += `${column} ${condition.kind} ${match?.kind} ${compared.length}`
  for (const value of match?.values ?? []) shape.add(value)
  for (const text of compared) shape.add(text)
}

export type CompiledTexts = {
  /** Absent where no text index is used. */
  readonly match: TextIndexQuery | undefined
  /** For the values of the match. */
  readonly slots: readonly unknown[]
  readonly compared: readonly RawBuilder<SqlBool>[]
}

/** The same in two parts, for a statement that reads the text index itself. */
export function compileTextParts(
  resource: Resource,
  condition: TextCondition,
  compiling: CompileContext,
): CompiledTexts {
  const { dialect } = compiling
  const { column, match, compared } = look(dialect, resource, condition)
  const slots = (match?.values ?? []).map(() => nextSlot(compiling))
  const at = `${resource.table}.${column}`
  const compare = (slot: unknown) =>
    condition.kind === 'startsWith' ? dialect.beginsWith(at, slot) : dialect.includes(at, slot)
  return { match, slots, compared: compared.map(() => sql<SqlBool>`${compare(nextSlot(compiling))}`) }
}

export function compileTexts(
  resource: Resource,
  condition: TextCondition,
  compiling: CompileContext,
): RawBuilder<SqlBool> {
  const { match, slots, compared } = compileTextParts(resource, condition, compiling)
  const parts = match ? [sql<SqlBool>`${match.where(slots)}`, ...compared] : compared
  return parts.length === 1 ? (parts[0] as RawBuilder<SqlBool>) : sql<SqlBool>`(${sql.join(parts, sql` and `)})`
}
