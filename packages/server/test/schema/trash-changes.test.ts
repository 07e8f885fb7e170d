/**
 * A trash that is switched on and off. Fields that are added, renamed and dropped change in both of
 * its tables by one migration.
 */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defineResource, id, reference, text, user } from '../../src/index.ts'
import { makeRecordStore } from '../../src/record/record-store.ts'
import { resolveStages } from '../../src/record/stages.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { migrateStorage, openStorage } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { plainSettings as settings } from '../helpers/plain-settings.ts'
import { idOf } from '../storage/library.ts'
import { kinds, makePlace, type Place } from './places.ts'

const plain = { id: id(), name: text({ required: true, unique: true }), note: text() }
const rack = (fields: Fields, more: object = { trash: { days: 3 } }) =>
  defineResource({
    name: 'rack',
    path: '/racks',
    fields,
    list: { style: 'page', search: ['name'] },
    access: { list: user, delete: user },
    ...more,
  } as never) as unknown as DeclaredResource
const tag = defineResource({
  name: 'tag',
  fields: { id: id(), rackId: reference('rack') },
  access: {},
}) as unknown as DeclaredResource
const catalogOf = (...all: readonly DeclaredResource[]) => makeCatalog(all)
type Catalog = ReturnType<typeof catalogOf>

async function inPlace<T>(place: Place, catalog: Catalog, work: (storage: Storage) => Promise<T>): Promise<T> {
  await migrateStorage(place.database, catalog)
  const storage = await openStorage(place.database, catalog, { heldMs: 0 })
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

function storeOf(storage: Storage, catalog: Catalog) {
  let made = 900
  const makeId = () => idOf(++made)
  return makeRecordStore({ catalog, storage, makeId, clock: Date.now, settings, stagesOf: resolveStages([]) })
}

/** A rack with a tag, both stored; the rack goes to the trash. */
async function trashOne(storage: Storage, catalog: Catalog): Promise<void> {
  const records = storeOf(storage, catalog)
  await records.transaction(serviceAuthor, async (tx) => {
    const made = await tx.insert(await tx.prepare(catalog.get('rack'), { name: 'old', note: 'n' }))
    await tx.insert(await tx.prepare(catalog.get('tag'), { rackId: made.id }))
    await tx.remove(catalog.get('rack'), made)
  })
}

for (const kind of kinds)
  describe(`schema changes of a trash on ${kind}`, () => {
    test('it is switched on with records there, and its references are no foreign keys any more', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const without = catalogOf(rack(plain, {}), tag)
      await inPlace(place, without, async (storage) => {
        const records = storeOf(storage, without)
        await records.transaction(serviceAuthor, async (tx) => {
          const made = await tx.insert(await tx.prepare(without.get('rack'), { name: 'first' }))
          await tx.insert(await tx.prepare(without.get('tag'), { rackId: made.id }))
        })
      })
      const catalog = catalogOf(rack(plain), tag)
      await inPlace(place, catalog, async (storage) => {
        const records = storeOf(storage, catalog)
        const where = equal('name', 'first')
        const found = await storage.find(catalog.get('rack'), where)
        await records.transaction(serviceAuthor, (tx) => tx.removeWhere(catalog.get('rack'), where))
        const [kept] = await storage.list(catalog.get('tag'), { where: always, sort: [], limit: 2 })
        assert.equal(kept?.rackId, found?.row.id)
        assert.equal((await storage.find(catalog.get('rackTrash'), where))?.row.name, 'first')
      })
    })

    test('fields come, go and change their names in both tables', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const first = catalogOf(rack(plain), tag)
      await inPlace(place, first, (storage) => trashOne(storage, first))
      const renamed = {
        ...plain,
        note: undefined,
        remark: text({ renamedFrom: 'note' }),
        more: text({ backfill: 'm' }),
      }
      const { note: _, ...fields } = renamed
      const second = catalogOf(rack(fields as Fields), tag)
      await inPlace(place, second, async (storage) => {
        const [row] = await storage.list(second.get('rackTrash'), { where: always, sort: [], limit: 2 })
        assert.deepEqual([row?.name, row?.remark, row?.more], ['old', 'n', 'm'])
        const records = storeOf(storage, second)
        await records.transaction(serviceAuthor, async (tx) => {
          const found = await tx.lock(second.get('rackTrash'), always)
          await tx.restore(second.get('rackTrash'), found?.row as never)
        })
        const back = await storage.find(second.get('rack'), always)
        assert.deepEqual([back?.row.remark, back?.row.more, back?.row.version], ['n', 'm', 2])
      })
    })

    test('records in a trash that is switched off are data that only an operator gives up', async (t) => {
      const place = await makePlace(kind)
      t.after(place.remove)
      const first = catalogOf(rack(plain), tag)
      await inPlace(place, first, (storage) => trashOne(storage, first))
      const without = catalogOf(rack(plain, {}), tag)
      const refused = await migrateStorage(place.database, without).then(
        () => '',
        (error: Error) => error.message,
      )
      assert.match(refused, /bindery migrate --allow-loss rackTrash/)
      assert.match(refused, /tags.rack_id refers to racks from now on, and rows have an id of no such record/)
      // An empty one goes, and foreign keys are there again.
      const other = await makePlace(kind)
      t.after(other.remove)
      await inPlace(other, first, async () => undefined)
      await inPlace(other, without, async (storage) => {
        const found = await storage.list(without.get('rack'), { where: always, sort: [], limit: 1 })
        assert.deepEqual(found, [])
      })
    })
  })
