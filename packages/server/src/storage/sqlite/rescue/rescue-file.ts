/**
 * Copies all readable rows of a damaged file to a new, valid one. It reads every table page by page
 * and row by row, unreachable pages included. SQLite does not read the old file; it only inserts
 * the rows into the new one.
 */
import { join } from 'node:path'
import type { Catalog } from '../../../resource/catalog.ts'
import { refuseOldSource } from '../../copy/copy-target.ts'
import { ownRows } from '../../copy/own-rows.ts'
import type { RescueOptions } from '../../database-kind.ts'
import { refuse } from '../../migrate/examine.ts'
import { planSchema } from '../../migrate/plan-schema.ts'
import type { MigrationStep } from '../../migrate/steps.ts'
import { modelOf } from '../../model/model.ts'
import { readStoredModel } from '../../model/stored-model.ts'
import { quote } from '../../sql/ddl-words.ts'
import { openConnection, type SqliteConnection } from '../connection.ts'
import { openMemory } from '../file/read-only.ts'
import { migrate } from '../migrate/apply-migration.ts'
import { openDamagedPages } from './damaged-pages.ts'
import { readSchema, type SchemaEntry } from './find-schema.ts'
import { readPage } from './read-cells.ts'
import { type RescuedTable, rescueTable, rowsOn } from './rescue-table.ts'
import { freePages, type TreeReading, walkTree } from './walk-tree.ts'

/** Steps that do not affect a rescued row. */
const additions: readonly MigrationStep['kind'][] = [
  'create-table',
  'add-column',
  'allow-null',
  'create-index',
  'rename-index',
  'drop-index',
  'create-search',
  'drop-search',
  'refill',
]

function textsOf(reading: TreeReading, entry: SchemaEntry | undefined): ReadonlyMap<string, string> {
  if (!entry) return new Map()
  const rows = [...walkTree(reading, entry.root, 'table').rows]
  return new Map(rows.map(({ values: [name, value] }) => [String(name), String(value)]))
}

/**
 * Throws `StartError` where the file is of other declarations. Where the file does not say which,
 * it counts as one of these.
 */
function refuseOther(notes: ReadonlyMap<string, string>, catalog: Catalog): void {
  const text = notes.get('model')
  if (text === undefined) return
  let model: ReturnType<typeof readStoredModel>
  try {
    model = readStoredModel(text, notes.get('meanings'))
  } catch {
    return
  }
  const { steps, refusals } = planSchema(model, catalog, { beside: false, allowed: new Set() })
  refuse(refusals)
  // Rows go into the columns that exist; only a migration handles renamed columns or other values
  refuseOldSource(
    model,
    steps.filter(({ kind }) => !additions.includes(kind)),
  )
}

/** All other pages have to be known, so that their rows are not assigned to another table. */
function visitOthers(reading: TreeReading, schema: ReadonlyMap<string, SchemaEntry>, done: ReadonlySet<string>): void {
  for (const { type, name, table, root } of schema.values()) {
    if (root === 0 || done.has(name) || (type === 'index' && done.has(table))) continue
    for (const _row of walkTree(reading, root, type === 'index' ? 'index' : 'table').rows);
  }
}

/** Unreachable pages: those whose rows fit only one broken table belong to it. */
function takeLoose(reading: TreeReading, free: ReadonlySet<number>, tables: readonly RescuedTable[]): void {
  const broken = tables.filter(({ isBroken }) => isBroken)
  if (broken.length === 0) return
  for (let number = 2; number <= reading.pages.count; number += 1) {
    if (reading.visited.has(number) || free.has(number)) continue
    const page = readPage(reading.pages, number, new Set())
    if (page?.kind !== 'table leaf') continue
    const rows = rowsOn(page)
    const [table, ...others] = rows.length === 0 ? [] : broken.filter((one) => one.fits(rows))
    if (table && others.length === 0) table.take(rows)
  }
}

/**
 * Clears references to lost records. A record that requires its reference is left out, and listed
 * as a whole.
 */
function mendReferences({ database }: SqliteConnection, missing: RescueOptions['missing']): void {
  for (;;) {
    const wrong = database.prepare('PRAGMA foreign_key_check').all() as {
      table: string
      rowid: number
      parent: string
      fkid: number
    }[]
    if (wrong.length === 0) return
    for (const { table, rowid, parent, fkid } of wrong) {
      const keys = database.prepare(`PRAGMA foreign_key_list(${quote(table)})`).all() as { id: number; from: string }[]
      const column = keys.find(({ id }) => id === fkid)?.from ?? ''
      const record = database.prepare(`SELECT * FROM ${quote(table)} WHERE rowid = ?`).get(rowid)
      if (!record) continue // it is gone by another reference
      const why = `${column} refers to a record of ${parent} that is missing`
      try {
        database.prepare(`UPDATE ${quote(table)} SET ${quote(column)} = NULL WHERE rowid = ?`).run(rowid)
        missing({
          table,
          id: record.id,
          why: `${why}; the reference was cleared`,
          record: { [column]: record[column] },
        })
      } catch {
        database.prepare(`DELETE FROM ${quote(table)} WHERE rowid = ?`).run(rowid)
        missing({ table, id: record.id, why: `${why}, and it cannot be without`, record: { ...record } })
      }
    }
  }
}

function countOn({ database }: SqliteConnection, reading: TreeReading, entry: SchemaEntry | undefined): void {
  if (!entry) return
  const rows = [...walkTree(reading, entry.root, 'table').rows]
  const set = database.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
  for (const {
    values: [name, seq],
  } of rows)
    if (typeof name === 'string' && typeof seq === 'number' && Number.isSafeInteger(seq)) set.run(seq, name)
}

type RescueFill = { readonly path: string; readonly catalog: Catalog; readonly missing: RescueOptions['missing'] }

function fill(target: SqliteConnection, { path, catalog, missing }: RescueFill): void {
  const pages = openDamagedPages(path)
  const memory = openMemory()
  try {
    const reading: TreeReading = { pages, visited: new Set() }
    const free = freePages(reading)
    const schema = readSchema(reading, free)
    refuseOther(textsOf(reading, schema.get('bindery_meta')), catalog)
    target.database.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN IMMEDIATE')
    const { tables: declared } = modelOf(catalog)
    const tables = [...declared, ...ownRows.filter(({ name }) => schema.has(name))]
    const parts = { reading, schema, target, memory, missing }
    const rescued = tables.map((table) => rescueTable(parts, table))
    countOn(target, reading, schema.get('sqlite_sequence'))
    const done = new Set([...tables.map(({ name }) => name), 'bindery_meta', 'sqlite_sequence'])
    visitOthers(reading, schema, done)
    takeLoose(reading, free, rescued)
    for (const table of rescued) table.finish()
    mendReferences(target, missing)
    target.database.exec('COMMIT')
  } finally {
    memory.close()
    pages.close()
  }
}

/** Returns the new file. Throws `StartError` where the file is of other declarations. */
export async function rescueFile(path: string, catalog: Catalog, { folder, missing }: RescueOptions): Promise<string> {
  const copy = join(folder, 'rescued.db')
  const target = openConnection(copy, { readOnly: false, make: true })
  try {
    await migrate(target, catalog)
    fill(target, { path, catalog, missing })
    return copy
  } finally {
    target.database.close()
  }
}
