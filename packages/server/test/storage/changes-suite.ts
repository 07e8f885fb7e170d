/**
 * The change log, the same on every database: each change arrives once, whichever process made it,
 * also from overlapping transactions.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Resource } from '../../src/resource/catalog.ts'
import { always, equal } from '../../src/resource/condition.ts'
import type { Change, ChangeReader } from '../../src/storage/changes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { stuckMs } from '../helpers/until.ts'
import {
  compare,
  type Database,
  fill,
  idOf,
  libraryCatalog,
  type MakeDatabase,
  shelf,
  tester,
  updateWhere,
  volume,
  volumeOf,
} from './library.ts'
import { readUntil } from './settled.ts'

function recorder(): ChangeReader & { readonly seen: Change[]; resets(): number } {
  const seen: Change[] = []
  let resets = 0
  return {
    seen,
    resets: () => resets,
    apply: (changes) => void seen.push(...changes),
    reset() {
      resets += 1
    },
  }
}

const idsOf = (changes: readonly Change[]) => changes.flatMap(({ records }) => records.map(({ id }) => id))

export function changesSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: the change log`, () => {
    let database: Database
    let one: Storage
    let two: Storage
    beforeEach(async () => {
      database = await make()
      one = await database.open(libraryCatalog)
      await fill(one, [{}])
      two = await database.open(libraryCatalog)
    })
    afterEach(async () => {
      await Promise.all([one.close(), two.close()])
      await database.remove()
    })

    test('says what was written, by whom and when', async () => {
      const reader = recorder()
      one.changes.watch(volume, ['rank'])
      one.changes.follow(reader)
      const author = { userId: 'u1', role: 'ADMIN', credential: 'key:k1' }
      const sinceMs = Date.now()
      await one.transaction(author, async (transaction) => {
        const row = await transaction.insert(volume, volumeOf(9, { rank: 1 }))
        const next = await transaction.update(volume, row, { rank: 2 })
        await transaction.deleteAll(volume, [next])
      })
      const told = reader.seen.map(({ resource, kind, records, detail, userId, credential }) => ({
        resource, kind, records, detail, userId, credential,
      })) // biome-ignore format: a list of names
      const common = { resource: 'volume', userId: 'u1', credential: 'key:k1' }
      const at = (version: number) => [{ id: idOf(9), version }]
      assert.deepEqual(told, [
        { ...common, kind: 'insert', records: at(1), detail: { after: { rank: 1 } } },
        { ...common, kind: 'update', records: at(2), detail: { before: { rank: 1 }, after: { rank: 2 } } },
        { ...common, kind: 'delete', records: at(2), detail: { before: { rank: 2 } } },
      ])
      for (const { atMs } of reader.seen) assert.ok(atMs >= sinceMs && atMs <= Date.now())
    })

    test('carries the whole records before and after, in memory and in this process alone', async () => {
      const [reader, other] = [recorder(), recorder()]
      one.changes.follow(reader)
      two.changes.follow(other)
      const stored = async (resource: Resource) => {
        const rows = await one.list(resource, { where: always, sort: [], limit: 100 })
        return new Map(rows.map(({ version: _, ...values }) => [values[resource.idField], values]))
      }
      const replayed = new Map([
        [volume.name, await stored(volume)],
        [shelf.name, await stored(shelf)],
      ])
      await one.transaction(tester, async (transaction) => {
        await transaction.insertAll(shelf, [{ label: 'c' }, { label: 'b' }, { label: 'a' }, { id: 40, label: 'd' }])
        await transaction.insert(shelf, { label: 'e' })
        const row = await transaction.insert(volume, volumeOf(9, { seenAt: '2026-01-01T00:00:00.000Z', tags: ['x'] }))
        await transaction.update(volume, row, { rank: 2, note: null })
        await transaction.insertAll(volume, [volumeOf(10, { note: 'secret' }), volumeOf(11), volumeOf(12)])
      })
      await one.transaction(tester, async (transaction) => {
        const rows = await transaction.list(volume, { where: compare('rank', 'eq', 2), sort: [], limit: 9 })
        const more = await transaction.list(volume, { where: equal('id', idOf(11)), sort: [], limit: 9 })
        await transaction.deleteAll(volume, [...more, ...rows])
      })
      for (const { resource, images = [] } of reader.seen)
        for (const { before, after } of images) {
          const rows = replayed.get(resource)
          const { version: _, ...was } = (before ?? {}) as Record<string, unknown>
          const { version: __, ...is } = (after ?? {}) as Record<string, unknown>
          if (before) assert.deepEqual(was, rows?.get(was.id))
          if (before) rows?.delete(was.id)
          if (after) rows?.set(is.id, is)
        }
      assert.deepEqual(replayed.get(volume.name), await stored(volume))
      assert.deepEqual(replayed.get(shelf.name), await stored(shelf))

      reader.seen.length = 0
      await one.transaction(tester, (transaction) =>
        updateWhere(transaction, { resource: volume, where: always, changes: { rank: 7 } }),
      )
      assert.deepEqual(
        reader.seen.map(({ images, fields }) => ({ images, fields })),
        [{ images: undefined, fields: ['rank'] }],
      )
      await two.changes.catchUp()
      assert.ok(other.seen.length > 5)
      for (const { images, fields } of other.seen) assert.deepEqual([images, fields], [undefined, undefined])
      assert.ok(
        !JSON.stringify((await two.changes.read(null, 1000)).changes, (_, value) =>
          typeof value === 'bigint' ? '' : value,
        ).includes('secret'),
      )
    })

    test('knows its own records too while another process writes in between', async () => {
      const reader = recorder()
      one.changes.follow(reader)
      await two.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(20)))
      await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(21)))
      await one.changes.catchUp()
      const known = new Map(reader.seen.map(({ records, images }) => [records[0]?.id, images?.length]))
      assert.deepEqual(
        known,
        new Map([
          [idOf(20), undefined],
          [idOf(21), 1],
        ]),
      )
    })

    test('a write of many is one row that names them', async () => {
      const reader = recorder()
      one.changes.follow(reader)
      await one.transaction(tester, (transaction) =>
        transaction.insertAll(
          volume,
          Array.from({ length: 40 }, (_, i) => volumeOf(10 + i)),
        ),
      )
      assert.equal(reader.seen.length, 1)
      assert.equal(reader.seen[0]?.records.length, 40)
    })

    test('what is undone leaves nothing', async () => {
      const reader = recorder()
      one.changes.follow(reader)
      const undone = one.transaction(tester, async (transaction) => {
        await transaction.insert(volume, volumeOf(9))
        throw new Error('no')
      })
      await assert.rejects(undone)
      await one.changes.catchUp()
      assert.deepEqual(reader.seen, [])
    })

    test('each change is told once to each process, though they write in turn', async () => {
      const readers = [recorder(), recorder()]
      one.changes.follow(readers[0] as ChangeReader)
      two.changes.follow(readers[1] as ChangeReader)
      for (let n = 10; n < 30; n += 1)
        await (n % 2 ? one : two).transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
      const wanted = Array.from({ length: 20 }, (_, i) => idOf(10 + i))
      for (const [i, storage] of [one, two].entries()) {
        await storage.changes.catchUp()
        assert.deepEqual(idsOf(readers[i]?.seen ?? []).toSorted(), wanted)
        assert.equal(readers[i]?.resets(), 0)
      }
    })

    test('a reader keeps its place, and finds what came while it was away', async () => {
      // A change is settled when every older transaction of the whole cluster has ended, such as a
      // neighbour's or an autovacuum's.
      await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(9)))
      const isThere = (changes: readonly Change[]) => idsOf(changes).includes(idOf(9))
      const begin = (await readUntil(one.changes, null, isThere)).place
      for (let n = 10; n < 15; n += 1)
        await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
      const deadlineMs = Date.now() + stuckMs
      const found: unknown[] = []
      for (let place = begin; found.length < 5 && Date.now() < deadlineMs; ) {
        const read = await two.changes.read(place, 2)
        found.push(...idsOf(read.changes))
        place = read.place
        if (read.changes.length === 0) await sleep(10)
      }
      assert.deepEqual((await two.changes.read(begin, 100)).changes.length, 5)
      assert.deepEqual(found, [10, 11, 12, 13, 14].map(idOf))
    })

    test('old changes are swept, and a reader that was away longer is told so', async () => {
      for (let n = 10; n < 30; n += 1)
        await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
      while (await one.changes.sweep(Date.now() + 61_000));
      // The last one stays, and on SQLite a row about the sweep
      assert.ok((await one.changes.read(null, 100)).changes.length <= 2)
      const reader = recorder()
      one.changes.follow(reader)
      await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(40)))
      assert.deepEqual(idsOf(reader.seen), [idOf(40)])
      assert.equal(await two.count(volume, always), 22, 'a total that rests on swept changes is not used')
    })

    test('ids that are counted are numbers again', async () => {
      const reader = recorder()
      two.changes.follow(reader)
      await one.transaction(tester, (transaction) => transaction.insert(shelf, { label: 'third' }))
      await two.changes.catchUp()
      assert.deepEqual(reader.seen[0]?.records, [{ id: 3, version: 1 }])
    })

    test('what writes past Bindery makes everything anew', async () => {
      const reader = recorder()
      two.changes.follow(reader)
      assert.equal(await two.count(volume, always), 1)
      await database.writePast('DELETE FROM volumes')
      await two.changes.catchUp()
      assert.ok(
        reader.resets() > 0 || reader.seen.some(({ kind, resource }) => kind === 'unknown' && resource === 'volume'),
      )
      assert.equal(await two.count(volume, always), 0)
    })

    for (const [rows, where] of [
      ['its newest row', 'WHERE sequence = (SELECT max(sequence) FROM bindery_changes)'],
      ['its newest rows', 'WHERE sequence > (SELECT max(sequence) - 2 FROM bindery_changes)'],
      ['all of its rows', ''],
    ])
      test(`no process misses a change after something else deleted ${rows}`, async () => {
        for (const n of [10, 11, 12]) await two.transaction(tester, (one) => one.insert(volume, volumeOf(n)))
        for (const storage of [one, two]) await storage.changes.catchUp()
        const readers = [recorder(), recorder()]
        one.changes.follow(readers[0] as ChangeReader)
        two.changes.follow(readers[1] as ChangeReader)
        assert.equal(await one.count(volume, always), 4)
        await database.writePast(`DELETE FROM bindery_changes ${where}`)
        // Neither has looked since
        for (const n of [20, 21, 22, 23]) await two.transaction(tester, (one) => one.insert(volume, volumeOf(n)))
        for (const [i, storage] of [one, two].entries()) {
          await storage.changes.catchUp()
          const { seen, resets } = readers[i] as ReturnType<typeof recorder>
          assert.ok(resets() > 0 || idsOf(seen).length === 4, `${i}: ${idsOf(seen)}`)
          assert.equal(await storage.count(volume, always), 8)
        }
      })

    test('no reader misses a change whose row another program deleted before they read it', async () => {
      const reader = recorder()
      one.changes.follow(reader)
      assert.equal(await one.count(volume, always), 1)
      await two.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(10)))
      await database.writePast('DELETE FROM bindery_changes')
      await one.changes.catchUp()
      assert.ok(reader.resets() > 0 || idsOf(reader.seen).includes(idOf(10)))
      assert.equal(await one.count(volume, always), 2)
    })

    test('a kept total is not used after any of it', async () => {
      assert.equal(await two.count(volume, always), 1)
      await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(9)))
      assert.equal(await two.count(volume, always), 2)
    })
  })
}
