/**
 * The full-text tables of a resource: its words as tokens, and the trigrams of each text with a
 * filter by part. They store no text of their own. Triggers of plain SQL update them, also for
 * other programs' writes. The service indexes its own new rows without triggers (`new-rows.ts`).
 */
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import { ownTenantField } from '../../../resource/tenancy/scope-resource.ts'
import { columnOf, foldColumnOf, hasPartFilter, searchColumn } from '../../model/model.ts'
import type { SqliteConnection } from '../connection.ts'
import { uuidMarkLength, withTenant } from './tenant-tokens.ts'

/** The longest prefix that the table of words looks up without reading all of its tokens. */
export const indexedPrefixMax = 3

/**
 * The row number by which full-text tables refer to rows, in tables without a generated id. Only
 * this folder uses it.
 */
export const rowIdColumn = 'row_id'

export function rowNumberOf(resource: Resource): string {
  return resource.hasCountedId ? columnOf(resource.idField) : rowIdColumn
}

export function wordsTableOf(table: string): string {
  return `${table}_words`
}

/** The words again, each with its tenant before it. */
export function tenantWordsTableOf(table: string): string {
  return `${table}_tenant_words`
}

/** The table that lists the tokens of a table of words, in their order. */
export function termsTableOf(words: string): string {
  return words.replace(/_words$/, '_terms')
}

export function partsTableOf(table: string, column: string): string {
  return `${table}_${column}_parts`
}

/** The trigram table of earlier versions. */
function earlierTableOf(table: string): string {
  return `${table}_search`
}

/** A virtual table with the triggers that update it. */
export type TextTable = { readonly name: string; readonly create: readonly string[] }

/** A full-text table over one column of the resource's table. */
type IndexedColumn = {
  readonly name: string
  readonly column: string
  readonly options: string
  /**
   * The column of the tenant that each word begins with. FTS5 cannot read such texts from the
   * resource's table, so the full-text table names no source.
   */
  readonly tenant?: string
}

/** Longer prefixes are looked up among all tokens that begin with them. */
function prefixesAfter(length: number): string {
  return `prefix='${Array.from({ length: indexedPrefixMax }, (_, i) => length + i + 1).join(' ')}'`
}

function tenantIndexOf(resource: Resource): IndexedColumn[] {
  const field = ownTenantField(resource)
  if (field === undefined) return []
  const isUuid = resource.fields[field]?.type.column === 'text'
  const options = `tokenize='ascii'${isUuid ? `, ${prefixesAfter(uuidMarkLength)}` : ''}`
  return [{ name: tenantWordsTableOf(resource.table), column: searchColumn, options, tenant: columnOf(field) }]
}

export function indexesOf(resource: Resource): IndexedColumn[] {
  const { table, list, storedNames } = resource
  const words = { name: wordsTableOf(table), column: searchColumn, options: `tokenize='ascii', ${prefixesAfter(0)}` }
  const parts = storedNames
    .filter((one) => hasPartFilter(resource, one))
    .map((field) => {
      const column = foldColumnOf(field)
      return { name: partsTableOf(table, column), column, options: "tokenize='trigram case_sensitive 1'" }
    })
  return list.search.length > 0 ? [words, ...tenantIndexOf(resource), ...parts] : parts
}

/** The columns that an index needs of a row besides its number. */
export function sourcesOf({ column, tenant }: IndexedColumn): readonly string[] {
  return tenant === undefined ? [column] : [column, tenant]
}

/**
 * The columns of a new row that its indexing needs: its number and its texts, in the order of the
 * indexes.
 */
export function newRowColumns(resource: Resource): readonly string[] {
  const indexes = indexesOf(resource)
  return indexes.length === 0 ? [] : [rowNumberOf(resource), ...indexes.flatMap(sourcesOf)]
}

/** The trigger that indexes a new row. */
export function insertTriggerOf(name: string): string {
  return `${name}_insert`
}

/** The indexed text, from expressions for the columns that the index needs. */
function textOf({ tenant }: IndexedColumn, [text = '', of = '']: readonly string[]): string {
  return tenant === undefined ? text : withTenant(text, of)
}

/** The SQL that inserts a row into a full-text table, from bound values. */
export function insertionOf(index: IndexedColumn): string {
  const text = textOf(
    index,
    sourcesOf(index).map(() => '?'),
  )
  return `INSERT INTO "${index.name}"(rowid, "${index.column}") VALUES (?, ${text})`
}

function indexOver(resource: Resource, index: IndexedColumn): TextTable {
  const { name, column, options, tenant } = index
  const { table } = resource
  const rowNumber = rowNumberOf(resource)
  const sources = sourcesOf(index)
  const at = (place: string) =>
    `${place}."${rowNumber}", ${textOf(
      index,
      sources.map((one) => `${place}."${one}"`),
    )}`
  const add = `INSERT INTO "${name}"(rowid, "${column}") VALUES (${at('new')});`
  const remove = `INSERT INTO "${name}"("${name}", rowid, "${column}") VALUES ('delete', ${at('old')});`
  const changed = `WHEN ${sources.map((one) => `old."${one}" IS NOT new."${one}"`).join(' OR ')}`
  const content = tenant === undefined ? `content='${table}', content_rowid='${rowNumber}'` : "content=''"
  return {
    name,
    create: [
      `CREATE VIRTUAL TABLE "${name}" USING fts5("${column}", ${content}, detail=none, columnsize=0, ${options})`,
      `CREATE TRIGGER "${insertTriggerOf(name)}" AFTER INSERT ON "${table}" BEGIN ${add} END`,
      `CREATE TRIGGER "${name}_delete" AFTER DELETE ON "${table}" BEGIN ${remove} END`,
      `CREATE TRIGGER "${name}_update" AFTER UPDATE OF ${sources.map((one) => `"${one}"`).join(', ')} ON "${table}" ${changed} BEGIN ${remove} ${add} END`,
      tenant === undefined
        ? `INSERT INTO "${name}"("${name}") VALUES ('rebuild')`
        : `INSERT INTO "${name}"(rowid, "${column}") SELECT ${at(`"${table}"`)} FROM "${table}"`,
    ],
  }
}

/** The tables that a resource needs. */
function textTablesOf(resource: Resource): TextTable[] {
  const wordTables = [wordsTableOf(resource.table), tenantWordsTableOf(resource.table)]
  return indexesOf(resource).flatMap((one) => {
    const table = indexOver(resource, one)
    if (!wordTables.includes(one.name)) return [table]
    const terms = termsTableOf(one.name)
    const create = [`CREATE VIRTUAL TABLE "${terms}" USING fts5vocab('${one.name}', 'instance')`]
    return [table, { name: terms, create }]
  })
}

type FoundTable = { readonly name: string; readonly sql: string }

/**
 * The full-text tables in the file that belong to a table; also those that are no longer needed.
 */
function foundOf({ database }: SqliteConnection, table: string): readonly FoundTable[] {
  const all = database.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'",
  )
  const words = [wordsTableOf(table), tenantWordsTableOf(table)]
  const named = [...words, ...words.map(termsTableOf), earlierTableOf(table)]
  const isParts = ({ name, sql }: FoundTable) => name.endsWith('_parts') && sql.includes(`content='${table}'`)
  return (all.all() as FoundTable[]).filter((one) => named.includes(one.name) || isParts(one))
}

/**
 * Whether the full-text table lacks a trigger, and so all writes since, or one of the tables with
 * its words.
 */
function lacks({ database }: SqliteConnection, { name, create }: TextTable): boolean {
  if (create.length === 1) return false
  const needed = ['insert', 'delete', 'update', 'data', 'idx', 'config'].map((one) => `${name}_${one}`)
  const sql = `SELECT count(DISTINCT name) AS count FROM sqlite_schema WHERE name IN (${needed.map(() => '?').join()})`
  return (database.prepare(sql).get(...needed) as { count: number }).count < needed.length
}

/**
 * The statements that update the full-text tables of one resource, before and after the other steps
 * of a migration.
 */
export type TextPlan = {
  readonly resource: Resource
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function dropTriggers(name: string): string[] {
  return ['insert', 'delete', 'update'].map((event) => `DROP TRIGGER IF EXISTS "${name}_${event}"`)
}

function drop(name: string): string[] {
  return [...dropTriggers(name), `DROP TABLE "${name}"`]
}

/** The statements that drop the full-text tables of a renamed or dropped table. */
export function dropTextTables(connection: SqliteConnection, table: string): string[] {
  return foundOf(connection, table).flatMap(({ name }) => drop(name))
}

/** The plans of the resources that need changes: tables of an earlier form are created again. */
export function planTextTables(connection: SqliteConnection, catalog: Catalog): TextPlan[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const found = foundOf(connection, resource.table)
    const needed = textTablesOf(resource)
    const isThere = (one: TextTable) =>
      found.some(({ name, sql }) => name === one.name && sql === one.create[0]) && !lacks(connection, one)
    const missing = needed.filter((one) => !isThere(one))
    const unneeded = found.filter(({ name }) => !needed.some((one) => one.name === name && !missing.includes(one)))
    if (missing.length + unneeded.length === 0) return []
    // A virtual table that another program dropped leaves its triggers, which would refuse every
    // write.
    const left = missing.filter(({ name }) => !unneeded.some((one) => one.name === name))
    const before = [...unneeded.flatMap(({ name }) => drop(name)), ...left.flatMap(({ name }) => dropTriggers(name))]
    return [{ resource, before, after: missing.flatMap(({ create }) => create) }]
  })
}
