/**
 * The parts of a migration plan, and the sentences of its refusals. Each sentence names the file,
 * the resource and the field where they are known.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { ModelColumn, ModelIndex, ModelTable } from '../model/model.ts'
import type { LinkedColumn } from './links/linked-columns.ts'
import type { ColumnFiller, MigrationStep } from './steps.ts'

export type TableKey = { readonly table: string; readonly key: string }

/**
 * A condition on the stored rows that must hold before the first step; a violation names the row.
 * Tables and columns have their stored names.
 */
export type RowCheck = { readonly table: ModelTable; readonly line: string; readonly advice: string } & (
  | { readonly kind: 'no-rows'; readonly allow?: string | undefined }
  | { readonly kind: 'no-values'; readonly column: string; readonly allow: string }
  | { readonly kind: 'no-nulls'; readonly column: string; readonly blank: 'missing' | 'a value' }
  | { readonly kind: 'fits-index'; readonly columns: readonly string[] }
  /** `target`: the table whose keys the values must be; undefined while there is none. */
  | {
      readonly kind: 'no-orphans'
      readonly column: string
      readonly target: TableKey | undefined
      /** Where its deleted records are, which may be named too. */
      readonly trash?: TableKey | undefined
    }
  | { readonly kind: 'only-words'; readonly column: string; readonly words: readonly string[] }
)

/**
 * Values that the service computes row by row, and keys that must be unique with them. The
 * migration tries them on all rows before it changes any.
 */
export type FillTrial = {
  readonly before: ModelTable
  readonly after: ModelTable
  readonly resource: Resource
  readonly fillers: readonly ColumnFiller[]
  readonly uniques: readonly ModelIndex[]
}

/**
 * A field that takes fewer values than before: stored values may be beyond them. Table and column
 * have their stored names.
 */
export type Narrowed = { readonly table: ModelTable; readonly column: string; readonly line: string } & (
  | { readonly kind: 'limits'; readonly name: string; readonly field: Field }
  /** The record in `target` must have the same values in the columns of each pair. */
  | {
      readonly kind: 'match'
      readonly target: { readonly table: string; readonly key: string }
      readonly pairs: readonly { readonly own: string; readonly other: string }[]
    }
)

export type MigrationPlan = {
  readonly steps: readonly MigrationStep[]
  /** Steps that wait until no instance of the version before runs. */
  readonly later: readonly MigrationStep[]
  readonly refusals: readonly string[]
  readonly checks: readonly RowCheck[]
  readonly trials: readonly FillTrial[]
  readonly narrowed: readonly Narrowed[]
}

export type PlanOptions = {
  /** Whether instances of the version before go on meanwhile. */
  readonly beside: boolean
  /**
   * Data that the caller allows the migration to drop: a resource by its name, or `resource.field`.
   */
  readonly allowed: ReadonlySet<string>
  /**
   * Tables that another program dropped, by their current names: rows that referred to their rows
   * may still be there.
   */
  readonly lost?: ReadonlySet<string>
}

/** `resources/books.ts: book: field "title": books.title` */
export function placeOf(resource: Resource, column: ModelColumn): string {
  const field = column.means?.field
  const at = field === undefined ? '' : ` field "${field}":`
  return `${resource.writtenIn}: ${resource.name}:${at} ${resource.table}.${column.name}`
}

export function typeOf({ type, counted, means }: ModelColumn): string {
  if (counted) return `counted ${type}`
  return means?.kind ?? type
}

export function described(column: ModelColumn): string {
  return `${typeOf(column)}${column.notNull ? ' not null' : ''}`
}

export function besideRefusal(at: string, what: string): string {
  return (
    `${at} ${what}, and other instances or programs are connected, which would misread it. ` +
    'Stop them and start again, or if they are none of Bindery: bindery migrate --contract'
  )
}

/** The steps of a table, in the order in which they run. */
export type TableSteps = {
  readonly shape: MigrationStep[]
  readonly fillers: ColumnFiller[]
  /** After the shape, and in the same transaction. */
  readonly mirrors: MigrationStep[]
  /** Columns that another column replaces. */
  readonly mirrored: Set<string>
  readonly settle: MigrationStep[]
  /** Behind the indexes, which find the highest number of a series. */
  readonly numbers: MigrationStep[]
  /** Behind the steps of all tables, which make the tables of links. */
  readonly links: MigrationStep[]
  /** Behind those, because they read other tables. */
  readonly counts: MigrationStep[]
  readonly drop: MigrationStep[]
  readonly later: MigrationStep[]
  readonly refusals: string[]
  readonly checks: RowCheck[]
  readonly narrowed: Narrowed[]
  /** Columns whose values change, so that indexes on them are created again. */
  readonly anew: Set<string>
}

export type ColumnChange = {
  readonly resource: Resource
  /** The table in its stored form. */
  readonly stored: ModelTable
  readonly declared: ModelTable
  readonly planning: PlanOptions
  readonly into: TableSteps
  /** The fields of links that may have been references. */
  readonly links: readonly LinkedColumn[]
  /** The stored table with this declared name. */
  readonly storedTable: (name: string) => ModelTable | undefined
}

export function emptySteps(): TableSteps {
  return {
    shape: [],
    mirrors: [],
    mirrored: new Set(),
    fillers: [],
    settle: [],
    numbers: [],
    links: [],
    counts: [],
    drop: [],
    later: [],
    refusals: [],
    checks: [],
    narrowed: [],
    anew: new Set(),
  }
}
