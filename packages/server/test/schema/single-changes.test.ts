/**
 * A list that becomes a resource with one record, and back. More than one record refuses the
 * change, and two writers that make the record at once make one.
 */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defineResource, id, text, user } from '../../src/index.ts'
import { makeRecordStore } from '../../src/record/record-store.ts'
import { resolveStages } from '../../src/record/stages.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { migrateStorage, openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { plainSettings as settings } from '../helpers/plain-settings.ts'
import { idOf } from '../storage/library.ts'
import { kinds, makePlace, type Place } from './places.ts'

const parts = { name: 'settings', plural: 'settings', path: '/settings', fields: { id: id(), title: text() } } as const
const listed = makeCatalog([
  defineResource({ ...parts, list: { style: 'page' }, access: { read: user, create: user, update: user } }),
] as never)
const single = makeCatalog([defineResource({ ...parts, single: true, access: { read: user, update: user } })] as never)
type Catalog = typeof listed

async function inPlace<T>(place: Place, catalog: Catalog, work: (storage: Storage) => Promise<T>): Promise<T> {
  await migrateStorage(place.database, catalog)
  const storage = await openStorage(place.database, catalog, { heldMs: 0 })
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

let made = 900
function add(storage: Storage, catalog: Catalog, title: string): Promise<unknown> {
  const makeId = () => idOf(++made)
  const stagesOf = resolveStages([])
  const records = makeRecordStore({ catalog, storage, makeId, clock: Date.now, settings, stagesOf })
  return records.transaction(serviceAuthor, async (tx) =>
    tx.insert(await tx.prepare(catalog.get('settings'), { title })),
  )
}
const titles = async (storage: Storage, catalog: Catalog) => {
  const rows = await storage.list(catalog.get('settings'), { where: always, sort: [], limit: 9 })
  return rows.map(({ title }) => title)
}

for (const kind of kinds)
  describe(`a resource with one record on ${kind}`, () => {
    test('keeps the record that a list had, and takes no second one', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await inPlace(place, listed, (storage) => add(storage, listed, 'first'))
      await inPlace(place, single, async (storage) => {
        await assert.rejects(add(storage, single, 'second'), /must be unique/)
        assert.deepEqual(await titles(storage, single), ['first'])
      })
    })

    test('is refused for a list with several, which stay', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await inPlace(place, listed, async (storage) => {
        for (const title of ['a', 'b', 'c']) await add(storage, listed, title)
      })
      await assert.rejects(
        migrateStorage(place.database, single),
        /settings: is single from now on, and there are more records than one: 3 records \(/,
      )
      await inPlace(place, listed, async (storage) => assert.deepEqual((await titles(storage, listed)).length, 3))
    })

    test('is one for two instances that make it at once', { skip: kind !== 'postgres' }, async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await inPlace(place, single, (one) =>
        inPlace(place, single, async (other) => {
          const made = Array.from({ length: 12 }, (_, i) => add(i % 2 === 0 ? one : other, single, `${i}`))
          const ended = await Promise.allSettled(made)
          assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
          assert.equal((await titles(other, single)).length, 1)
        }),
      )
    })

    test('becomes a list again', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      await inPlace(place, single, (storage) => add(storage, single, 'only'))
      await inPlace(place, listed, async (storage) => {
        await add(storage, listed, 'more')
        assert.deepEqual((await titles(storage, listed)).toSorted(), ['more', 'only'])
      })
    })
  })
