/**
 * Copies the tables into a schema of their own, for work that is only rehearsed. The service may go
 * on meanwhile.
 */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { StartError } from '../../../errors.ts'
import { quote } from '../../sql/ddl-words.ts'
import { onOwnConnection } from '../connect/connect.ts'
import type { PostgresSetup } from '../connect/setup.ts'

/** The copy has to create the service's own functions again, so it forgets that it has them. */
const forgotten = "DELETE FROM bindery_meta WHERE name = 'objects'"

const tablesSql =
  "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = quote_ident(current_schema())::regnamespace"

/**
 * Keys and references, with the names that errors and later migrations use; those of a table
 * precede those that refer to it.
 */
const constraintsSql = `SELECT c.relname AS table, k.conname AS name, k.contype AS type, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE k.contype IN ('p', 'u', 'f') AND c.relnamespace = quote_ident(current_schema())::regnamespace`

/** The other indexes: their text names the table with its schema. */
const indexesSql = `SELECT pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE c.relkind = 'r' AND c.relnamespace = quote_ident(current_schema())::regnamespace
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))`

/** As PostgreSQL writes it in definitions. */
const ownSchemaSql = 'SELECT quote_ident(current_schema()) AS quoted'

const countedSql = `SELECT table_name AS table, column_name AS column FROM information_schema.columns
  WHERE table_schema = $1 AND is_identity = 'YES'`

/** `from`: the source schema, as PostgreSQL quotes it. */
type SchemaCopy = { readonly from: string; readonly schema: string }

/** Sets the counters of ids in the copy to those of the service. */
async function countOn(client: pg.Client, { from, schema }: SchemaCopy): Promise<void> {
  const { rows } = await client.query(countedSql, [schema])
  for (const { table, column } of rows) {
    const last = 'pg_sequence_last_value(pg_get_serial_sequence($1, $3)::regclass)'
    await client.query(`SELECT setval(pg_get_serial_sequence($2, $3), ${last}) WHERE ${last} IS NOT NULL`, [
      `${from}.${quote(table)}`,
      `${quote(schema)}.${quote(table)}`,
      column,
    ])
  }
}

/** Creates the same indexes and constraints under the same names. */
async function indexCopy(client: pg.Client, { from, schema }: SchemaCopy): Promise<void> {
  const { rows: constraints } = await client.query(constraintsSql)
  const { rows: indexes } = await client.query(indexesSql)
  const add = ({ table, name, definition }: Record<string, string>) =>
    client.query(`ALTER TABLE ${quote(schema)}.${quote(table ?? '')} ADD CONSTRAINT ${quote(name ?? '')} ${definition}`)
  for (const one of constraints.filter(({ type }) => type !== 'f')) await add(one)
  for (const { definition } of indexes)
    await client.query(definition.replace(` ON ${from}.`, () => ` ON ${quote(schema)}.`))
  await client.query(`SET LOCAL search_path = ${quote(schema)}`)
  for (const one of constraints.filter(({ type }) => type === 'f')) {
    await add({ ...one, definition: one.definition.replace(`REFERENCES ${from}.`, 'REFERENCES ') })
  }
}

async function copyTables(client: pg.Client, schema: string): Promise<void> {
  const { rows: tables } = await client.query(tablesSql)
  if (!tables.some(({ name }) => name === 'bindery_meta'))
    throw new StartError('There is nothing to rehearse on: the database has no tables of Bindery')
  const { rows: own } = await client.query(ownSchemaSql)
  const from = own[0].quoted as string
  await client.query(`CREATE SCHEMA ${quote(schema)}`)
  for (const { name } of tables) {
    const [copy, table] = [quote(schema), from].map((place) => `${place}.${quote(name)}`)
    await client.query(`CREATE TABLE ${copy} (LIKE ${table} INCLUDING ALL EXCLUDING INDEXES)`)
    await client.query(`INSERT INTO ${copy} OVERRIDING SYSTEM VALUE SELECT * FROM ${table}`)
  }
  await countOn(client, { from, schema })
  await indexCopy(client, { from, schema })
  await client.query(forgotten)
}

/** The work gets the name of the schema; the copy is removed afterwards. */
export async function withCopy<T>(setup: PostgresSetup, work: (schema: string) => Promise<T>): Promise<T> {
  const schema = `bindery_rehearsal_${randomBytes(4).toString('hex')}`
  return onOwnConnection(setup, async ({ client }) => {
    try {
      await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await copyTables(client, schema)
      await client.query('COMMIT')
      return await work(schema)
    } finally {
      await client.query('ROLLBACK')
      await client.query(`DROP SCHEMA IF EXISTS ${quote(schema)} CASCADE`)
    }
  })
}
