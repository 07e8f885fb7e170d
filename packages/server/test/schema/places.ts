/**
 * An empty database of each kind, and functions that fill and read it, for tests of schema changes.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import type { Catalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import type { ConfiguredDatabase } from '../../src/storage/database-kind.ts'
import { openStorage, parseDatabase } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { tester } from '../storage/library.ts'
import { type SchemaChange, storedOf, type Values } from './changes.ts'

const both = ['sqlite', 'postgres'] as const
/** Both, unless the run was asked for one. */
export const kinds = both.filter((kind) => (process.env.BINDERY_TEST_ONLY ?? kind) === kind)
export type Place = {
  readonly env: Record<string, string>
  readonly folder: string
  readonly database: ConfiguredDatabase
  /** Runs SQL as another program would. */
  forget(sql: string): Promise<void>
  /** Saves the content of the database; no client may be connected. */
  save(): Promise<void>
  /** Puts that back. */
  bringBack(): Promise<void>
  remove(): Promise<void>
}

export async function makePlace(kind: (typeof both)[number]): Promise<Place> {
  const folder = temporaryFolder()
  const name = `schema_${randomBytes(6).toString('hex')}`
  const url = kind === 'sqlite' ? `sqlite:${folder}/schema.db` : await makePostgresDatabase(sharedCluster(), name)
  const env = { DATABASE_URL: url, DATABASE_CONNECTIONS: '2', DATA_DIR: folder }
  return {
    env,
    folder,
    database: parseDatabase(env, folder),
    async forget(sql) {
      if (kind === 'postgres') return void (await runSql(url, sql))
      const file = new DatabaseSync(`${folder}/schema.db`)
      file.exec(sql)
      file.close()
    },
    async save() {
      if (kind === 'sqlite') return copyFileSync(`${folder}/schema.db`, `${folder}/saved`)
      await runSql(sharedCluster(), `CREATE DATABASE ${name}_saved TEMPLATE ${name}`)
    },
    async bringBack() {
      if (kind === 'sqlite') {
        for (const rest of ['-wal', '-shm']) rmSync(`${folder}/schema.db${rest}`, { force: true })
        return copyFileSync(`${folder}/saved`, `${folder}/schema.db`)
      }
      await dropPostgresDatabase(sharedCluster(), name)
      await runSql(sharedCluster(), `CREATE DATABASE ${name} TEMPLATE ${name}_saved`)
    },
    async remove() {
      if (kind === 'postgres')
        for (const one of [name, `${name}_saved`]) await dropPostgresDatabase(sharedCluster(), one)
      removeFolder(folder)
    },
  }
}

export function open({ database }: Place, catalog: Catalog): Promise<Storage> {
  return openStorage(database, catalog, { heldMs: 0, making: 'empty' })
}

export function recordBefore({ stored }: Pick<SchemaChange, 'stored'>, n: number): Values {
  return { ...storedOf(n), ...stored?.(n) }
}

/** Records 1 to `count` of the resource `thing`, as they are before the change. */
export async function fill(
  place: Place,
  change: Pick<SchemaChange, 'stored'>,
  catalog: Catalog,
  count: number,
): Promise<void> {
  const storage = await open(place, catalog)
  const resource = catalog.get('thing')
  for (let from = 1; from <= count; from += 5_000)
    await storage.transaction(tester, async (transaction) => {
      const last = Math.min(count, from + 4_999)
      const records = Array.from({ length: last - from + 1 }, (_, i) => recordBefore(change, from + i))
      await transaction.insertAll(resource, records)
    })
  await storage.close()
}

/** The same for records of other resources; none where a function gives none. */
export async function fillMore(
  place: Place,
  records: Readonly<Record<string, (n: number) => Values | undefined>> | undefined,
  { catalog, count }: { readonly catalog: Catalog; readonly count: number },
): Promise<void> {
  if (!records) return
  const storage = await open(place, catalog)
  for (const [name, of] of Object.entries(records))
    for (let from = 1; from <= count; from += 5_000)
      await storage.transaction(tester, async (transaction) => {
        const length = Math.min(5_000, count - from + 1)
        const all = Array.from({ length }, (_, i) => of(from + i)).filter((one) => one !== undefined)
        await transaction.insertAll(catalog.get(name), all)
      })
  await storage.close()
}

export async function* recordsOf(storage: Storage, catalog: Catalog, name: string): AsyncGenerator<Values> {
  const resource = catalog.get(name)
  const walk = storage.walk(resource, {
    where: always,
    sort: [{ field: resource.idField, descending: false }],
    limit: 1_000,
  })
  for (;;) {
    const rows = await walk.next()
    if (rows.length === 0) return walk.close()
    yield* rows
  }
}

/** The expected record. */
export function recordAfter(change: SchemaChange, n: number): Values {
  const all = { ...recordBefore(change, n), ...change.becomes(n), version: 1 }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
