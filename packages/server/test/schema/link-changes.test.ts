/**
 * Fields of links that come, change their names and go on filled tables. The links stay, also those
 * in the trash, unless an operator gives them up.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { defineResource, id, integer, manyToMany, text, user } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { migrateStorage, planStorage, rehearseMigration } from '../../src/storage/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { idOf, tester } from '../storage/library.ts'
import { kinds, makePlace, open, type Place } from './places.ts'

type Catalog = ReturnType<typeof makeCatalog>
const tag = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text() },
  access: { get: user },
}) as unknown as DeclaredResource
const plain = { id: id(), name: text({ required: true }) }

function rack(fields: Fields, more: object = {}): DeclaredResource {
  const access = { read: user, delete: user }
  return defineResource({
    name: 'rack',
    path: '/racks',
    trash: { days: 3 },
    fields: { ...plain, ...fields },
    list: { style: 'page' },
    access,
    ...more,
  } as never) as unknown as DeclaredResource
}
const catalogOf = (...all: readonly DeclaredResource[]) => makeCatalog([tag, ...all])

async function inPlace<T>(place: Place, catalog: Catalog, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await open(place, catalog)
  return work(storage).finally(() => storage.close())
}

const linked = { tags: manyToMany('tag', { ordered: true, fields: { weight: integer({ default: 1 }) } }) }
/** Rack n has the tags 11 and 10 + n. */
const linkOf = (n: number, to: number, position: number) => ({
  id: idOf(n * 100 + position),
  fromId: idOf(n),
  toId: idOf(to),
  position,
  weight: n,
})
const links = [2, 3].flatMap((n) => [linkOf(n, 11, 0), linkOf(n, 10 + n, 1)])
/** A link of a rack in the trash. */
const trashed = {
  ...linkOf(7, 11, 0),
  trashedAt: '2026-01-01T00:00:00.000Z',
  trashedBy: null,
  trashGroup: idOf(999),
  trashRoot: false,
}

/** Racks and tags, and links where the declarations have them. */
function fill(place: Place, catalog: Catalog): Promise<void> {
  return inPlace(place, catalog, (storage) =>
    storage.transaction(tester, async (transaction) => {
      const tags = [11, 12, 13].map((n) => ({ id: idOf(n), name: `tag ${n}` }))
      await transaction.insertAll(catalog.get('tag'), tags)
      await transaction.insertAll(
        catalog.get('rack'),
        [1, 2, 3].map((n) => ({ id: idOf(n), name: `rack ${n}` })),
      )
      if (!catalog.resources.has('rackTagsLink')) return
      await transaction.insertAll(catalog.get('rackTagsLink'), links)
      await transaction.insertAll(catalog.get('rackTagsLinkTrash'), [trashed])
    }),
  )
}

const versionRow = (n: number) => ({
  historyId: idOf(n),
  historyOf: idOf(n),
  historyVersion: 1,
  historyKind: 'create',
  historyAt: '2026-01-01T00:00:00.000Z',
  historyCredential: 'console',
  name: `rack ${n}`,
})

async function rowsOf(place: Place, catalog: Catalog, name: string, by = 'id'): Promise<readonly object[]> {
  return inPlace(place, catalog, async (storage) => {
    const sort = [{ field: by, descending: false }]
    const rows = await storage.list(catalog.get(name), { where: always, sort, limit: 20 })
    return rows.map(({ version: _, ...row }) => row)
  })
}

for (const kind of kinds)
  describe(`fields of links on ${kind}`, () => {
    async function started(t: { after(work: () => Promise<void>): void }, before: Catalog): Promise<Place> {
      const place = await makePlace(kind)
      t.after(place.remove)
      await fill(place, before)
      return place
    }

    /** The plan says the same as what is done, and a rehearsal passes. */
    async function migrated(place: Place, catalog: Catalog, allowed: readonly string[] = []) {
      const options = { losses: { folder: place.folder, stamp: 'now' }, allowed }
      const { steps } = await planStorage(place.database, catalog, options)
      await rehearseMigration(place.database, catalog, options)
      assert.deepEqual(await migrateStorage(place.database, catalog, options), steps)
      assert.deepEqual(await migrateStorage(place.database, catalog), [], 'nothing is left to do')
      return steps
    }

    test('a new one has no links, and takes them', async (t) => {
      const place = await started(t, catalogOf(rack({})))
      const catalog = catalogOf(rack(linked))
      assert.ok((await migrated(place, catalog)).length > 0)
      assert.deepEqual(await rowsOf(place, catalog, 'rackTagsLink'), [])
      assert.equal((await rowsOf(place, catalog, 'rack')).length, 3)
      await inPlace(place, catalog, (storage) =>
        storage.transaction(tester, (transaction) => transaction.insertAll(catalog.get('rackTagsLink'), links)),
      )
      assert.deepEqual(await rowsOf(place, catalog, 'rackTagsLink'), links)
    })

    for (const [what, after, table] of [
      ['the field', rack({ labels: { ...linked.tags, renamedFrom: 'tags' } }), 'rackLabelsLink'],
      ['the resource', rack(linked, { name: 'shelf', path: '/shelves', renamedFrom: 'rack' }), 'shelfTagsLink'],
      [
        'both',
        rack(
          { labels: { ...linked.tags, renamedFrom: 'tags' } },
          { name: 'shelf', path: '/shelves', renamedFrom: 'rack' },
        ),
        'shelfLabelsLink',
      ],
    ] as const)
      test(`the links stay with another name of ${what}`, async (t) => {
        const place = await started(t, catalogOf(rack(linked)))
        const catalog = catalogOf(after)
        await migrated(place, catalog)
        assert.deepEqual(await rowsOf(place, catalog, table), links)
        assert.deepEqual(await rowsOf(place, catalog, `${table}Trash`), [trashed])
      })

    test('versions have the links with the field, and keep them with another name', async (t) => {
      const history = { history: { keep: 3 } }
      const first = catalogOf(rack({}, history))
      const place = await started(t, first)
      await inPlace(place, first, (storage) =>
        storage.transaction(tester, (transaction) =>
          transaction.insertAll(first.get('rackVersion'), [versionRow(1), versionRow(2)]),
        ),
      )
      const second = catalogOf(rack(linked, history))
      await migrated(place, second)
      const versions = await rowsOf(place, second, 'rackVersion', 'historyId')
      assert.deepEqual(
        versions.map((one) => (one as { historyLinks: unknown }).historyLinks),
        [[], []],
      )
      const kept = [linkOf(1, 11, 0)]
      await inPlace(place, second, (storage) =>
        storage.transaction(tester, (transaction) => transaction.insertAll(second.get('rackVersionTagsLink'), kept)),
      )
      const third = catalogOf(rack({ labels: { ...linked.tags, renamedFrom: 'tags' } }, history))
      await migrated(place, third)
      assert.deepEqual(await rowsOf(place, third, 'rackVersionLabelsLink'), kept)
    })

    test('one that goes needs a word of the operator, and its links are written to a file', async (t) => {
      const place = await started(t, catalogOf(rack(linked)))
      const catalog = catalogOf(rack({}))
      const refused = await migrateStorage(place.database, catalog).then(
        () => '',
        (error: Error) => error.message,
      )
      assert.match(refused, /bindery migrate --allow-loss/)
      for (const name of ['rackTagsLink', 'rackTagsLinkTrash']) assert.match(refused, new RegExp(`\\b${name}\\b`))
      assert.deepEqual(await rowsOf(place, catalogOf(rack(linked)), 'rackTagsLink'), links)
      await migrated(place, catalog, ['rackTagsLink', 'rackTagsLinkTrash'])
      assert.equal((await rowsOf(place, catalog, 'rack')).length, 3)
      const files = readdirSync(place.folder).filter((name) => name.startsWith('lost-'))
      const lines = files.flatMap((name) => readFileSync(join(place.folder, name), 'utf8').trim().split('\n'))
      assert.equal(lines.length, links.length + 1)
    })

    test('one without links goes without a word', async (t) => {
      const place = await started(t, catalogOf(rack({})))
      await migrated(place, catalogOf(rack(linked)))
      await migrated(place, catalogOf(rack({})))
    })

    test('a new value of links is filled in each', async (t) => {
      const place = await started(t, catalogOf(rack(linked)))
      const fields = { weight: integer({ default: 1 }), note: text({ backfill: 'n' }) }
      const catalog = catalogOf(rack({ tags: manyToMany('tag', { ordered: true, fields }) }))
      await migrated(place, catalog)
      assert.deepEqual(
        await rowsOf(place, catalog, 'rackTagsLink'),
        links.map((one) => ({ ...one, note: 'n' })),
      )
    })
  })
