/** Limits of costly reads, the same on every database. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineResource, integer, integerId, text } from '../../src/index.ts'
import { type Catalog, makeCatalog } from '../../src/resource/catalog.ts'
import { all, always, any, type Condition, equal } from '../../src/resource/condition.ts'
import type { CostlyLimits } from '../../src/storage/costly-reads.ts'
import type { ListRequest, ReadClient, Row, RowCursor, Storage } from '../../src/storage/storage.ts'
import { stuckMs, until } from '../helpers/until.ts'
import { by, compare } from './library.ts'

export const grainCatalog = makeCatalog([
  defineResource({
    name: 'grain',
    path: '/grains',
    fields: { id: integerId(), name: text({ required: true }), a: integer(), b: integer(), c: integer() },
    list: { style: 'page', sortable: ['a'], defaultSort: 'id' },
    access: {},
  }),
])
export const grain = grainCatalog.get('grain')
const grains = 30_000

/** The same in both databases. */
export const fillSql = `INSERT INTO grains (name, a, b, c, version)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${grains})
  SELECT 'grain ' || (i * 7919 % ${grains}), i % 7, i * 31 % 101, i * 17 % 1009, 1 FROM n`

export type CostlyDatabase = {
  open(catalog: Catalog, costly: Partial<CostlyLimits>): Promise<Storage>
  writePast(sql: string): Promise<void>
  remove(): Promise<void>
}

/**
 * A client that may disconnect. `places`: how often its reads listened for that, once while waiting
 * and once while running.
 */
export function makeAsker(client: string): ReadClient & { leave(): void; places(): number } {
  const calls = new Set<() => void>()
  let left = false
  let places = 0
  return {
    client,
    address: '127.0.0.1',
    left: () => left,
    places: () => places,
    onLeft(call) {
      places += 1
      if (left) call()
      else calls.add(call)
      return () => void calls.delete(call)
    },
    leave() {
      left = true
      for (const call of calls) call()
    },
  }
}

const parts = (count: number): Condition =>
  any(...Array.from({ length: count }, (_, i): Condition => ({ kind: 'contains', field: 'name', text: `none ${i}` })))
/**
 * Takes many seconds wherever it runs. SQLite allows no longer chains, nor more parameters than
 * 32,766.
 */
export const endless: Condition = { kind: 'or', of: Array.from({ length: 32 }, () => parts(800)) }
const first: Omit<ListRequest, 'where'> = { sort: by('id'), limit: 20, offset: 0 }

const requests: readonly (readonly [string, ListRequest])[] = [
  ['a sort that no index has', { where: always, sort: by('b', '-c', 'id'), limit: 20 }],
  ['its last page', { where: always, sort: by('b', '-c', 'id'), limit: 20, offset: grains - 15 }],
  ['beyond its end', { where: always, sort: by('b', '-c', 'id'), limit: 20, offset: grains + 15 }],
  ['a deep page', { where: always, sort: by('-a', '-id'), limit: 20, offset: 15_000 }],
  ['a part of a text', { where: parts(2), ...first }],
  ['a range, sorted otherwise', { where: all(compare('b', 'gte', 50), compare('c', 'lt', 9)), ...first }],
  ['behind a row', { where: compare('b', 'gte', 50), sort: by('c', 'id'), limit: 30, after: { values: [500, 7] } }],
]

async function walked({ next, close }: RowCursor): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let chunk = await next(); chunk.length > 0; chunk = await next()) rows.push(...chunk)
  close()
  return rows
}

/** A read that the tested limit does not end keeps the test waiting until it is stuck. */
const unhurried = { readMsMax: 2 * stuckMs, waitMsMax: stuckMs }
const refused = { code: 'unavailable', retryAfterSeconds: 1 }

export function costlySuite(name: string, makeDatabase: () => Promise<CostlyDatabase>): void {
  describe(`${name}: reads that may take long`, () => {
    let database: CostlyDatabase
    const open = (costly: Partial<CostlyLimits> = {}) => database.open(grainCatalog, { atOnce: 1, ...costly })
    before(async () => {
      database = await makeDatabase()
      await (await open()).close()
      await database.writePast(fillSql)
    })
    after(() => database.remove())

    async function using(costly: Partial<CostlyLimits>, work: (storage: Storage) => Promise<void>): Promise<void> {
      const storage = await open(costly)
      const next = () => storage.by(makeAsker('begun')).list(grain, { where: always, ...first, offset: 2_000 })
      try {
        // Connecting and starting a thread have their own limits, which this test ignores.
        await until(async () => (await next().catch(() => [])).length === 20, 'the first read is answered')
        await work(storage)
      } finally {
        await storage.close()
      }
    }

    test('bounded or not, the same rows and totals', () =>
      using(unhurried, async (storage) => {
        const asked = storage.by(makeAsker('a'))
        for (const [about, request] of requests) {
          assert.deepEqual(await asked.list(grain, request), await storage.list(grain, request), about)
          assert.equal(await asked.count(grain, request.where), await storage.count(grain, request.where), about)
          if (request.after) continue
          const page = { ...request, offset: request.offset ?? 0 }
          assert.deepEqual(await asked.page(grain, page), await storage.page(grain, page), about)
        }
      }))

    test('a walk has all rows once, in their order', () =>
      using(unhurried, async (storage) => {
        const request = { where: compare('b', 'gte', 70), sort: by('c', '-b', 'id'), limit: 700 }
        const rows = await walked(storage.by(makeAsker('a')).walk(grain, request))
        assert.deepEqual(rows, await walked(storage.walk(grain, request)))
        assert.ok(rows.length > 5_000)
      }))

    test('a walk leaves out what was deleted or changed behind its back', () =>
      using({}, async (storage) => {
        const where = all(compare('b', 'eq', 3), compare('c', 'gte', 0))
        const { next, close } = storage
          .by(makeAsker('a'))
          .walk(grain, { where, sort: by('c', 'name', 'id'), limit: 10 })
        const read = [...(await next())]
        const rows = await storage.list(grain, { where, sort: by('c', 'name', 'id'), limit: 1000 })
        const [deleted, changed] = [rows[100]?.id, rows[110]?.id] as [number, number]
        await database.writePast(`DELETE FROM grains WHERE id = ${deleted}`)
        await database.writePast(`UPDATE grains SET b = 4 WHERE id = ${changed}`)
        for (let chunk = await next(); chunk.length > 0; chunk = await next()) read.push(...chunk)
        close()
        const ids = new Set(read.map(({ id }) => id))
        assert.deepEqual([ids.has(deleted), ids.has(changed), ids.has(rows[120]?.id)], [false, false, true])
      }))

    test('others are answered while one runs', () =>
      using(unhurried, async (storage) => {
        let isRunning = false
        // PostgreSQL has five seconds for any response; a slow machine may miss that for the others
        // too.
        for (let tries = 0; tries < 5 && !isRunning; tries += 1) {
          isRunning = true
          const gone = makeAsker('a')
          const slow = storage.by(gone).list(grain, { where: endless, ...first })
          slow.catch(() => undefined).finally(() => (isRunning = false))
          await sleep(100)
          const found = await storage.by(makeAsker('b')).find(grain, equal('id', 77))
          assert.equal(found?.row.id, 77)
          assert.equal((await storage.by(makeAsker('b')).list(grain, { where: always, ...first })).length, 20)
          const wasRunning = isRunning
          gone.leave()
          await assert.rejects(slow)
          isRunning = wasRunning
        }
        assert.ok(isRunning)
      }))

    test('past its deadline the caller is told what to narrow, and the statement ends', () =>
      using({ readMsMax: 500 }, async (storage) => {
        const asked = storage.by(makeAsker('a'))
        const message = 'This read takes too long: narrow the list by another filter'
        const told = { code: 'bad-request', message }
        await assert.rejects(asked.list(grain, { where: endless, ...first }), told)
        await assert.rejects(async () => asked.count(grain, endless), told)
        await assert.rejects(asked.page(grain, { where: endless, sort: by('id'), limit: 20, offset: 0 }), told)
        const sorted = { where: endless, sort: by('b', 'c', 'id'), limit: 20 }
        const otherwise = 'This read takes too long: sort by one field, or narrow the list by a filter'
        await assert.rejects(asked.walk(grain, sorted).next(), { code: 'bad-request', message: otherwise })
        const next = () => asked.list(grain, { where: always, ...first, offset: 2_000 })
        // On a slow machine that one may take too long too.
        await until(async () => (await next().catch(() => [])).length === 20, 'the next read is answered')
      }))

    test('when the client goes, its statement ends and its waiting reads are dropped', () =>
      using(unhurried, async (storage) => {
        const gone = makeAsker('a')
        const asked = storage.by(gone)
        const reads = [1, 2, 3].map((limit) => asked.list(grain, { where: endless, sort: by('id'), limit }))
        await sleep(300)
        gone.leave()
        for (const end of await Promise.allSettled(reads))
          assert.equal(end.status === 'rejected' && end.reason.message, 'The client has disconnected')
        const next = storage.by(makeAsker('a')).list(grain, { where: always, ...first, offset: 2_000 })
        assert.equal((await next).length, 20)
        await assert.rejects(asked.list(grain, { where: endless, ...first }), {
          message: 'The client has disconnected',
        })
      }))

    test('clients take turns, however many reads one has waiting', () =>
      using(unhurried, async (storage) => {
        const flood = Array.from({ length: 4 }, () => makeAsker('a'))
        let ended = 0
        const reads = flood.map((readClient, i) =>
          storage
            .by(readClient)
            .list(grain, { where: endless, sort: by('id'), limit: i + 1 })
            .catch(() => {
              ended += 1
            }),
        )
        const readClient = makeAsker('b')
        const other = storage
          .by(readClient)
          .list(grain, { where: compare('b', 'gte', 50), sort: by('c', 'id'), limit: 30 })
        await until(() => readClient.places() > 0, 'the other client has its place')
        // One of the flood ran before the other client's, and the next one had its turn already.
        const [running, next] = flood
        running?.leave()
        await until(() => next?.places() === 2, 'the next one runs')
        next?.leave()
        assert.equal((await other).length, 30)
        assert.equal(ended, 2, `${ended} of the flood came first`)
        for (const readClient of flood) readClient.leave()
        await Promise.all(reads)
      }))

    test('reads that are too many, or wait for too long, are refused', () =>
      using({ ...unhurried, waitMsMax: 200, waitingOfClientMax: 2, waitingMax: 3 }, async (storage) => {
        const ask = (client: string) => storage.by(makeAsker(client)).list(grain, { where: endless, ...first })
        const running = ask('a')
        running.catch(() => undefined)
        await sleep(50)
        const waiting = [ask('a'), ask('a'), ask('b')]
        const tooMany = ask('a')
        for (const one of [tooMany, ...waiting]) one.catch(() => undefined)
        await assert.rejects(tooMany, refused)
        await assert.rejects(ask('c'), refused)
        for (const one of waiting) await assert.rejects(one, refused)
      }))

    for (const [about, ms] of [
      ['runs', 200],
      ['has just begun', 0],
    ] as const)
      test(`closing ends what ${about}`, async () => {
        const storage = await open(unhurried)
        const [running, waiting] = ['a', 'b'].map((client) =>
          storage.by(makeAsker(client)).list(grain, { where: endless, ...first }),
        )
        const ends = Promise.allSettled([running, waiting])
        await sleep(ms)
        await storage.close()
        for (const end of await ends) assert.equal(end.status, 'rejected')
      })
  })
}
