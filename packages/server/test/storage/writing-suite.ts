/** Writes and transactions, the same on every database, and their visibility to other processes. */

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../../src/errors.ts'
import { makeRecordStore } from '../../src/record/record-store.ts'
import { resolveStages } from '../../src/record/stages.ts'
import { all, always, equal, isNull } from '../../src/resource/condition.ts'
import type { Row, Storage } from '../../src/storage/storage.ts'
import { plainSettings as settings } from '../helpers/plain-settings.ts'
import {
  by,
  compare,
  type Database,
  deleteWhere,
  fill,
  idOf,
  libraryCatalog,
  type MakeDatabase,
  searching,
  shelf,
  tester,
  updateWhere,
  volume,
  volumeOf,
} from './library.ts'

const isConflict = (message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.code === 'conflict' && message.test(error.message)

export function writingSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: writing`, () => {
    let database: Database
    let storage: Storage
    beforeEach(async () => {
      database = await make()
      storage = await database.open(libraryCatalog)
      await fill(storage, [{ note: 'first' }, { rank: 2, spareId: 2 }, { shelfId: 2, spareId: 1 }])
    })
    afterEach(async () => {
      await storage.close()
      await database.remove()
    })
    const get = async (n: number) => (await storage.find(volume, equal('id', idOf(n))))?.row as Row
    const count = () => storage.count(volume, always)

    test('insert answers with the row as stored, version 1', async () => {
      const made = await storage.transaction(tester, (transaction) =>
        transaction.insert(volume, { id: idOf(9), shelfId: 2, title: 'Nine', lent: true, tags: ['a'] }),
      )
      assert.deepEqual(made, { ...volumeOf(9, { shelfId: 2, title: 'Nine', lent: true, tags: ['a'] }), version: 1 })
      assert.deepEqual(await get(9), made)
    })

    test('integer ids count up and are never used twice', async () => {
      const add = (label: string) => storage.transaction(tester, (transaction) => transaction.insert(shelf, { label }))
      assert.equal((await add('three')).id, 3)
      await storage.transaction(tester, (transaction) => deleteWhere(transaction, shelf, equal('id', 3)))
      assert.equal((await add('four')).id, 4)
    })

    test('a counter at its end gives no id twice, and says so', async () => {
      const last = Number.MAX_SAFE_INTEGER
      await storage.transaction(tester, (transaction) => transaction.insert(shelf, { id: last, label: 'last' }))
      const refused = isConflict(/^No id is left for another shelf$/)
      for (const label of ['one', 'two'])
        await assert.rejects(
          storage.transaction(tester, (transaction) => transaction.insert(shelf, { label })),
          refused,
        )
      await assert.rejects(
        storage.transaction(tester, (transaction) =>
          transaction.insertAll(shelf, [{ label: 'one' }, { label: 'two' }]),
        ),
        refused,
      )
      const shelves = await storage.list(shelf, { where: always, sort: by('id'), limit: 9 })
      assert.deepEqual(
        shelves.map(({ id }) => id),
        [1, 2, last],
      )
    })

    test('many are inserted at once, with ids and without, or none of them', async () => {
      const many = Array.from({ length: 120 }, (_, i) =>
        volumeOf(10 + i, { title: `Volume ${10 + i}`, note: 'of many' }),
      )
      await storage.transaction(tester, (transaction) => transaction.insertAll(volume, many))
      assert.equal(await storage.count(volume, searching('many')), 120)
      assert.deepEqual(await get(129), { ...many[119], version: 1 })
      await storage.transaction(tester, async (transaction) => {
        await transaction.insertAll(shelf, [])
        await transaction.insertAll(shelf, [
          { id: 70, label: 'seventy' },
          { label: 'next' },
          { id: 60, label: 'sixty' },
        ])
        assert.equal((await transaction.insert(shelf, { label: 'last' })).id as number, 72)
      })
      const shelves = await storage.list(shelf, { where: always, sort: by('id'), limit: 9 })
      assert.deepEqual(
        shelves.slice(2).map(({ id, label, version }) => [id, label, version]),
        [
          [60, 'sixty', 1],
          [70, 'seventy', 1],
          [71, 'next', 1],
          [72, 'last', 1],
        ],
      )
      const twice = storage.transaction(tester, (transaction) =>
        transaction.insertAll(volume, [...Array.from({ length: 60 }, (_, i) => volumeOf(200 + i)), volumeOf(1)]),
      )
      await assert.rejects(twice, (error: unknown) => error instanceof ApiError && error.code === 'conflict')
      assert.equal(await count(), 123)
    })

    test('update changes what it names, and the version', async () => {
      const before = await get(1)
      const after = await storage.transaction(tester, (transaction) =>
        transaction.update(volume, before, { rank: 7, note: null }),
      )
      assert.deepEqual(after, { ...before, rank: 7, note: null, version: 2 })
      assert.deepEqual(await get(1), after)
      assert.equal(await storage.count(volume, searching('first')), 0)
      await storage.transaction(tester, (transaction) => transaction.update(volume, after, { title: 'SECOND life' }))
      assert.equal(await storage.count(volume, searching('second', 'li')), 1)
      assert.equal(await storage.count(volume, compare('title', 'eq', 'second LIFE')), 1)
    })

    test('a walk by cursor visits texts that differ only in case once each', async () => {
      await storage.transaction(tester, async (transaction) => {
        await transaction.insert(volume, volumeOf(10, { title: 'same', rank: 77 }))
        await transaction.insert(volume, volumeOf(11, { title: 'SAME', rank: 77, shelfId: 2 }))
      })
      const request = { where: compare('rank', 'eq', 77), sort: by('rank', 'title', 'id'), limit: 1 }
      const second = await storage.list(volume, { ...request, after: { values: [77, 'SAME', idOf(11)] } })
      assert.deepEqual(
        second.map((row) => row.id),
        [idOf(10)],
      )
      assert.deepEqual(await storage.list(volume, { ...request, after: { values: [77, 'same', idOf(10)] } }), [])
    })

    test('updateWhere and deleteWhere say how many', async () => {
      assert.equal(
        await storage.transaction(tester, (transaction) =>
          updateWhere(transaction, { resource: volume, where: equal('shelfId', 1), changes: { rank: 5 } }),
        ),
        2,
      )
      assert.deepEqual([(await get(1)).version, (await get(2)).rank, (await get(3)).version], [2, 5, 1])
      assert.equal(
        await storage.transaction(tester, (transaction) =>
          updateWhere(transaction, { resource: volume, where: equal('rank', 77), changes: { rank: 5 } }),
        ),
        0,
      )
      assert.equal(
        await storage.transaction(tester, (transaction) => deleteWhere(transaction, volume, equal('rank', 5))),
        2,
      )
      assert.equal(await count(), 1)
    })

    test('a unique key conflicts, in another case too, and nothing of the transaction stays', async () => {
      const twice = storage.transaction(tester, async (transaction) => {
        await transaction.insert(shelf, { label: 'new' })
        await transaction.insert(shelf, { label: 'LEFT' })
      })
      await assert.rejects(twice, isConflict(/^label must be unique/))
      assert.equal(await storage.count(shelf, always), 2)
      const pair = storage.transaction(tester, (transaction) =>
        transaction.insert(volume, volumeOf(9, { title: 'VOLUME 1' })),
      )
      await assert.rejects(pair, isConflict(/shelfId and title must be unique/))
      const moved = storage.transaction(tester, async (transaction) =>
        transaction.update(volume, await get(3), { shelfId: 1, title: 'volume 1' }),
      )
      await assert.rejects(moved, isConflict(/must be unique/))
    })

    test('an error in the work undoes all of it, and reaches the caller', async () => {
      const failed = storage.transaction(tester, async (transaction) => {
        await transaction.insert(volume, volumeOf(9))
        await deleteWhere(transaction, shelf, equal('id', 1))
        assert.equal(await transaction.count(volume, always), 1, 'it sees its own writes')
        throw new Error('enough')
      })
      await assert.rejects(failed, /^Error: enough$/)
      assert.equal(await count(), 3)
      assert.equal(await storage.count(shelf, always), 2)
      await storage.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(9)))
      assert.equal(await count(), 4, 'the next transaction works')
    })

    test('transactions that run at once do not lose each other’s writes', async () => {
      const addOne = () =>
        storage.transaction(tester, async (transaction) => {
          const row = (await transaction.lock(volume, equal('id', idOf(2))))?.row as Row
          await turn()
          await transaction.update(volume, row, { rank: (row.rank as number) + 1 })
        })
      await Promise.all(Array.from({ length: 20 }, addOne))
      assert.deepEqual([(await get(2)).rank, (await get(2)).version], [22, 21])
    })

    test('readers see only what is committed', async () => {
      await storage.transaction(tester, async (transaction) => {
        await transaction.insert(volume, volumeOf(9))
        await transaction.update(volume, await get(1), { rank: 9 })
        await turn()
        assert.equal(await count(), 3)
        assert.equal((await get(1)).rank, null)
        assert.equal(await storage.find(volume, equal('id', idOf(9))), undefined)
      })
      assert.equal(await count(), 4)
      assert.equal((await get(1)).rank, 9)
    })

    test('deleting a record deletes or clears what refers to it', async () => {
      const stagesOf = resolveStages([])
      const parts = { catalog: libraryCatalog, storage, clock: Date.now, makeId: () => '', settings, stagesOf }
      await makeRecordStore(parts).transaction(tester, (tx) => tx.removeWhere(shelf, equal('id', 1)))
      assert.equal(await count(), 1)
      assert.equal((await get(3)).spareId, null)
      assert.equal(await storage.count(volume, isNull('spareId')), 1, 'a total that was kept is not used again')
      assert.equal(await storage.count(volume, searching('volume')), 1, 'search forgets it too')
    })

    test('a reference to nothing is not stored', async () => {
      await assert.rejects(
        storage.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(9, { shelfId: 77 }))),
      )
      assert.equal(await count(), 3)
    })

    test('a write that is undone changes no total', async () => {
      assert.equal(await count(), 3)
      const undone = storage.transaction(tester, async (transaction) => {
        await deleteWhere(transaction, volume, always)
        throw new Error('no')
      })
      await assert.rejects(undone)
      assert.equal(await count(), 3)
    })

    test('another process’s write changes the totals at once', async () => {
      const other = await database.open(libraryCatalog)
      try {
        assert.equal(await count(), 3)
        for (let i = 10; i < 15; i += 1) {
          await other.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(i)))
          await turn()
          assert.equal(await count(), i - 6)
        }
        assert.equal(await other.count(volume, always), await count())
      } finally {
        await other.close()
      }
    })

    test('a total that was counted while another process wrote is not kept', async () => {
      const other = await database.open(libraryCatalog)
      try {
        // In one turn of the event loop: a read, a write by another process, a count.
        await get(1)
        await other.transaction(tester, (transaction) => transaction.insert(volume, volumeOf(20)))
        await count()
        await turn()
        assert.equal(await count(), 4)
      } finally {
        await other.close()
      }
    })

    test('counters count up within their window and start again after it', async () => {
      const key = `k${Math.random()}`
      const up = async (nowMs: number) => storage.countUp(key, 1000, nowMs)
      assert.deepEqual(await storage.readCounter(key, 5000), { count: 0, resetAtMs: 5000 })
      assert.deepEqual(await up(5000), { count: 1, resetAtMs: 6000 })
      assert.deepEqual(await up(5999), { count: 2, resetAtMs: 6000 })
      assert.deepEqual(await storage.readCounter(key, 5999), { count: 2, resetAtMs: 6000 })
      assert.equal((await storage.readCounter(key, 6000)).count, 0)
      assert.deepEqual(await up(6000), { count: 1, resetAtMs: 7000 })
      await storage.clearCounter(key)
      assert.equal((await storage.readCounter(key, 6001)).count, 0)
      const counts = await Promise.all(Array.from({ length: 10 }, () => up(6001)))
      assert.equal(Math.max(...counts.map((one) => one.count)), 10)
    })

    test('counters are shared with other processes, and outlive their own', async () => {
      await storage.countUp('shared', 1000, 1)
      const other = await database.open(libraryCatalog)
      assert.equal((await other.countUp('shared', 1000, 2)).count, 2)
      await other.close()
      assert.equal((await storage.countUp('shared', 1000, 3)).count, 3)
    })

    test('check passes, and a second opening keeps everything', async () => {
      await storage.check()
      const before = await storage.list(volume, { where: all(), sort: by('id'), limit: 9 })
      const again = await database.open(libraryCatalog)
      assert.deepEqual(await again.list(volume, { where: all(), sort: by('id'), limit: 9 }), before)
      await again.close()
    })
  })
}
