/**
 * The kept log, the same on every database: whole transactions in one order. The changes of a
 * record follow each other in it, whichever process wrote them.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { defineResource, integer, integerId, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { equal } from '../../src/resource/condition.ts'
import { comparePlaces, firstPlace, type KeptChange, type KeptLog, type LogPlace, lossIn, type TouchedRecords } from '../../src/storage/derived/kept-log.ts' // biome-ignore format: one line
import type { Row, Storage, Transaction } from '../../src/storage/storage.ts'
import { until } from '../helpers/until.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { type Database, deleteWhere, type MakeDatabase, tester } from './library.ts'

const common = { access: {}, list: { style: 'page' } } as const
const cupOf = (changes: boolean) =>
  defineResource({
    ...common,
    name: 'cup',
    path: '/cups',
    changes,
    fields: { id: integerId(), label: text(), size: integer() },
  })
const plateOf = (changes: boolean) =>
  defineResource({ ...common, name: 'plate', path: '/plates', changes, fields: { id: integerId(), label: text() } })
const catalogOf = (...[ofCups, ofPlates]: readonly [boolean, boolean]) =>
  makeCatalog([cupOf(ofCups), plateOf(ofPlates)])
const catalog = catalogOf(true, false)
const [cups, plates] = [catalog.get('cup'), catalog.get('plate')]

const waitMsMax = 240_000

/** Reads pages until there are as many changes. */
async function readAll(kept: KeptLog, after: LogPlace, count: number, limit = 1000): Promise<readonly KeptChange[]> {
  const deadlineMs = Date.now() + waitMsMax
  for (;;) {
    const all: KeptChange[] = []
    for (let place = after; ; ) {
      const read = await kept.read(place, limit)
      all.push(...read.changes)
      place = read.place
      if (read.isEnd) break
    }
    if (all.length >= count || Date.now() > deadlineMs) return all
    await sleep(10)
  }
}

const logOf = ({ changes: { kept } }: Storage): KeptLog => kept as KeptLog
const labels = (changes: readonly KeptChange[]) =>
  changes.flatMap(({ values }) => values?.map(({ after }) => after?.label) ?? [])

/**
 * Follows each record through the changes. Returns its last values by id, and the first record
 * whose change begins with other values than the one before ended with.
 */
function followed(changes: readonly KeptChange[]) {
  const last = new Map<string, unknown>()
  let broken: string | undefined
  for (const { records, values } of changes)
    for (const [i, { id }] of records.entries()) {
      const { before = null, after = null } = values?.[i] ?? {}
      if (!isDeepStrictEqual(last.get(String(id)) ?? null, before)) broken ??= String(id)
      last.set(String(id), after)
    }
  return { last, broken }
}

export function keptLogSuite(name: string, make: MakeDatabase): void {
  describe(`${name}: the kept log`, () => {
    let database: Database
    let one: Storage
    let two: Storage
    let before: LogPlace
    beforeEach(async () => {
      database = await make()
      one = await database.open(catalog)
      two = await database.open(catalog)
      before = await logOf(one).end()
    })
    afterEach(async () => {
      await Promise.all([one.close(), two.close()])
      await database.remove()
    })

    const insert = (storage: Storage, ...some: string[]) =>
      storage.transaction({ ...tester, requestId: `r-${some[0]}` }, async (transaction) => {
        const rows: Row[] = []
        for (const label of some) {
          await transaction.insert(plates, { label })
          rows.push(await transaction.insert(cups, { label, size: 1 }))
        }
        return rows
      })
    const rename = async (transaction: Transaction, id: number, label: string) => {
      const found = await transaction.lock(cups, equal('id', id))
      await transaction.update(cups, found?.row as Row, { label })
    }

    test('has whole transactions with their mark, place and request, and nothing of other resources', async () => {
      await insert(one, 'a', 'b', 'c')
      await insert(two, 'd')
      for (const limit of [1, 2, 100]) {
        const all = await readAll(logOf(two), before, 4, limit)
        assert.deepEqual(labels(all), ['a', 'b', 'c', 'd'])
        assert.deepEqual(all.map(({ isLast }) => isLast), [false, false, true, true]) // biome-ignore format: one line
        assert.deepEqual(all.map(({ requestId }) => requestId), ['r-a', 'r-a', 'r-a', 'r-d']) // biome-ignore format: one line
        const [a, b, c, d] = all as [KeptChange, KeptChange, KeptChange, KeptChange]
        assert.ok(a.transaction === b.transaction && b.transaction === c.transaction && c.transaction !== d.transaction)
        assert.ok(a.place === c.place && comparePlaces(c.place, d.place) < 0 && comparePlaces(before, a.place) < 0)
        assert.ok(all.every((change) => lossIn(change) === undefined && change.resource === 'cup'))
        assert.equal(all[0]?.values?.[0]?.after?.id, all[0]?.records[0]?.id)
      }
      const read = await logOf(one).read(before, 3)
      assert.deepEqual([labels(read.changes), read.isEnd], [['a', 'b', 'c'], false], 'a page splits no transaction')
      assert.deepEqual(labels((await logOf(one).read(read.place, 9)).changes), ['d'])
    })

    test('tells the writer the place of its own transaction', async () => {
      const places: (string | undefined)[] = []
      one.changes.follow({
        apply: (some) =>
          void places.push(...some.filter(({ resource }) => resource === 'cup').map(({ place }) => place)),
        reset: () => undefined,
      })
      await insert(one, 'a', 'b')
      await insert(one, 'c')
      const all = await readAll(logOf(two), before, 3)
      assert.deepEqual(places, all.map(({ place }) => place)) // biome-ignore format: one line
    })

    test('orders transactions by the writes of their records, also where the later one began first', async () => {
      const [first] = await insert(one, 'a')
      const id = first?.id as number
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      let begun = () => {}
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve
      })
      const slow = one.transaction(tester, async (transaction) => {
        if (name === 'PostgreSQL') await transaction.insert(cups, { label: 'early', size: 2 })
        begun()
        if (name === 'PostgreSQL') await released
        await rename(transaction, id, 'third')
      })
      if (name === 'PostgreSQL') await hasBegun
      else await slow
      await two.transaction(tester, (transaction) => rename(transaction, id, 'second'))
      release()
      await slow
      const all = await readAll(logOf(two), before, name === 'PostgreSQL' ? 4 : 3)
      let known: unknown
      for (const change of all)
        for (const [i, record] of change.records.entries()) {
          if (record.id !== id) continue
          assert.deepEqual(change.values?.[i]?.before?.label, known)
          known = change.values?.[i]?.after?.label
        }
      assert.equal(known, (await one.find(cups, equal('id', id)))?.row.label)
    })

    test('tells each record whole while ten writers on two stores collide, and a lost change shows', async () => {
      const made = await insert(one, ...Array.from({ length: 6 }, (_, i) => `n${i}`))
      const ids = made.map(({ id }) => id as number)
      const random = makeRandom(45)
      const pick = () => ids[Math.floor(random() * ids.length)] as number
      let writes = made.length
      const write = async (storage: Storage, label: string) => {
        // In the order of their ids there is no deadlock, and transactions wait in between
        const chosen = [...new Set([pick(), pick()])].sort((a, b) => a - b)
        await storage.transaction(tester, async (transaction) => {
          for (const id of chosen) await rename(transaction, id, label)
        })
        writes += chosen.length
      }
      const writer = async (n: number) => {
        for (let i = 0; i < 12; i++) await write(n % 2 === 0 ? one : two, `${n}-${i}`)
      }
      await Promise.all(Array.from({ length: 10 }, (_, n) => writer(n)))
      const all = await readAll(logOf(two), before, writes)
      assert.equal(all.length, writes, 'each change once')
      const { last, broken } = followed(all)
      assert.equal(broken, undefined)
      for (const id of ids)
        assert.equal((last.get(String(id)) as Row).label, (await one.find(cups, equal('id', id)))?.row.label)
      const at = all.findIndex(({ kind }) => kind === 'update')
      const lost = all[at] as KeptChange
      assert.equal(followed(all.toSpliced(at, 1)).broken, String(lost.records[0]?.id), 'a seeded loss, by its record')
    })

    test('says what records were at a place', async () => {
      const [a] = await insert(one, 'a')
      await readAll(logOf(one), before, 1)
      const place = await logOf(one).end()
      assert.equal(((await logOf(two).touched(cups, place, 10)) as TouchedRecords).size, 0)
      await one.transaction(tester, (transaction) => rename(transaction, a?.id as number, 'b'))
      await two.transaction(tester, (transaction) => rename(transaction, a?.id as number, 'c'))
      const [made] = await insert(two, 'd')
      await one.transaction(tester, (transaction) => deleteWhere(transaction, cups, equal('label', 'd')))
      const touched = (await logOf(two).touched(cups, place, 10)) as TouchedRecords
      assert.deepEqual(
        [...touched],
        [
          [String(a?.id), { id: a?.id, label: 'a', size: 1 }],
          [String(made?.id), null],
        ],
      )
      assert.equal(await logOf(two).touched(cups, place, 3), 'many', 'more changes than the limit')
      assert.equal(
        await logOf(two)
          .touched(cups, before, 10)
          .then((all) => (all as TouchedRecords).get(String(a?.id))),
        null,
      )
    })

    test('keeps changes by age and size, and says when it no longer goes back far enough', async () => {
      const minute = 61_000
      const sweep = async (storage: Storage, nowMs: number) => {
        while (await storage.changes.sweep(nowMs));
      }
      for (const label of ['a', 'b', 'c']) await insert(one, label, label)
      const all = await readAll(logOf(two), before, 6)
      await sweep(one, Date.now() + minute)
      await insert(two, 'd')
      assert.deepEqual(labels(await readAll(logOf(two), before, 7)), ['a', 'a', 'b', 'b', 'c', 'c', 'd'])
      const { changes } = await one.changes.read(null, 100)
      assert.equal(changes.filter(({ resource }) => resource === 'plate').length, 1, 'others go after a minute')
      const kept = await logOf(two).figures()
      const small = await database.open(catalog, { changesKept: { ms: 7 * 86_400_000, bytesMax: 700 } })
      await sweep(small, Date.now() + minute)
      const left = await logOf(two).figures()
      assert.ok(left.bytes < kept.bytes && left.rows < kept.rows, JSON.stringify(left))
      const [, second, , , , last] = all as [KeptChange, KeptChange, KeptChange, KeptChange, KeptChange, KeptChange]
      const floor = await logOf(two).since([cups])
      assert.ok(comparePlaces(floor, second.place) > 0 && comparePlaces(floor, last.place) <= 0)
      assert.equal((await logOf(two).read(before, 9)).loss, 'cut')
      assert.equal(await logOf(two).touched(cups, before, 99), 'cut')
      const rest = await logOf(two).read(last.place, 9)
      assert.deepEqual([labels(rest.changes), rest.loss], [['d'], undefined])
      const short = await database.open(catalog, { changesKept: { ms: 0, bytesMax: 1e9 } })
      await sweep(short, Date.now() + minute)
      assert.equal((await logOf(two).read(last.place, 9)).loss, 'cut')
      const begun = await logOf(two).end()
      await insert(one, 'e')
      assert.deepEqual(labels(await readAll(logOf(two), begun, 1)), ['e'])
      await Promise.all([small.close(), short.close()])
    })

    test('counts what it keeps, swept or not, and finds the place before the last changes', async () => {
      const log = logOf(two)
      assert.deepEqual(await log.figures(), { rows: 0, bytes: 0, oldestMs: undefined, held: { rows: 0, oldestMs: undefined } }) // biome-ignore format: one line
      await insert(one, 'a', 'b', 'c')
      await insert(two, 'd')
      await readAll(log, before, 4)
      const { rows, bytes, oldestMs, held } = await log.figures()
      assert.deepEqual([rows, held.rows], [4, 0])
      assert.ok(bytes > 800 && Number(oldestMs) > 0, `${bytes} ${oldestMs}`)
      const recent = async (count: number) => labels((await log.read(await log.recent(count), 99)).changes).join()
      assert.deepEqual([await recent(1), await recent(2), await recent(9)], ['d', 'a,b,c,d', 'a,b,c,d'])
      while (await one.changes.sweep(Date.now() + 61_000));
      await insert(one, 'e')
      const swept = await log.figures()
      // A sweep before its time may add a row, which says that others are gone.
      assert.equal((await readAll(log, before, swept.rows)).length, swept.rows)
      assert.ok(swept.rows >= 5 && swept.bytes > bytes && swept.oldestMs === oldestMs)
      assert.equal(await recent(1), 'e')
    })

    test('has no unknown write where another process opens the database', async () => {
      const catchUp = () => Promise.all([one, two].map(({ changes }) => changes.catchUp()))
      await catchUp()
      const place = await logOf(two).end()
      const other = await database.open(catalog)
      await catchUp()
      await other.close()
      await catchUp()
      await insert(one, 'after')
      const all = await readAll(logOf(two), place, 1)
      assert.deepEqual(all.filter(lossIn), [])
    })

    test('draws a mark where no other process has the database open, for the places behind its end', async () => {
      const far = name === 'PostgreSQL' ? '900000000000 1' : '900000000'
      const markOf = async (storage: Storage, place: LogPlace) => (await logOf(storage).sealing()).markAt(place)
      const first = await markOf(one, far)
      assert.match(first, /^[0-9a-f]{16}$/)
      assert.equal(await markOf(two, far), first)
      await insert(one, 'a')
      await readAll(logOf(one), before, 1)
      const between = await logOf(one).end()
      await one.close()
      one = await database.open(catalog)
      await two.close()
      two = await database.open(catalog)
      for (const storage of [one, two]) assert.equal(await markOf(storage, far), first, 'a rolling restart')
      await Promise.all([one.close(), two.close()])
      // Not even the numbers of other transactions move the end of the log.
      if (name === 'PostgreSQL') await database.writePast('SELECT pg_current_xact_id()')
      const opening = database.open(catalog)
      if (name === 'SQLite')
        await opening // in one process, both would wait for each other
      ;[one, two] = await Promise.all([opening, database.open(catalog)])
      const second = await markOf(one, far)
      assert.notEqual(second, first)
      assert.equal(await markOf(two, far), second)
      assert.equal(await logOf(two).end(), between)
      for (const storage of [one, two]) assert.equal(await markOf(storage, between), first)
      assert.equal((await logOf(one).read(far, 9)).loss, 'ahead')
      assert.equal((await logOf(one).read(between, 9)).loss, undefined)
    })

    if (name === 'PostgreSQL')
      test('reads the marks again when all its sessions were gone: another process may have drawn one', async () => {
        const drawn = 'feedfeedfeedfeed'
        await database.writePast(`UPDATE bindery_meta SET value = '[["0","${drawn}"]]' WHERE name = 'changes_marks'`)
        const others = 'datname = current_database() AND pid <> pg_backend_pid()'
        await database.writePast(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`)
        const markOf = async (storage: Storage) => (await logOf(storage).sealing()).markAt('900000000000 1')
        const isKnown = () => Promise.all([one, two].map(markOf)).then((all) => all.every((mark) => mark === drawn))
        await until(isKnown, 'the mark in both')
      })

    if (name === 'PostgreSQL')
      test('begins anew where a dump of another server brought it, whose transactions are ahead', async () => {
        await insert(one, 'a')
        await readAll(logOf(one), before, 1)
        const epoch = await logOf(one).epoch()
        await Promise.all([one.close(), two.close()])
        const ahead = `UPDATE bindery_changes SET xid = '900000000000', settles = settles + 900000000000`
        await database.writePast(`SET session_replication_role = replica; ${ahead}`)
        one = await database.open(catalog)
        two = await database.open(catalog)
        assert.notEqual(await logOf(one).epoch(), epoch)
        assert.equal(await logOf(two).epoch(), await logOf(one).epoch())
        const place = await logOf(one).end()
        assert.ok(comparePlaces(await logOf(one).since([cups]), place) <= 0)
        await insert(two, 'b')
        assert.deepEqual(labels(await readAll(logOf(one), place, 1)), ['b'])
      })

    test('says that values are unknown after a write past it, and of a version that keeps none', async () => {
      await insert(one, 'a')
      await readAll(logOf(one), before, 1)
      const untold = async (after: LogPlace, count: number) =>
        (await readAll(logOf(two), after, count)).filter(lossIn).map(({ resource }) => resource)
      await two.changes.catchUp()
      const place = await logOf(two).end()
      await database.writePast("UPDATE cups SET label = 'past'")
      await two.changes.catchUp()
      assert.deepEqual(new Set(await untold(place, 1)), new Set(['cup']))
      assert.equal(await logOf(two).touched(cups, place, 99), 'past')
      const later = await logOf(two).end()
      const silent = catalogOf(false, false)
      const earlier = await database.open(silent)
      await earlier.transaction(tester, (transaction) => transaction.insert(silent.get('cup'), { label: 'b' }))
      await two.changes.catchUp()
      assert.ok((await untold(later, 1)).includes('cup'))
      await earlier.close()
    })

    test('knows since when it has the changes of a resource, and has one name in all processes', async () => {
      const since = await logOf(one).since([cups])
      assert.ok(comparePlaces(since, before) <= 0)
      assert.match(await logOf(one).epoch(), /^[0-9a-f]{16}$/)
      assert.equal(await logOf(one).epoch(), await logOf(two).epoch())
      const { secret } = await logOf(one).sealing()
      assert.match(secret, /^[0-9a-f]{80}$/)
      assert.equal((await logOf(two).sealing()).secret, secret)
      await insert(one, 'a')
      await readAll(logOf(one), before, 1)
      const wider = catalogOf(true, true)
      const later = await database.open(wider)
      assert.ok(comparePlaces(await logOf(later).since([wider.get('plate')]), before) > 0)
      assert.equal(await logOf(later).since([wider.get('cup')]), since)
      await later.close()
      const without = await database.open(catalogOf(false, false))
      assert.equal(without.changes.kept, undefined)
      await without.close()
      const again = await database.open(catalog)
      assert.ok(comparePlaces(await logOf(again).since([cups]), before) > 0)
      await again.close()
      assert.ok(comparePlaces(firstPlace, before) <= 0)
    })
  })
}
