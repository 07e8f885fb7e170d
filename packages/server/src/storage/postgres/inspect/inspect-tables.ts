/**
 * Inspects the tables of a PostgreSQL database: the real schema, whether every page can be read,
 * and the triggers that log other programs' writes.
 */
import type pg from 'pg'
import type { Catalog } from '../../../resource/catalog.ts'
import { type Findings, named } from '../../finding.ts'
import { quote } from '../../sql/ddl-words.ts'
import { presentOf } from './present.ts'

type InspectScope = { readonly where: string; readonly deep: boolean }

export async function inspectTriggers({ about }: Findings, client: pg.Client, catalog: Catalog): Promise<void> {
  const { rows } = await client.query(
    `SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE t.tgname = 'bindery_written_past' AND t.tgenabled <> 'D' AND c.relnamespace = quote_ident(current_schema())::regnamespace`,
  )
  const there = new Set(rows.map(({ name }) => name))
  const lost = [...catalog.resources.values()].map(({ table }) => table).filter((table) => !there.has(table))
  if (lost.length > 0)
    about('triggers', named(lost)).warn(
      'bindery_written_past is not there or is off: what other programs write stays unseen',
      'The next start makes it again: restart one instance',
    )
}

async function inspectIndexes({ about }: Findings, client: pg.Client, { where, deep }: InspectScope): Promise<void> {
  const invalid = await client.query(
    `SELECT i.relname AS name FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
     WHERE NOT x.indisvalid AND i.relnamespace = quote_ident(current_schema())::regnamespace`,
  )
  for (const { name } of invalid.rows)
    about('indexes', name).bad('it was not finished, and serves no query', `REINDEX INDEX CONCURRENTLY ${quote(name)}`)
  if (!deep) return
  const checker = await client.query("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'")
  if (checker.rows.length === 0) {
    about('integrity (deep)', where).ok(
      'every table was read; indexes need the extension amcheck: CREATE EXTENSION amcheck',
    )
    return
  }
  const { rows } = await client.query(
    `SELECT i.relname AS name, i.oid::int AS oid FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
     WHERE m.amname = 'btree' AND x.indisvalid AND i.relnamespace = quote_ident(current_schema())::regnamespace`,
  )
  let isFine = true
  for (const { name, oid } of rows) {
    await client.query('SAVEPOINT one')
    try {
      await client.query('SELECT bt_index_check($1::oid::regclass, true)', [oid])
    } catch (error) {
      isFine = false
      about('integrity (deep)', name).bad(
        (error as Error).message,
        `REINDEX INDEX CONCURRENTLY ${quote(name)}; then find out why: the disk, the memory, a new version of the C library`,
      )
    }
    await client.query('ROLLBACK TO one')
  }
  if (isFine) about('integrity (deep)', where).ok(`every table and ${rows.length} indexes were read`)
}

/** Reads every row to find pages that cannot be read. */
async function inspectPages({ about }: Findings, client: pg.Client, where: string): Promise<void> {
  let isFine = true
  for (const table of (await presentOf(client)).keys()) {
    await client.query('SAVEPOINT one')
    try {
      await client.query(`SELECT sum(length(t::text)) FROM ${quote(table)} AS t`)
    } catch (error) {
      isFine = false
      about('integrity', table).bad(
        (error as Error).message,
        'Stop the instances and restore a backup; PostgreSQL’s log names the page',
      )
    }
    await client.query('ROLLBACK TO one')
  }
  if (isFine) about('integrity', where).ok('every row was read')
}

/** Reads each row in a deep inspection, and checks each index as far as the server can. */
export async function inspectIntegrity(findings: Findings, client: pg.Client, at: InspectScope): Promise<void> {
  if (at.deep) await inspectPages(findings, client, at.where)
  await inspectIndexes(findings, client, at)
}
