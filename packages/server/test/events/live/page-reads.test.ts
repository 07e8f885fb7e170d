/**
 * Live pages are read again only for changes that may alter them, and once for all changes that
 * came while they were read. The test counts the reads of the engine.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startService } from 'bindery-server/test'
import { until } from '../../helpers/until.ts'
import { wrapReads } from '../../helpers/wrapped-reads.ts'
import { library } from '../library.ts'
import { makeLiveClient } from './live-client.ts'
import { bearer, by } from './live-library.ts'

const shown = 3
const names = ['find', 'list', 'listEach', 'page', 'count', 'walk'] as const

for (const [KEEP_ANSWERS, outside] of [
  ['true', 0],
  ['false', 1],
] as const)
  it(`A live page is read when a change may alter it, with KEEP_ANSWERS=${KEEP_ANSWERS}`, async (context) => {
    const own = await startService(library(), { env: { KEEP_ANSWERS } })
    context.after(() => own.stop())
    const admin = await own.admin()
    let [reads, rows] = [0, 0]
    let gate: Promise<void> | undefined
    const isOfPage = (asked: unknown) => JSON.stringify(asked).includes('counted')
    wrapReads(own.service.engine, names, (read) => async (...args) => {
      if (!isOfPage(args[1])) return read(...args)
      reads += 1
      const result = await read(...args)
      await gate
      return result
    })
    wrapReads(own.service.engine, ['page', 'list'], (read) => (...args) => {
      if (isOfPage(args[1])) rows += 1
      return read(...args)
    })
    const write = async (method: string, path: string, body?: object) => {
      const reply = await own.ask(method, `/api/v1${path}`, { ...(body && { body }), ...by(admin) })
      assert.ok(reply.status < 300, reply.text)
      return reply.body?.id as string
    }
    const open = async (path: string) => {
      const client = makeLiveClient({ url: own.url, path: `${path}&_live`, headers: bearer(admin) })
      await client.connect()
      context.after(() => client.cut())
      return client
    }
    const make = (title: string, rank: number) => write('POST', '/notes', { title, rank })
    const ids: string[] = []
    for (const rank of [9, 8, 7, 1, 0]) ids.push(await make('counted', rank))
    const [first, , , behind] = ids as [string, string, string, string]
    const other = await make('other', 9)
    const page = await open(`/notes?q=counted&sort=-rank&limit=${shown}`)
    // Groups of one round are read in the order in which they came, so this one is the last.
    const probe = await open('/projects?limit=100')
    /** The reads that a change costs the page. */
    async function readsFor(change: () => Promise<unknown>): Promise<number> {
      const before = reads
      await change()
      const id = await write('POST', '/projects', {})
      await probe.next('page', ({ order }) => order.includes(id))
      return reads - before
    }
    const setRank = (id: string, rank: number) => () => write('PATCH', `/notes/${id}`, { rank })
    await readsFor(setRank(first, 10)) // a cache keeps what is asked for again

    assert.equal(await readsFor(setRank(first, 11)), 1, 'in the page')
    assert.equal(await readsFor(setRank(other, 10)), outside, 'outside of the filter')
    assert.equal(await readsFor(setRank(behind, 2)), outside, 'behind the page')
    const rowsBefore = rows
    assert.ok((await readsFor(() => make('counted', 0))) <= 1, 'a new one behind the page')
    await page.next('page', ({ meta }) => meta.total === 6)
    assert.equal(rows - rowsBefore, outside, 'the new total needs no rows')

    const { promise, resolve } = Promise.withResolvers<void>()
    const before = reads
    gate = promise
    await setRank(first, 12)()
    await until(() => reads > before, 'the page is being read')
    for (let rank = 13; rank <= 32; rank += 1) await setRank(first, rank)()
    gate = undefined
    resolve()
    await page.next('page', ({ records }) => records[0]?.rank === 32)
    assert.equal(reads - before, 2, 'twenty changes meanwhile are read once')
  })
