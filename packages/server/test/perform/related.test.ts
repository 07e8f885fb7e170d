/**
 * The loader of related records: how it groups them, which rules it applies, and how many queries
 * it makes.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import {
  anyOf,
  defineResource,
  derived,
  embedded,
  id,
  integer,
  lookup,
  owner,
  reference,
  role,
  text,
  through,
} from '../../src/index.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { loadRelated, type RelationQuery, withVirtualFields } from '../../src/perform/read/related.ts'
import { makePolicy } from '../../src/policy/policy.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Reader, Storage } from '../../src/storage/storage.ts'
import { databaseOf, removeDatabase } from '../../src/testing/database.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/folder.ts'
import { tester } from '../storage/library.ts'

const mine = anyOf([owner('ownerId'), role('ADMIN')])
const boats = defineResource({
  name: 'boat',
  path: '/boats',
  fields: {
    id: id(),
    ownerId: text(),
    name: text(),
    secret: text({ read: role('ADMIN') }),
    trips: embedded('trip', 'boatId'),
    miles: derived(integer(), ({ trips }) =>
      trips.reduce((sum: number, { total }: { total: number }) => sum + total, 0),
    ),
  },
  access: { get: mine, create: role('ADMIN') },
})
const trips = defineResource({
  name: 'trip',
  fields: {
    id: id(),
    boatId: reference('boat', { onDelete: 'delete' }),
    length: integer(),
    boatName: lookup(text(), { via: 'boatId', field: 'name' }),
    legs: embedded('leg', 'tripId'),
    total: derived(integer(), ({ length, legs }) => length + legs.length),
  },
  path: '/trips',
  access: { get: through('boatId', mine) },
})
const legs = defineResource({
  name: 'leg',
  path: '/legs',
  fields: { id: id(), tripId: reference('trip', { onDelete: 'delete' }), harbour: text() },
  access: { create: role('ADMIN') },
})

const settings = { currency: 'EUR', signUp: 'open' } as const
const catalog = { ...makeCatalog([boats, trips, legs]), roles: makeRoles(['USER', 'ADMIN']) }
const [boat, trip, leg] = ['boat', 'trip', 'leg'].map((name) => catalog.get(name)) as [
  ReturnType<typeof catalog.get>,
  ReturnType<typeof catalog.get>,
  ReturnType<typeof catalog.get>,
]
const idOf = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
const user = (userId: string, more: Partial<Principal> = {}): Principal =>
  ({ kind: 'user', userId, role: 'USER', via: 'token', scopes: null, ...more }) as Principal

describe('loadRelated', () => {
  const folder = temporaryFolder()
  let storage: Storage
  let engine: Engine
  let queries: string[]
  let reader: Reader

  before(async () => {
    const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
    storage = await openStorage(config.database, catalog, { heldMs: 0, making: 'empty' })
    engine = { catalog, settings, storage, policy: makePolicy(catalog, settings) } as unknown as Engine
    await storage.transaction(tester, async (transaction) => {
      const boatsMade = ['ann', 'ann', 'ben'].map((ownerId, i) => ({
        id: idOf(i + 1),
        ownerId,
        name: `Boat ${i + 1}`,
        secret: 'leaks',
      }))
      await transaction.insertAll(boat, boatsMade)
      // Boat 1 has three trips, boat 2 has one, boat 3 has two; each trip has as many legs as its
      // number.
      const lengths = [30, 10, 20, 7, 5, 6]
      const tripsMade = lengths.map((length, i) => ({
        id: idOf(i + 11),
        boatId: idOf([1, 1, 1, 2, 3, 3][i] as number),
        length,
      }))
      await transaction.insertAll(trip, tripsMade)
      const legsMade = tripsMade.flatMap((one, i) =>
        Array.from({ length: i }, (_, n) => ({ id: idOf(100 + i * 10 + n), tripId: one.id, harbour: `H${n}` })),
      )
      await transaction.insertAll(leg, legsMade)
    })
    reader = {
      ...storage,
      list(resource, request) {
        queries.push(resource.name)
        return storage.list(resource, request)
      },
    }
  })
  beforeEach(() => {
    queries = []
  })
  after(async () => {
    await storage.close()
    await removeDatabase(folder)
    removeFolder(folder)
  })

  const ask = (principal: Principal, relation: RelationQuery) => loadRelated({ engine, reader, principal }, relation)
  const tripsOf = (...ids: number[]) =>
    ({ resource: trip, by: 'boatId', ids: new Set(ids.map(idOf)), as: 'record' }) as const
  const lengthsOf = async (principal: Principal, relation: RelationQuery) => {
    const { groups } = await ask(principal, relation)
    return Object.fromEntries([...groups].map(([key, rows]) => [String(key).slice(-1), rows.map((row) => row.length)]))
  }

  it('groups children by their parents, oldest first, with one query', async () => {
    assert.deepEqual(await lengthsOf(user('ann'), { ...tripsOf(1, 2), names: ['length'] }), { 1: [30, 10, 20], 2: [7] })
    assert.deepEqual(queries, ['trip'])
  })

  it('narrows, sorts, and limits the number of each', async () => {
    const sort = [{ field: 'length', descending: true }]
    const admin = user('', { role: 'ADMIN' } as Partial<Principal>)
    const all = { ...tripsOf(1, 2, 3), names: ['length'], sort }
    assert.deepEqual(await lengthsOf(admin, { ...all, limitEach: 2 }), { 1: [30, 20], 2: [7], 3: [6, 5] })
    const where = { kind: 'compare', field: 'length', operator: 'gte', value: 7 } as const
    assert.deepEqual(await lengthsOf(admin, { ...all, where, limitEach: 1 }), { 1: [30], 2: [7] })
  })

  it('is judged by the rule of what is loaded', async () => {
    assert.deepEqual(await lengthsOf(user('ben'), { ...tripsOf(1, 2, 3), names: ['length'] }), { 3: [5, 6] })
    assert.deepEqual(await lengthsOf(anonymous, { ...tripsOf(1, 2, 3), names: ['length'] }), {})
  })

  it('gives a key no more than its scopes allow, but also the parts of records that it may see', async () => {
    const key = user('ann', { via: 'key', scopes: ['boats:read'] } as Partial<Principal>)
    const wanted = { ...tripsOf(1), names: ['length'] }
    assert.deepEqual(await lengthsOf(key, wanted), {})
    assert.deepEqual(await lengthsOf(key, { ...wanted, as: 'part' }), { 1: [30, 10, 20] })
  })

  it('looks values up for everybody', async () => {
    const relation = { resource: boat, by: 'id', ids: new Set([idOf(3)]), as: 'value', names: ['name'] } as const
    const { groups } = await ask(anonymous, relation)
    assert.equal(groups.get(idOf(3))?.[0]?.name, 'Boat 3')
  })

  it('says which fields the caller may read', async () => {
    const relation = { resource: boat, by: 'id', ids: new Set([idOf(1)]), as: 'record', names: ['name'] } as const
    assert.equal((await ask(user('ann'), relation)).visible.has('secret'), false)
  })

  it('makes the virtual fields of what it loads, one query a kind and level', async () => {
    const { groups } = await ask(user('ann'), { ...tripsOf(1, 2), names: ['total', 'boatName'] })
    const totals = [...groups.values()].flat().map((row) => [row.total, row.boatName, (row.legs as unknown[]).length])
    assert.deepEqual(totals, [
      [30, 'Boat 1', 0],
      [11, 'Boat 1', 1],
      [22, 'Boat 1', 2],
      [10, 'Boat 2', 3],
    ])
    assert.deepEqual(queries, ['trip', 'boat', 'leg'])
  })

  it('derives from what is embedded two levels below, and shows it only to those who may see it', async () => {
    const relation = { resource: boat, by: 'id', ids: new Set([1, 2, 3].map(idOf)), as: 'record', names: null } as const
    const { groups } = await ask(user('ann'), relation)
    const [first] = groups.get(idOf(1)) ?? []
    assert.equal(first?.miles, 30 + 11 + 22)
    assert.deepEqual((first?.trips as { legs: unknown }[])[1]?.legs, [
      { id: idOf(110), tripId: idOf(12), harbour: 'H0' },
    ])
    assert.equal(groups.has(idOf(3)), false)
    assert.deepEqual(queries, ['boat', 'trip', 'boat', 'leg'])
  })

  it('asks nothing where there is nothing to load', async () => {
    await ask(user('ann'), { ...tripsOf(), names: null })
    await ask(anonymous, { ...tripsOf(1), names: null })
    const rows = await withVirtualFields(
      { engine, reader, principal: anonymous },
      { resource: boat, rows: [], names: null },
    )
    assert.deepEqual([rows, queries], [[], []])
  })
})
