/**
 * The full-text tables beside a resource's table: its words as tokens, and the trigrams of each text that is filtered by part. They hold no
 * text of their own, and triggers of plain SQL keep them: whoever writes to the file with other tools keeps them too.
 */
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import { columnOf, foldColumnOf, hasPartFilter, searchColumn } from '../../model/model.ts'
import type { Connection } from '../connection.ts'

/** The longest prefix that the table of words looks up without reading all tokens that begin with it. */
export const indexedPrefixMax = 3

/** The row number by which full-text tables name rows, in tables without a generated id. Nothing outside this folder knows it. */
export const rowIdColumn = 'row_id'

export function rowNumberOf(resource: Resource): string {
  return resource.hasCountedId ? columnOf(resource.idField) : rowIdColumn
}

export function wordsTableOf(table: string): string {
  return `${table}_words`
}

/** Shows the tokens of the words, in their order. */
export function termsTableOf(table: string): string {
  return `${table}_terms`
}

export function partsTableOf(table: string, column: string): string {
  return `${table}_${column}_parts`
}

/** The table of trigrams that earlier versions searched in. */
function earlierTableOf(table: string): string {
  return `${table}_search`
}

/** A virtual table with the triggers that keep it. */
export type TextTable = { readonly name: string; readonly create: readonly string[] }

type Indexed = { readonly name: string; readonly column: string; readonly options: string }

function indexOver({ table }: Resource, rowNumber: string, { name, column, options }: Indexed): TextTable {
  const add = `INSERT INTO "${name}"(rowid, "${column}") VALUES (new."${rowNumber}", new."${column}");`
  const remove = `INSERT INTO "${name}"("${name}", rowid, "${column}") VALUES ('delete', old."${rowNumber}", old."${column}");`
  const changed = `WHEN old."${column}" IS NOT new."${column}"`
  return {
    name,
    create: [
      `CREATE VIRTUAL TABLE "${name}" USING fts5("${column}", content='${table}', content_rowid='${rowNumber}', detail=none, columnsize=0, ${options})`,
      `CREATE TRIGGER "${name}_insert" AFTER INSERT ON "${table}" BEGIN ${add} END`,
      `CREATE TRIGGER "${name}_delete" AFTER DELETE ON "${table}" BEGIN ${remove} END`,
      `CREATE TRIGGER "${name}_update" AFTER UPDATE OF "${column}" ON "${table}" ${changed} BEGIN ${remove} ${add} END`,
      `INSERT INTO "${name}"("${name}") VALUES ('rebuild')`,
    ],
  }
}

/** The tables that a resource needs. */
function textTablesOf(resource: Resource): TextTable[] {
  const { table, list } = resource
  const rowNumber = rowNumberOf(resource)
  const tables: TextTable[] = []
  if (list.search.length > 0) {
    const name = wordsTableOf(table)
    const prefixes = Array.from({ length: indexedPrefixMax }, (_, i) => i + 1).join(' ')
    const terms = termsTableOf(table)
    const options = `tokenize='ascii', prefix='${prefixes}'`
    tables.push(indexOver(resource, rowNumber, { name, column: searchColumn, options }))
    tables.push({ name: terms, create: [`CREATE VIRTUAL TABLE "${terms}" USING fts5vocab('${name}', 'instance')`] })
  }
  for (const field of resource.storedNames.filter((one) => hasPartFilter(resource, one))) {
    const column = foldColumnOf(field)
    const options = "tokenize='trigram case_sensitive 1'"
    tables.push(indexOver(resource, rowNumber, { name: partsTableOf(table, column), column, options }))
  }
  return tables
}

type Found = { readonly name: string; readonly sql: string }

/** The full-text tables in the file that belong to a table; also those that are no longer needed. */
function foundOf({ database }: Connection, table: string): readonly Found[] {
  const all = database.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'",
  )
  const named = [wordsTableOf(table), termsTableOf(table), earlierTableOf(table)]
  const isParts = ({ name, sql }: Found) => name.endsWith('_parts') && sql.includes(`content='${table}'`)
  return (all.all() as Found[]).filter((one) => named.includes(one.name) || isParts(one))
}

/** What brings the full-text tables of one resource to what is needed, as statements before and after the other steps of a migration. */
export type TextPlan = {
  readonly resource: Resource
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function drop(name: string): string[] {
  const triggers = ['insert', 'delete', 'update'].map((event) => `DROP TRIGGER IF EXISTS "${name}_${event}"`)
  return [...triggers, `DROP TABLE "${name}"`]
}

/** What drops the full-text tables of a table that gets another name, or goes. */
export function dropTextTables(connection: Connection, table: string): string[] {
  return foundOf(connection, table).flatMap(({ name }) => drop(name))
}

/** The plans of the resources where there is anything to do: tables of an earlier form are made anew. */
export function planTextTables(connection: Connection, catalog: Catalog): TextPlan[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const found = foundOf(connection, resource.table)
    const needed = textTablesOf(resource)
    const isThere = (one: TextTable) => found.some(({ name, sql }) => name === one.name && sql === one.create[0])
    const missing = needed.filter((one) => !isThere(one))
    const unneeded = found.filter(({ name }) => !needed.some((one) => one.name === name && !missing.includes(one)))
    if (missing.length + unneeded.length === 0) return []
    return [
      { resource, before: unneeded.flatMap(({ name }) => drop(name)), after: missing.flatMap(({ create }) => create) },
    ]
  })
}
