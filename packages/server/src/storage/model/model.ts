/**
 * Derives tables, columns and indexes from the catalog, independent of any database. Each database
 * adds its own parts when it creates them.
 */

import { foldCase, foldName } from '../../base/fold.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { ColumnType, Field } from '../../resource/fields/field.ts'
import { storedAs } from '../../resource/fields/field-facts.ts'
import { placedWithin } from '../../resource/fields/places/placed-within.ts'
import type { ReferenceOptions } from '../../resource/fields/reference-options.ts'
import { isBlank } from '../../resource/fields/text.ts'
import { singleField } from '../../resource/made/single-resource.ts'
import { outlives } from '../../resource/removal.ts'
import { ownTenantField } from '../../resource/tenancy/scope-resource.ts'
import { columnNameOf } from '../../resource/words/sql-names.ts'
import { countsOf } from './count-meaning.ts'
import { indexName, withNamesApart } from './index-names.ts'

export type ModelColumn = {
  readonly name: string
  readonly type: ColumnType
  readonly notNull: boolean
  /** The database generates an integer id where the insert gives none. */
  readonly counted?: true
  /** The value for rows that existed before the column. */
  readonly fill?: Scalar | null
  readonly references?: {
    readonly table: string
    readonly column: string
    readonly onDelete: 'cascade' | 'set null' | 'refuse'
  }
  /** The method that folded a text, by name; absent for `foldCase`. */
  readonly fold?: 'name'
  /**
   * The declared meaning of its values. Absent in derived columns, and in models of earlier
   * versions.
   */
  readonly means?: ColumnMeaning
  /**
   * Only in a stored model: some rows still lack their values, and the next migration resumes the
   * fill.
   */
  readonly unfilled?: true
  /**
   * Only in a stored model: no longer declared, and kept for instances of the version before until
   * a migration contracts.
   */
  readonly leaving?: LeavingColumn
}
/**
 * `kind`: the field's type. `words`: those of a choice. `required`: no row may lack a value any
 * more. `blank`: whether a text may be blank; a required field treats blank texts as missing.
 * `blank` is absent in other types, and in models of earlier versions.
 * `limits`: those that the declaration sets for its values; absent in models of earlier versions.
 * `match`: the fields that a reference shares with the record that it names; absent without any.
 * `numbers`: the engine counts the values.
 * `counts`: the records that a counted field counts; with other ones, all rows are counted again.
 * `places`: the fields whose values the records of one order share; with other ones, all rows are
 * placed again.
 * `computed`: the function of a computed field; another one computes all rows again.
 */
export type ColumnMeaning = {
  readonly field: string
  readonly kind: string
  readonly words?: readonly string[]
  readonly required: boolean
  readonly blank?: boolean
  readonly limits?: Limits
  readonly match?: ColumnMatch
  readonly numbers?: true
  readonly counts?: string
  readonly places?: string
  readonly computed?: string
}
/** The referenced table and its key, and the columns that both tables have. */
export type ColumnMatch = { readonly table: string; readonly key: string; readonly columns: readonly string[] }
export type Limits = Readonly<Record<string, string | number>>
/** `heir`: the column that has the same values, so that dropping this one loses no data. */
export type LeavingColumn = { readonly heir?: string }
export type ModelIndex = { readonly name: string; readonly columns: readonly string[]; readonly unique: boolean }
export type ModelTable = {
  readonly name: string
  /** The resource whose records it holds. Absent in models of earlier versions. */
  readonly resource?: string
  readonly columns: readonly ModelColumn[]
  readonly primaryKey: string
  readonly indexes: readonly ModelIndex[]
  /** The column that full-text search looks in. */
  readonly search?: string
  /** The column of the tenant, where a second index has the words of each tenant apart. */
  readonly searchTenant?: string
  /** The columns whose text it contains. */
  readonly searched?: readonly string[]
  /** Only in a stored model: an earlier name, which instances of the version before still use. */
  readonly alias?: string
  /** Only in a stored model: no longer declared, and kept until a migration contracts. */
  readonly leaving?: true
  /**
   * Only in a model compared with the database: another program dropped the primary key.
   */
  readonly keyless?: true
}
export type SchemaModel = { readonly tables: readonly ModelTable[] }

export const versionColumn = 'version'
export const searchColumn = 'search'

export function columnOf(field: string): string {
  return columnNameOf(field)
}

/** The column that holds the text folded for comparison without case. */
export function foldColumnOf(field: string): string {
  return `${columnOf(field)}_folded`
}

/**
 * The column for converted values until they replace the old column. No field has this name: names
 * have no two underscores.
 */
export function nextColumnOf(column: string): string {
  return `${column}__next`
}

/** Whether a column is derived from others: dropping it loses nothing, and it can be recomputed. */
export function isMadeColumn(column: string): boolean {
  return column.endsWith('_folded') || column.endsWith('__next') || column === searchColumn
}

/** Whether dropping the column loses nothing: it is made, or has one value in all rows. */
export function losesNothing(column: string): boolean {
  return isMadeColumn(column) || column === singleField
}

/**
 * Whether a declared filter of the resource looks for parts of this text: it needs a trigram index.
 */
export function hasPartFilter(resource: Resource, name: string): boolean {
  if (!resource.fields[name]?.type.isProse) return false
  return Object.values(resource.list.filters).some((filter) => filter.field === name && filter.by === 'contains')
}

/** Whether a field has a folded column: texts that are filtered by part, or unique. */
export function isFolded(resource: Resource, name: string): boolean {
  if (!resource.fields[name]?.type.isProse) return false
  return isName(resource, name) || resource.list.filterable.has(name) || hasPartFilter(resource, name)
}

/** Whether the folded text of the field distinguishes names, as every unique text's does. */
function isName(resource: Resource, name: string): boolean {
  return resource.unique.some((key) => key.includes(name))
}

/** The function that folds a field's text for comparison, in the database and in memory. */
export function foldOf(resource: Resource, name: string): (text: string) => string {
  return isName(resource, name) ? foldName : foldCase
}

/**
 * The one value for all earlier rows, as SQL takes it; null where there is none, or each row has
 * its own.
 */
function fillOf(field: Field): Scalar | null {
  const value = givenFor(field)
  return field.required && isBlank(value) ? null : value
}

function givenFor(field: Field): Scalar | null {
  const given = field.backfill ?? field.default
  if (given === undefined || given === null || typeof given === 'function') return null
  const value = field.type.check(given, 'its default', field)
  if (field.type.isOpaque) return JSON.stringify(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value
  return null
}

function foldedColumn(resource: Resource, name: string): ModelColumn {
  const column = { name: foldColumnOf(name), type: 'text', notNull: false } as const
  return isName(resource, name) ? { ...column, fold: 'name' } : column
}

function endOf(onDelete: ReferenceOptions['onDelete']): NonNullable<ModelColumn['references']>['onDelete'] {
  if (onDelete === 'refuse') return onDelete
  return onDelete === 'delete' ? 'cascade' : 'set null'
}

function limitsOf({ limits }: Field): Limits {
  const said = Object.entries(limits as Readonly<Record<string, unknown>>).flatMap(([name, limit]) => {
    const printed = typeof limit === 'bigint' ? String(limit) : limit // the stored model is JSON
    return typeof printed === 'string' || typeof printed === 'number' ? [[name, printed] as const] : []
  })
  return Object.fromEntries(said)
}

function matchOf(catalog: Catalog, { resource, match }: NonNullable<Field['reference']>): ColumnMatch {
  const target = catalog.get(resource)
  return { table: target.table, key: columnOf(target.idField), columns: match.map(columnOf) }
}

function columnsOf(catalog: Catalog, resource: Resource): ModelColumn[] {
  const columns: ModelColumn[] = []
  for (const name of resource.storedNames) {
    const field = resource.fields[name] as Field
    // A reference that outlives its record has no foreign key.
    const refers = field.reference && catalog.get(field.reference.resource)
    const binds = field.reference && refers && outlives(field.reference, refers) ? undefined : field.reference
    const target = binds && refers
    columns.push({
      name: columnOf(name),
      type: field.type.column,
      notNull: !field.nullable,
      counted: (name === resource.idField && resource.hasCountedId) || undefined,
      fill: fillOf(field),
      means: {
        ...{ field: name, kind: storedAs(field), words: field.values, required: !field.nullable },
        ...(field.type.isProse && { blank: !field.required }),
        ...(!field.type.secret && { limits: limitsOf(field) }),
        ...(field.type.series && { numbers: true }),
        ...(field.type.places && { places: jsonText(placedWithin(resource)) }),
        ...(field.counted && { counts: countsOf(resource, name) }),
        ...(field.computed && { computed: field.computed.meaning }),
        ...(field.reference?.match.length && { match: matchOf(catalog, field.reference) }),
      },
      references: target && {
        table: target.table,
        column: columnOf(target.idField),
        onDelete: endOf(binds.onDelete),
      },
    })
    if (isFolded(resource, name)) columns.push(foldedColumn(resource, name))
  }
  columns.push({ name: versionColumn, type: 'integer', notNull: true, fill: 1 })
  if (resource.list.search.length > 0) columns.push({ name: searchColumn, type: 'text', notNull: true, fill: '' })
  return columns
}

function keyColumn(resource: Resource, name: string): string {
  return isFolded(resource, name) ? foldColumnOf(name) : columnOf(name)
}

/** Columns in their order, and after them columns that only spare a read of the row. */
type WantedIndex = { readonly key: readonly string[]; readonly carried: readonly string[] }

/**
 * Every sort has an index, alone and behind each equality filter. So has each field that is
 * filtered by range, behind those filters, and every reference in the default order. Where records
 * belong to tenants, the tenant comes first, but for references, which lead to one tenant anyway.
 * All indexes carry the filterable booleans, so that a count needs only the index. A boolean
 * selects too little to lead one. Fields declared without an index have none, except references.
 */
function wantedOf(resource: Resource): WantedIndex[] {
  const { sortable, defaultSort, unindexed } = resource.list
  const id = resource.idField
  const first = defaultSort[0]?.field ?? id
  const filters = Object.values(resource.list.filters)
  const filteredBy = (...kinds: readonly string[]) => [
    ...new Set(filters.flatMap(({ by, field }) => (kinds.includes(by) && !unindexed.has(field) ? [field] : []))),
  ]
  const [equalities, flags] = [filteredBy('eq'), filteredBy('true')]
  const isStored = (name: string) => resource.fields[name]?.virtual === undefined
  const sorts = [...sortable].filter((name) => name !== id && !unindexed.has(name) && isStored(name))
  const orders = [...new Set([first, ...sorts, ...filteredBy('gte', 'lte')])]
  const references = resource.storedNames.filter((name) => resource.fields[name]?.reference)
  const latest = resource.countedIn.filter(({ kind }) => kind === 'latest')
  const own = ownTenantField(resource)
  const tenant = own === undefined ? [] : [own]
  const { placed } = resource
  return [
    ...(placed ? [{ key: [...placedWithin(resource), placed.name, id], carried: [] }] : []),
    ...sorts.map((name) => ({ key: [...tenant, name, id], carried: flags })),
    ...equalities.flatMap((filter) =>
      orders.filter((name) => name !== filter).map((name) => ({ key: [...tenant, filter, name, id], carried: flags })),
    ),
    ...references.map((name) => ({ key: [name, first, id], carried: flags })),
    // The latest of the records below another one is found again where the latest has gone.
    ...latest.map(({ by, field = id }) => ({ key: [by, field, id], carried: [] })),
  ]
}

/** The name depends on the order alone, so it stays when an index carries other columns. */
function indexesOf(resource: Resource): ModelIndex[] {
  const indexes = new Map<string, ModelIndex>()
  for (const key of resource.unique) {
    const columns = key.map((name) => keyColumn(resource, name))
    indexes.set(columns.join(), { name: indexName(resource.table, columns, 'key'), columns, unique: true })
  }
  for (const { key, carried } of wantedOf(resource)) {
    const order = [...new Set(key)].map(columnOf)
    const columns = [...new Set([...key, ...carried])].map(columnOf)
    indexes.set(order.join(), { name: indexName(resource.table, order, 'idx'), columns, unique: false })
  }
  return [...indexes.values()]
}

/** Tables ordered so that each comes after those that it refers to. */
function inOrder(catalog: Catalog): Resource[] {
  const done: Resource[] = []
  const visit = (resource: Resource, path: readonly Resource[]) => {
    if (done.includes(resource) || path.includes(resource)) return
    for (const field of Object.values(resource.fields)) {
      if (field.reference) visit(catalog.get(field.reference.resource), [...path, resource])
    }
    done.push(resource)
  }
  for (const resource of catalog.resources.values()) visit(resource, [])
  return done
}

type SearchParts = Pick<ModelTable, 'search' | 'searched' | 'searchTenant'>

function searchOf(resource: Resource): SearchParts {
  const { search } = resource.list
  if (search.length === 0) return {}
  const tenant = ownTenantField(resource)
  const parts = { search: searchColumn, searched: search.map(columnOf) }
  return tenant === undefined ? parts : { ...parts, searchTenant: columnOf(tenant) }
}

export function modelOf(catalog: Catalog): SchemaModel {
  const tables = inOrder(catalog).map((resource) => ({
    name: resource.table,
    resource: resource.name,
    columns: columnsOf(catalog, resource),
    primaryKey: columnOf(resource.idField),
    indexes: indexesOf(resource),
    ...searchOf(resource),
  }))
  return { tables: withNamesApart(tables) }
}
