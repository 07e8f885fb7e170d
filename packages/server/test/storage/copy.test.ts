/**
 * Copies between databases with declarations that the library does not have: references within a
 * table, every type of value, ids far ahead.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import { captureRows, putBackRows } from '../../src/backup/rows-backup.ts'
import {
  autoNumber,
  bigint,
  boolean,
  decimal,
  defineResource,
  float,
  id,
  integer,
  integerId,
  list,
  reference,
  text,
  textList,
  timestamp,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { type CopiedTable, CopyError } from '../../src/storage/copy/copy-tables.ts'
import type { ConfiguredDatabase } from '../../src/storage/database-kind.ts'
import { copyStorage, openStorage, parseDatabase } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { ClaimedEffect } from '../../src/storage/stored-effects.ts'
import { compare, deleteWhere, idOf, tester, updateWhere } from './library.ts'

const leaf = defineResource({
  name: 'leaf',
  plural: 'leaves',
  fields: {
    id: id(),
    parentId: reference('leaf'),
    label: text({ required: true, unique: true }),
    size: integer(),
    mass: bigint(),
    heat: float(),
    cost: decimal({ precision: 18, scale: 2 }),
    costs: list(decimal({ precision: 18, scale: 2 })),
    flag: boolean({ default: false }),
    tags: textList(),
    seenAt: timestamp({ setOn: 'transition' }),
  },
  list: { style: 'page', search: ['label'] },
  access: {},
})
const ticket = defineResource({
  name: 'ticket',
  fields: { id: integerId(), nextId: reference('ticket'), label: text(), no: autoNumber() },
  access: {},
})
const bud = defineResource({
  name: 'bud',
  fields: { id: id(), leafId: reference('leaf', { onDelete: 'delete' }) },
  access: {},
})
const catalog = makeCatalog([leaf, ticket, bud])
const leaves = catalog.get('leaf')
const tickets = catalog.get('ticket')
const buds = catalog.get('bud')
const numbers = { resource: tickets, field: 'no', base: 0, tenant: null }
const watch = { began: async () => {}, copied: () => {}, compared: () => {}, stop: new AbortController().signal }

/**
 * More than a batch. Each row refers to the next, which is copied later; the last refers to itself.
 */
const count = 120
const times = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2026-02-28T10:00:00.120Z', null]
const labels = ['Straße', 'ﬁne \u{1f9f5}', 'it\'s \\ "x"', 'a\nb\tc', 'É']

const leave = (storage: Storage, names: readonly string[]) =>
  storage.transaction(tester, (transaction) =>
    transaction.leaveEffects(
      names.map((name) => {
        const about = { kind: 'told', key: 'a', payload: `{"said":"\u{1f9f5} ${name}"}`, context: '{"depth":1}' }
        return { ...about, id: `told-${name}`, inOrder: true, dueMs: 7, leftMs: 5 }
      }),
    ),
  )
const claim = (storage: Storage, nowMs: number) =>
  storage.effects.claim({
    kind: 'told',
    fromMs: 0,
    withLost: true,
    nowMs,
    limit: 9,
    holder: 'one',
    leaseMs: 50,
    inOrder: true,
  })

/** One failed, one running, one behind it. */
async function leaveWork(storage: Storage): Promise<void> {
  await leave(storage, ['gone', 'lost', 'runs', 'behind'])
  const [gone] = await claim(storage, 7)
  const givenUp = [{ ...(gone as ClaimedEffect), error: 'no \u00e9' }]
  await storage.effects.settle('one', { done: [], later: [], givenUp }, 7)
  const [lost] = await claim(storage, 8)
  await storage.effects.settle('one', { done: [lost as ClaimedEffect], later: [], givenUp: [] }, 8)
  const running = await claim(storage, 9)
  assert.deepEqual(
    running.map(({ id }) => id),
    ['told-runs'],
  )
  assert.equal(await storage.effects.keepSteps('one', running[0] as ClaimedEffect, '[["charge"]]'), true)
}

/** Running effects wait again, and the order is the same. */
async function checkWork(storage: Storage): Promise<void> {
  await leave(storage, ['new'])
  const all = await storage.effects.list({ limit: 9, nowMs: 9 })
  assert.deepEqual(
    all.map(({ id, state, tries, error, dueMs, payload }) => [id, state, tries, error, dueMs, payload]),
    [
      ['told-gone', 'given-up', 1, 'no \u00e9', 7, '{"said":"\u{1f9f5} gone"}'],
      ['told-runs', 'waiting', 1, null, 59, '{"said":"\u{1f9f5} runs"}'],
      ['told-behind', 'behind', 0, null, 7, '{"said":"\u{1f9f5} behind"}'],
      ['told-new', 'waiting', 0, null, 7, '{"said":"\u{1f9f5} new"}'],
    ],
  )
  const [runs] = await claim(storage, 59)
  assert.deepEqual([runs?.id, runs?.tries, runs?.wasLost], ['told-runs', 2, false])
  assert.deepEqual([runs?.context, runs?.steps], ['{"depth":1}', '[["charge"]]'])
}

async function fill(database: ConfiguredDatabase): Promise<void> {
  const storage = await openStorage(database, catalog, { heldMs: 0, making: 'empty' })
  await storage.transaction(tester, async (transaction) => {
    for (let n = count; n > 0; n -= 1) {
      await transaction.insert(leaves, {
        id: idOf(n),
        mass: n % 5 === 0 ? null : 2n ** 63n - BigInt(n),
        costs: n % 4 === 0 ? [] : [`${n}.50`, '9999999999999999.99'],
        heat: n % 7 === 0 ? null : 1 / n,
        cost: n % 3 === 0 ? null : 10n ** 18n - BigInt(n),
        parentId: idOf(Math.min(n + 1, count)),
        label: `${labels[n % labels.length]} ${n}`,
        size: n % 3 === 0 ? null : (n % 2 === 0 ? -1 : 1) * (Number.MAX_SAFE_INTEGER - n),
        flag: n % 2 === 0,
        tags: n % 4 === 0 ? [] : [labels[n % labels.length], ''],
        seenAt: times[n % times.length],
      })
      await transaction.insert(buds, { id: idOf(n), leafId: idOf(n) })
    }
    await transaction.insert(tickets, { id: 9, nextId: null, label: null, no: 1 })
    await transaction.insert(tickets, { id: 3, nextId: 9, label: '', no: 2 })
    await transaction.insert(tickets, { id: 1000, nextId: null, label: 'gone', no: 3 })
    assert.equal(await transaction.takeNumbers(numbers, 4), 7)
    await deleteWhere(transaction, tickets, compare('id', 'eq', 1000))
    await updateWhere(transaction, { resource: leaves, where: compare('id', 'eq', idOf(2)), changes: { flag: true } })
  })
  await leaveWork(storage)
  await storage.close()
}

async function makeDatabases() {
  const folder = temporaryFolder()
  const names = [1, 2].map(() => `copying_${randomBytes(6).toString('hex')}`)
  const urls = await Promise.all(names.map((name) => makePostgresDatabase(sharedCluster(), name)))
  const paths = ['a', 'b'].map((name) => join(folder, name))
  const files = paths.map((path) => parseDatabase({ DATABASE_URL: `sqlite:${path}` }, folder))
  const servers = urls.map((url) => parseDatabase({ DATABASE_URL: url, DATABASE_CONNECTIONS: '2' }, folder))
  const remove = async () => {
    for (const name of names) await dropPostgresDatabase(sharedCluster(), name)
    removeFolder(folder)
  }
  return {
    files: files as [ConfiguredDatabase, ConfiguredDatabase],
    servers: servers as [ConfiguredDatabase, ConfiguredDatabase],
    paths,
    urls,
    remove,
  }
}

async function check(database: ConfiguredDatabase): Promise<void> {
  const storage = await openStorage(database, catalog, { heldMs: 0, making: 'empty' })
  assert.equal(await storage.count(leaves, always), count)
  const made = await storage.transaction(tester, async (transaction) => {
    const no = await transaction.takeNumbers(numbers, 1)
    assert.equal(no, 8)
    return transaction.insert(tickets, { label: 'new', no })
  })
  assert.equal(made.id, 1001)
  const second = await storage.find(leaves, compare('id', 'eq', idOf(2)))
  assert.deepEqual([second?.row.version, second?.row.parentId], [2, idOf(3)])
  // references are enforced and cascade as before
  const gone = compare('id', 'eq', idOf(count))
  await storage.transaction(tester, (transaction) => deleteWhere(transaction, leaves, gone))
  assert.equal(await storage.count(leaves, always), count - 1)
  assert.equal(await storage.count(buds, always), count - 1)
  const last = await storage.find(leaves, compare('id', 'eq', idOf(count - 1)))
  assert.equal(last?.row.parentId, null)
  await checkWork(storage)
  await storage.close()
}

test('rows that refer to later ones, and every kind of value, go round all databases', async () => {
  const { files, servers, urls, remove } = await makeDatabases()
  try {
    await fill(files[0])
    const route = [files[0], servers[0], servers[1], files[1]]
    const results: (readonly CopiedTable[])[] = []
    for (const [i, to] of route.slice(1).entries())
      results.push(await copyStorage({ from: route[i] as ConfiguredDatabase, to }, catalog, watch))
    for (const result of results) assert.deepEqual(result, results[0])
    assert.deepEqual(
      results[0]?.map(({ table, target }) => [table, target.rows]),
      [
        ['leaves', count],
        ['tickets', 2],
        ['buds', count],
        ['bindery_effects', 3],
        ['bindery_numbers', 1],
      ],
    )
    const deferrable = 'SELECT conname FROM pg_constraint WHERE condeferrable'
    assert.deepEqual(await runSql(urls[0] as string, deferrable), [])
    for (const database of route.slice(1)) await check(database)
  } finally {
    await remove()
  }
})

test('a target with work is not empty, and backups of rows carry it', async () => {
  const { files, servers, remove } = await makeDatabases()
  const folder = temporaryFolder()
  try {
    for (const database of [files[0], servers[0]]) {
      const storage = await openStorage(database, catalog, { heldMs: 0, making: 'empty' })
      await leaveWork(storage)
      await storage.close()
    }
    for (const [from, to] of [
      [files[0], servers[0]],
      [servers[0], files[0]],
    ] as const)
      await assert.rejects(copyStorage({ from, to }, catalog, watch), /not empty: bindery_effects has rows/)
    const { file } = await captureRows(servers[0], catalog, { folder })
    await putBackRows(files[1], catalog, join(folder, file))
    const storage = await openStorage(files[1], catalog, { heldMs: 0, making: 'empty' })
    await checkWork(storage)
    await storage.close()
  } finally {
    removeFolder(folder)
    await remove()
  }
})

test('work of an earlier version, which has no contexts and no steps, goes to others and into backups', async () => {
  const { files, paths, servers, urls, remove } = await makeDatabases()
  const folder = temporaryFolder()
  const without = ['context', 'steps'].map((name) => `ALTER TABLE bindery_effects DROP COLUMN ${name}`)
  try {
    await fill(files[0])
    const file = new DatabaseSync(paths[0] as string)
    for (const statement of without) file.exec(statement)
    file.close()
    await copyStorage({ from: files[0], to: servers[0] }, catalog, watch)
    for (const statement of without) await runSql(urls[0] as string, statement)
    const { file: packed } = await captureRows(servers[0], catalog, { folder })
    await putBackRows(files[1], catalog, join(folder, packed))
    const storage = await openStorage(files[1], catalog, { heldMs: 0, making: 'empty' })
    const left = await storage.effects.list({ limit: 9, nowMs: 9 })
    assert.deepEqual(
      left.map(({ id, context, steps }) => [id, context, steps]),
      ['told-gone', 'told-runs', 'told-behind'].map((id) => [id, null, null]),
    )
    await storage.close()
  } finally {
    removeFolder(folder)
    await remove()
  }
})

test('a lost row is found, and the copy undone', async () => {
  const { files, servers, urls, remove } = await makeDatabases()
  try {
    await fill(files[0])
    await (await openStorage(servers[0], catalog, { heldMs: 0, making: 'empty' })).close()
    const url = urls[0] as string
    await runSql(url, 'CREATE RULE lost AS ON INSERT TO tickets WHERE NEW.id = 3 DO INSTEAD NOTHING')
    await assert.rejects(copyStorage({ from: files[0], to: servers[0] }, catalog, watch), (error: CopyError) => {
      assert.ok(error instanceof CopyError)
      assert.match(error.message, /differs from its source in tickets, and nothing of it was kept/)
      assert.deepEqual(
        error.tables.map(({ source, target }) => [source.rows, target.rows]),
        [
          [count, count],
          [2, 1],
          [count, count],
          [3, 3],
          [1, 1],
        ],
      )
      return true
    })
    assert.deepEqual(await runSql(url, 'SELECT 1 FROM leaves'), [])
    await assert.rejects(
      openStorage(servers[0], catalog, { heldMs: 0, making: 'empty' }),
      /target of a copy from sqlite:/,
    )
  } finally {
    await remove()
  }
})
