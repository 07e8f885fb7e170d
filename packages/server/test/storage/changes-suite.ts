/** What every database must do alike: each change told once, whoever made it, also when transactions overlap. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { always } from '../../src/resource/condition.ts'
import type { Change, ChangeReader } from '../../src/storage/changes.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  type Database,
  fill,
  idOf,
  libraryCatalog,
  type MakeDatabase,
  shelf,
  tester,
  volume,
  volumeOf,
} from './library.ts'

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
      const begin = (await one.changes.read(null, 100)).place
      for (let n = 10; n < 15; n += 1)
        await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
      const found: unknown[] = []
      for (let place = begin; ; ) {
        const read = await two.changes.read(place, 2)
        if (read.changes.length === 0) break
        found.push(...idsOf(read.changes))
        place = read.place
      }
      assert.deepEqual(found, [10, 11, 12, 13, 14].map(idOf))
    })

    test('what is old is swept, and whoever was away longer is told so', async () => {
      for (let n = 10; n < 30; n += 1)
        await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(n)))
      while (await one.changes.sweep(Date.now() + 1000));
      assert.ok((await one.changes.read(null, 100)).changes.length <= 1)
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

    test('a kept total is not used after any of it', async () => {
      assert.equal(await two.count(volume, always), 1)
      await one.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(9)))
      assert.equal(await two.count(volume, always), 2)
    })
  })
}
