/**
 * A reference that becomes a field of links: each value becomes one link. A link of which one
 * record is in the trash waits in the trash of the links.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeStep } from '../../src/cli/database/step-words.ts'
import { defineResource, id, integer, manyToMany, reference, text, user } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Field, Fields } from '../../src/resource/fields/field.ts'
import { migrateStorage, planStorage, rehearseMigration } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { idOf, tester } from '../storage/library.ts'
import type { Values } from './changes.ts'
import { kinds, makePlace, open, type Place } from './places.ts'

type Catalog = ReturnType<typeof makeCatalog>
const declare = (name: string, fields: Fields, more: object = { trash: { days: 3 } }) =>
  defineResource({
    name,
    path: `/${name}s`,
    fields: { id: id(), name: text({ required: true }), ...fields },
    list: { style: 'page' },
    access: { read: user, delete: user },
    ...more,
  } as never) as unknown as DeclaredResource
const catalogOf = (fields: Fields, more?: object) =>
  makeCatalog([declare('tag', {}, more), declare('rack', fields, more)])
const tagId = reference('tag', { onDelete: 'keep' }) as Field
const tags = (more: object = {}) => ({ tags: manyToMany('tag', { renamedFrom: 'tagId', ...more }) as Field })

async function inPlace<T>(place: Place, catalog: Catalog, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await open(place, catalog)
  return work(storage).finally(() => storage.close())
}

const mark = (n: number) => ({
  trashedAt: `2026-01-0${n % 9}T00:00:00.000Z`,
  trashedBy: 'p',
  trashGroup: idOf(900 + n),
  trashRoot: true,
})
const rack = (n: number, tag: number | null) => ({ id: idOf(n), name: `rack ${n}`, tagId: tag && idOf(tag) })
const tag = (n: number) => ({ id: idOf(n), name: `tag ${n}` })

/** Tag 13 is in the trash, as are racks 5, 6 and 7. Tag 19, which rack 7 had, has gone. */
const filled: Readonly<Record<string, readonly Values[]>> = {
  tag: [tag(11), tag(12)],
  tagTrash: [{ ...tag(13), ...mark(13) }],
  rack: [rack(1, 11), rack(2, 11), rack(3, null), rack(4, 13)],
  rackTrash: [
    { ...rack(5, 11), ...mark(5) },
    { ...rack(6, 13), ...mark(6) },
    { ...rack(7, 19), ...mark(7) },
  ],
}

function fill(place: Place, catalog: Catalog, more: Readonly<Record<string, readonly Values[]>>): Promise<void> {
  return inPlace(place, catalog, (storage) =>
    storage.transaction(tester, async (transaction) => {
      for (const [name, rows] of Object.entries(more)) await transaction.insertAll(catalog.get(name), rows)
    }),
  )
}

async function rowsOf(place: Place, catalog: Catalog, name: string): Promise<readonly Values[]> {
  return inPlace(place, catalog, (storage) =>
    storage.list(catalog.get(name), { where: always, sort: [{ field: 'id', descending: false }], limit: 50 }),
  )
}
const numberOf = (value: unknown) => Number(String(value).slice(-4))
const pairs = (rows: readonly Values[]) =>
  rows
    .map(({ fromId, toId, trashGroup }) => [fromId, toId, ...(trashGroup ? [trashGroup] : [])].map(numberOf))
    .toSorted()

const refusalOf = (place: Place, catalog: Catalog) =>
  migrateStorage(place.database, catalog).then(
    () => '',
    (error: Error) => error.message,
  )

for (const kind of kinds)
  describe(`a reference and links on ${kind}`, () => {
    async function started(t: { after(work: () => Promise<void>): void }, before: Catalog): Promise<Place> {
      const place = await makePlace(kind)
      t.after(place.remove)
      await fill(place, before, before.get('rack').trash ? filled : { tag: [tag(11)], rack: [rack(1, 11)] })
      return place
    }

    test('each value becomes a link, and waits in the trash with its records', async (t) => {
      const place = await started(t, catalogOf({ tagId }))
      const catalog = catalogOf(tags({ ordered: true, fields: { weight: integer({ default: 3 }) } }))
      const planned = await planStorage(place.database, catalog)
      const said = planned.steps.map(describeStep)
      assert.ok(said.includes('link the rows of racks by tag_id, in rack_tags_links'), said.join('\n'))
      await rehearseMigration(place.database, catalog, {})
      assert.deepEqual(await migrateStorage(place.database, catalog), planned.steps)
      assert.deepEqual(await migrateStorage(place.database, catalog), [])
      const links = await rowsOf(place, catalog, 'rackTagsLink')
      assert.deepEqual(pairs(links), [
        [1, 11],
        [2, 11],
      ])
      assert.ok(links.every(({ position, weight, version }) => position === 0 && weight === 3 && version === 1))
      const trashed = await rowsOf(place, catalog, 'rackTagsLinkTrash')
      assert.deepEqual(
        pairs(trashed),
        [
          [4, 13, 913],
          [5, 11, 905],
          [6, 13, 906],
        ].toSorted(),
      )
      assert.ok(trashed.every(({ trashRoot, trashedBy }) => trashRoot === false && trashedBy === 'p'))
      assert.equal((await rowsOf(place, catalog, 'rack')).length, 4)
    })

    test('values of no record, and links that need a value, are refused', async (t) => {
      const place = await started(t, catalogOf({ tagId }))
      const catalog = catalogOf({ tagId })
      await fill(place, catalog, { rack: [rack(8, 99)] })
      assert.match(
        await refusalOf(place, catalogOf(tags())),
        /rack: field "tags": racks.tag_id becomes links to tags, and rows have an id of no such record: 1 record \(/,
      )
      assert.match(
        await refusalOf(place, catalogOf(tags({ fields: { weight: integer({ required: true }) } }))),
        /which have no value for their field "weight"; give it a default/,
      )
      assert.equal((await rowsOf(place, catalog, 'rack')).length, 5)
    })
  })
