/** `client.live()`: events, the store for screens, reconnects, and providers of two frameworks. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, defineResource, id, integer } from 'bindery-server'
import { createClient } from 'bindery-server/client'
import { makeLiveProvider as forReactAdmin } from 'bindery-server/react-admin'
import { makeLiveProvider as forRefine } from 'bindery-server/refine'
import { password, startService, type TestPerson, type TestService } from 'bindery-server/test'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { makeSettle } from '../reader.ts'

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startService(library())
  admin = await own.admin()
})
after(() => own.stop())

type Note = { readonly id: string; readonly rank: number; readonly title: string | null }

async function write(method: string, path: string, body?: object): Promise<string> {
  const reply = await own.ask(method, `/api/v1${path}`, { ...(body && { body }), token: admin.token })
  assert.ok(reply.status < 300, reply.text)
  return reply.body?.id
}

/** A client that is logged in, whose streams the test may cut. */
async function logged() {
  const cuts = new Set<AbortController>()
  const client = createClient({
    url: own.url,
    fetch(input, init) {
      const control = new AbortController()
      cuts.add(control)
      const signal = init?.signal ? AbortSignal.any([init.signal, control.signal]) : control.signal
      return fetch(input, { ...init, signal })
    },
  })
  await client.logIn({ email: admin.email, password })
  return {
    client,
    cut() {
      for (const one of cuts) one.abort(new TypeError('cut'))
      cuts.clear()
    },
  }
}

/** A stream that breaks behind the first event of a transaction that has more. */
function brokenWithin({ body, ...reply }: Response): Response {
  let text = ''
  const decoder = new TextDecoder()
  const broken = body?.pipeThrough(
    new TransformStream({
      transform(piece, to) {
        text += decoder.decode(piece, { stream: true })
        const part = /^event: enter\ndata: .*?\n\n/ms.exec(text)
        if (!part || part[0].includes('"last":true')) return to.enqueue(piece)
        to.enqueue(new TextEncoder().encode(part[0]))
        // An error would take the queued piece with it.
        setTimeout(() => to.error(new TypeError('cut')), 100)
      },
    }),
  )
  return new Response(broken as ReadableStream, reply)
}

describe('client.live', () => {
  it('gives the records, and then each event', async () => {
    const { client } = await logged()
    const first = await write('POST', '/notes', { title: 'events', rank: 1 })
    const control = new AbortController()
    const seen: unknown[] = []
    const live = client.live('notes', { query: { q: 'events' }, signal: control.signal })
    for await (const event of live) {
      if (event.type === 'records') {
        seen.push(['records', (event.records as readonly Note[]).map(({ id }) => id)])
        await write('PATCH', `/notes/${first}`, { rank: 2 })
      } else seen.push([event.type, event.id])
      if (event.type === 'change') await write('DELETE', `/notes/${first}`)
      if (event.type === 'delete') control.abort()
    }
    assert.deepEqual(seen, [
      ['records', [first]],
      ['change', first],
      ['delete', first],
    ])
  })

  it('knows records by the id that their resource declares', async (t) => {
    const shelves = defineResource({
      name: 'shelf',
      plural: 'shelves',
      path: '/shelves',
      changes: true,
      fields: { code: id(), rank: integer({ required: true }) },
      list: { style: 'page', sortable: ['rank'] },
      access: { read: anyone, write: anyone },
    })
    const service = await startService([shelves])
    t.after(() => service.stop())
    const make = (rank: number) => service.ask('POST', '/api/v1/shelves', { body: { rank } })
    for (const rank of [3, 1, 2]) await make(rank)
    const client = createClient({ url: service.url })
    const lists = [client.live('shelves'), client.live('shelves', { query: { sort: 'rank', limit: 10 } })] as const
    const ends = lists.map((one) => one.subscribe(() => undefined))
    const ranks = () =>
      lists.map((one) => (one.getSnapshot().records as unknown as readonly Note[]).map(({ rank }) => rank))
    const shows = (...expected: number[][]) =>
      until(
        () => JSON.stringify(ranks()) === JSON.stringify(expected),
        () => JSON.stringify(ranks()),
      )
    await shows([3, 1, 2], [1, 2, 3])
    await make(0)
    await shows([3, 1, 2, 0], [0, 1, 2, 3])
    for (const end of ends) end()
  })

  it('has all records where the log keeps other fields than the id', async () => {
    const { client } = await logged()
    const clubId = await write('POST', '/clubs', { name: 'Chess' })
    const titles = ['known by id, 1', 'known by id, 2', 'known by id, 3']
    for (const title of titles) await write('POST', '/posts', { clubId, title, state: 'OPEN' })
    const live = client.live('posts', { filter: { title: { startsWith: 'known by id' } } })
    const end = live.subscribe(() => undefined)
    const known = () => (live.getSnapshot().records as unknown as readonly Note[]).map(({ title }) => title).sort()
    await until(
      () => JSON.stringify(known()) === JSON.stringify(titles),
      () => `all: ${JSON.stringify(known())}`,
    )
    const { id } = (live.getSnapshot().records as unknown as readonly Note[])[0] as Note
    await write('DELETE', `/posts/${id}`)
    await until(() => known().length === 2, 'deleted')
    end()
  })

  it('is a store that connects again, and resumes', async () => {
    const { client, cut } = await logged()
    const live = client.live('notes', { filter: { rank: { gte: 5 } }, query: { q: 'store' } })
    const ranks = () => (live.getSnapshot().records as unknown as readonly Note[]).map(({ rank }) => rank).sort()
    let calls = 0
    const before = live.getSnapshot()
    assert.deepEqual(before, { records: [], isReady: false })
    const end = live.subscribe(() => {
      calls += 1
    })
    await until(() => live.getSnapshot().isReady, 'ready')
    const id = await write('POST', '/notes', { title: 'store', rank: 6 })
    await until(() => ranks().length === 1, 'entered')
    assert.equal(live.getSnapshot(), live.getSnapshot())
    cut()
    await write('PATCH', `/notes/${id}`, { rank: 7 })
    await write('POST', '/notes', { title: 'store', rank: 9 })
    await until(
      () => JSON.stringify(ranks()) === '[7,9]',
      () => `resumed ${JSON.stringify(live.getSnapshot())}`,
    )
    assert.ok(calls >= 3)
    end()
    const left = calls
    await write('PATCH', `/notes/${id}`, { rank: 8 })
    assert.equal(calls, left)
  })

  it('gives each transaction whole and once, also where the connection breaks within it', async () => {
    let streams = 0
    const client = createClient({
      url: own.url,
      async fetch(input, init) {
        const reply = await fetch(input, init)
        if (!String(reply.headers.get('content-type')).includes('event-stream')) return reply
        streams += 1
        return streams === 1 ? brokenWithin(reply) : reply
      },
    })
    await client.logIn({ email: admin.email, password })
    const control = new AbortController()
    const seen: unknown[] = []
    const operations = [1, 2, 3].map((rank) => ({ method: 'POST', path: '/notes', body: { title: 'whole', rank } }))
    for await (const event of client.live('notes', { query: { q: 'whole' }, signal: control.signal })) {
      if (event.type === 'records') await write('POST', '/batch', { operations })
      else seen.push(event.type === 'enter' ? (event.record as unknown as Note).rank : event.type)
      if (seen.length === 3) await write('POST', '/notes', { title: 'whole', rank: 4 })
      if (seen.at(-1) === 4) control.abort()
    }
    assert.deepEqual([seen, streams], [[1, 2, 3, 4], 2])
  })

  it('keeps a page in its order, with its figures', async () => {
    const { client, cut } = await logged()
    for (const rank of [1, 3]) await write('POST', '/notes', { title: 'paged', rank })
    const live = client.live('notes', { query: { q: 'paged', sort: '-rank', limit: 2 } })
    const shown = () => {
      const { records, meta } = live.getSnapshot()
      return JSON.stringify([(records as unknown as readonly Note[]).map(({ rank }) => rank), meta?.total])
    }
    const end = live.subscribe(() => undefined)
    const becomes = (text: string) => until(() => shown() === text, () => `${text}, not ${shown()}`) // biome-ignore format: one line
    await becomes('[[3,1],2]')
    const id = await write('POST', '/notes', { title: 'paged', rank: 2 })
    await becomes('[[3,2],3]')
    cut()
    await write('PATCH', `/notes/${id}`, { rank: 4 })
    await becomes('[[4,3],3]')
    assert.equal(live.getSnapshot().isReady, true)
    end()
  })

  it('says in the store why it is live no more, and throws it to a loop', async () => {
    const { client } = await logged()
    const live = client.live('notes', { query: { nothing: 1 } })
    const end = live.subscribe(() => undefined)
    await until(() => live.getSnapshot().error !== undefined, 'an error')
    assert.match(String(live.getSnapshot().error), /Unknown query parameter nothing/)
    end()
    await assert.rejects(async () => {
      for await (const _ of live) assert.fail('no event')
    }, /Unknown query parameter nothing/)
    const unsent = client.live('notes', { filter: { rank: 1n } })[Symbol.asyncIterator]()
    await assert.rejects(unsent.next(), /BigInt/)
  })

  it('serves the live providers of Refine and react-admin', async () => {
    const { client } = await logged()
    const id = await write('POST', '/notes', { title: 'provided' })
    await makeSettle(own.ask, { token: admin.token })()
    const told: unknown[] = []
    const refine = forRefine(client)
    const channel = 'resources/notes'
    const subscription = refine.subscribe({
      channel,
      types: ['*'],
      callback: ({ type, payload }) => told.push(['refine', type, payload.ids]),
    })
    const admins = forReactAdmin(client)
    const listener = ({ type, payload }: { type: string; payload: { ids: readonly unknown[] } }) =>
      void told.push(['admin', type, payload.ids])
    await admins.subscribe(`resource/notes/${id}`, listener)
    let rank = 0
    const of = (by: string) => told.filter((one) => (one as unknown[])[0] === by)
    await until(async () => {
      rank += 1
      await write('PATCH', `/notes/${id}`, { rank })
      return of('refine').length > 1 && of('admin').length > 1
    }, 'both providers')
    // Screens may have read before the list is followed, so the first call lets them read again.
    assert.deepEqual(of('refine')[0], ['refine', 'updated', undefined])
    assert.deepEqual(of('admin').slice(0, 2), [
      ['admin', 'updated', []],
      ['admin', 'updated', [id]],
    ])
    refine.unsubscribe(subscription)
    await admins.unsubscribe(`resource/notes/${id}`, listener)
  })
})
