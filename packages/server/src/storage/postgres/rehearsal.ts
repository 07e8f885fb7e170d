/** A copy of the tables in a schema of its own, for a migration that is only rehearsed. The service may go on meanwhile. */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { StartError } from '../../errors.ts'
import { quote } from '../sql/ddl-words.ts'
import { onOwnConnection } from './connect.ts'

/** The service's own functions are made anew in the copy, so it forgets that it has them. */
const forgotten = "DELETE FROM bindery_meta WHERE name = 'objects'"

async function copyTables(client: pg.Client, schema: string): Promise<void> {
  const { rows: tables } = await client.query(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
  )
  if (!tables.some(({ name }) => name === 'bindery_meta'))
    throw new StartError('There is nothing to rehearse on: the database has no tables of Bindery')
  const { rows: references } = await client.query(
    `SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`,
  )
  const { rows: own } = await client.query('SELECT current_schema() AS name')
  const from = own[0].name as string
  await client.query(`CREATE SCHEMA ${schema}`)
  for (const { name } of tables) {
    const table = quote(name)
    await client.query(`CREATE TABLE ${schema}.${table} (LIKE ${quote(from)}.${table} INCLUDING ALL)`)
    await client.query(`INSERT INTO ${schema}.${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${quote(from)}.${table}`)
  }
  await client.query(`SET LOCAL search_path = ${schema}`)
  for (const { table, name, definition } of references) {
    const bare = (definition as string).replace(/REFERENCES ("?[^".(]+"?)\./, 'REFERENCES ')
    await client.query(`ALTER TABLE ${quote(table)} ADD CONSTRAINT ${quote(name)} ${bare}`)
  }
  await client.query(forgotten)
}

/** The copy is removed afterwards. */
export async function withCopy<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const schema = `bindery_rehearsal_${randomBytes(4).toString('hex')}`
  const copy = new URL(url)
  copy.searchParams.set('options', `-c search_path=${schema}`)
  return onOwnConnection(url, async ({ client }) => {
    try {
      await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
      await client.query('BEGIN')
      await copyTables(client, schema)
      await client.query('COMMIT')
      return await work(copy.href)
    } finally {
      await client.query('ROLLBACK')
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    }
  })
}
