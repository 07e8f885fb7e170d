/**
 * Fills two folders with the same rows: Bindery's own, through the engine's own writes, and the
 * tables of the hand-written routes. With `keep` they are made once for each size and copied for
 * each run.
 */
import { closeSync, cpSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { resources } from '../apps/shop/resources/index.ts'
import type { ServedEngine } from '../packages/server/src/accounts/served-engine.ts'
import { timestampOf } from '../packages/server/src/base/clock.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { openEngine } from '../packages/server/src/service/open-engine.ts'
import { serviceAuthor } from '../packages/server/src/storage/changes.ts'
import { bookOf, countsOf, makeProducts, messageOf, userCount } from './data.ts'
import { createIndexes, createTables, insertOf } from './hand-written-tables.ts'

/** Raised when the rows change: a kept folder of another version is not used. */
const version = 1
const batch = 5000
const start = Date.parse('2026-01-01T00:00:00Z')

export const adminEmail = 'admin@bench.example'
export const readerEmail = 'reader0@bench.example'
export const benchPassword = 'only for the bench'

type Values = Record<string, unknown>
type Report = (text: string) => void
type Filling = { readonly engine: ServedEngine; readonly plain: DatabaseSync; readonly report: Report }

async function insertRows(
  { engine, plain, report }: Filling,
  name: string,
  made: { count: number; row: (index: number) => Values },
) {
  const resource = engine.catalog.get(name)
  const insert = insertOf(plain, name)
  for (let from = 0; from < made.count; from += batch) {
    const rows: Values[] = []
    for (let i = from; i < Math.min(from + batch, made.count); i += 1) rows.push(made.row(i))
    await engine.records.transaction({ ...serviceAuthor, role: 'ADMIN' }, async (tx) => {
      const records = []
      for (const row of rows) records.push(await tx.prepare(resource, row))
      await tx.insertAll(records)
    })
    plain.exec('BEGIN')
    for (const row of rows) insert(row)
    plain.exec('COMMIT')
    report(`${Math.min(from + batch, made.count).toLocaleString('en')} of ${made.count.toLocaleString('en')} ${name}s`)
  }
}

/** Creation times a second apart, the newest last. */
function timesOf(index: number): { createdAt: string; updatedAt: string } {
  const now = timestampOf(start + index * 1000)
  return { createdAt: now, updatedAt: now }
}

async function fillBoth(filling: Filling, products: number): Promise<void> {
  const { engine } = filling
  const counts = countsOf(products)
  const password = await engine.identity.hashPassword(benchPassword)
  const userIds = Array.from({ length: userCount + 1 }, () => engine.makeId())
  await insertRows(filling, 'user', {
    count: userCount + 1,
    row: (i) => ({
      id: userIds[i],
      email: i === userCount ? adminEmail : `reader${i}@bench.example`,
      name: `Reader ${i}`,
      password,
      role: i === userCount ? 'ADMIN' : 'USER',
      status: 'ACTIVE',
      ...timesOf(i),
    }),
  })
  await insertRows(filling, 'book', { count: counts.books, row: (i) => ({ id: i + 1, ...bookOf(i, counts.books) }) })
  await insertRows(filling, 'message', {
    count: counts.messages,
    row: (i) => {
      const { from, to, text } = messageOf(i)
      const { createdAt } = timesOf(i)
      return { _id: engine.makeId(), senderId: userIds[from], recipientId: userIds[to], text, createdAt }
    },
  })
  const product = makeProducts()
  await insertRows(filling, 'product', {
    count: counts.products,
    row: (i) => ({ id: engine.makeId(), ...product(i), ...timesOf(i) }),
  })
}

async function make(folder: string, products: number, report: Report): Promise<void> {
  const engine = await openEngine(readConfig({ DATA_DIR: join(folder, 'bindery') }), resources, { making: 'fresh' })
  const plain = new DatabaseSync(join(folder, 'hand-written.db'))
  try {
    createTables(plain)
    await fillBoth({ engine, plain, report }, products)
    report('indexes of the hand-written tables')
    createIndexes(plain)
  } finally {
    plain.close()
    await engine.storage.close()
  }
}

export type Filled = { readonly dataDir: string; readonly plainFile: string }

/**
 * Syncs all that was written. Otherwise the system writes gigabytes while the first workloads run,
 * and their first fsync waits for it.
 */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = openSync(join(entry.parentPath, entry.name), 'r+')
    fsyncSync(file)
    closeSync(file)
  }
}

/** Two fresh copies in `folder`, for one run to write to. */
export async function fill(
  products: number,
  at: { folder: string; keep: string | undefined },
  report: Report,
): Promise<Filled> {
  const made = join(at.folder, `rows-${products}`)
  const filled = { dataDir: join(made, 'bindery'), plainFile: join(made, 'hand-written.db') }
  mkdirSync(made, { recursive: true })
  if (at.keep === undefined) {
    await make(made, products, report)
    syncAll(made)
    return filled
  }
  const kept = join(at.keep, `v${version}-${products}`)
  if (!existsSync(kept)) {
    const partial = `${kept}.partial-${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(partial, { recursive: true })
    await make(partial, products, report)
    renameSync(partial, kept)
  }
  report(`copying ${kept}`)
  cpSync(kept, made, { recursive: true })
  syncAll(made)
  return filled
}
