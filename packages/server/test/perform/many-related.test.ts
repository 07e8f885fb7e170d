/**
 * Thousands of embedded records: the loader reads them in batches, with the same result as at once,
 * while the process serves other requests.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { anyone, defineResource, derived, embedded, id, integer, reference } from '../../src/index.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { loadRelated, withVirtualFields } from '../../src/perform/read/related.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { makeCatalog, type Resource } from '../../src/resource/catalog.ts'
import { anonymous } from '../../src/resource/principal.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { ListRequest, Reader, Row, Storage } from '../../src/storage/storage.ts'
import { databaseOf, removeDatabase } from '../../src/testing/database.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/folder.ts'
import { tester } from '../storage/library.ts'

const crates = defineResource({
  name: 'crate',
  path: '/crates',
  fields: {
    id: id(),
    bolts: embedded('bolt', 'crateId'),
    weight: derived(integer(), ({ bolts }) =>
      bolts.reduce((sum: number, { grams }: { grams: number }) => sum + grams, 0),
    ),
  },
  access: { get: anyone, create: anyone },
})
const bolts = defineResource({
  name: 'bolt',
  path: '/bolts',
  fields: { id: id(), crateId: reference('crate', { onDelete: 'delete' }), grams: integer() },
  access: { get: anyone, create: anyone },
})

const settings = { currency: 'EUR', signUp: 'open' } as const
const catalog = makeCatalog([crates, bolts])
const [crate, bolt] = [catalog.get('crate'), catalog.get('bolt')]
const idOf = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
/** How many bolts a crate has: mostly few, two have thousands. */
const counts = Array.from({ length: 120 }, (_, i) => (i === 7 || i === 50 ? 2_500 : i % 3 === 0 ? 0 : 80))
const crateIds = counts.map((_, i) => idOf(i + 1))
/** Ids that do not rise with the order of insertion. */
const boltId = (crateIndex: number, n: number) => idOf(1_000_000 + ((n * 7919) % 10_007) * 1_000 + crateIndex)

describe('many related records', () => {
  const folder = temporaryFolder()
  let storage: Storage
  let engine: Engine
  let requests: ListRequest[]
  let reader: Reader

  before(async () => {
    const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
    storage = await openStorage(config.database, catalog, { heldMs: 0, making: 'empty' })
    engine = { catalog, settings, storage, policy: makePolicy(catalog, settings) } as unknown as Engine
    await storage.transaction(tester, async (transaction) => {
      await transaction.insertAll(
        crate,
        crateIds.map((one) => ({ id: one })),
      )
      for (const [i, count] of counts.entries()) {
        const made = Array.from({ length: count }, (_, n) => ({ id: boltId(i, n), crateId: crateIds[i], grams: n }))
        if (made.length > 0) await transaction.insertAll(bolt, made)
      }
    })
    reader = {
      ...storage,
      list(resource, request) {
        requests.push(request)
        return storage.list(resource, request)
      },
    }
  })
  after(async () => {
    await storage.close()
    await removeDatabase(folder)
    removeFolder(folder)
  })

  const loading = () => ({ engine, reader, principal: anonymous })
  const rowsOf = (resource: Resource, ids: readonly string[]) =>
    storage.list(resource, {
      where: { kind: 'in', field: 'id', values: ids },
      sort: [{ field: 'id', descending: false }],
      limit: 10_000,
    })
  const idsOf = (rows: unknown) => (rows as Row[]).map((row) => row.id)
  const expected = (i: number) => Array.from({ length: counts[i] ?? 0 }, (_, n) => boltId(i, n)).toSorted()

  it('are the same as one by one, in order', async () => {
    requests = []
    const found = await withVirtualFields(loading(), {
      resource: crate,
      rows: await rowsOf(crate, crateIds),
      names: null,
    })
    for (const [i, row] of found.entries()) {
      assert.deepEqual(idsOf(row.bolts), expected(i))
      assert.equal(row.weight, ((counts[i] ?? 0) * Math.max(0, (counts[i] ?? 0) - 1)) / 2)
    }
    assert.ok(requests.length < 40, `${requests.length} queries`)
    for (const { limit } of requests) assert.ok(limit <= 1001, `a query of ${limit} rows`)
  })

  it('are one query where they are few', async () => {
    requests = []
    await withVirtualFields(loading(), {
      resource: crate,
      rows: await rowsOf(crate, crateIds.slice(8, 20)),
      names: null,
    })
    assert.equal(requests.length, 1)
  })

  it('sorted and limited, no more of each is read than is needed', async () => {
    requests = []
    const sort = [{ field: 'grams', descending: true }]
    const ids = new Set(crateIds)
    const relation = { resource: bolt, by: 'crateId', ids, as: 'value', names: ['grams'], sort, limitEach: 3 } as const
    const { groups } = await loadRelated(loading(), relation)
    for (const [i, count] of counts.entries()) {
      const grams = groups.get(crateIds[i])?.map((row) => row.grams) ?? []
      assert.deepEqual(grams, count === 0 ? [] : [count - 1, count - 2, count - 3])
    }
    for (const { limit } of requests) assert.ok(limit <= 1001, `a query of ${limit} rows`)
  })

  it('let others have their turns', async () => {
    requests = []
    const rows = await rowsOf(crate, crateIds)
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    for (let round = 0; round < 3; round += 1)
      await withVirtualFields(loading(), { resource: crate, rows, names: null })
    isOver = true
    assert.ok(turns >= 3, `${turns} turns`)
  })
})
