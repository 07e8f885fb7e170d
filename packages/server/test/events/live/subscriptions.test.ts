/**
 * GraphQL subscriptions, case by case: they are live sets, printed as graphql-sse has it in its
 * distinct connections mode. `random-subscriptions.test.ts` compares both.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { startService } from 'bindery-server/test'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { type LiveClient, parseStream, type StreamEvent } from './live-client.ts'
import { bearer, by, openLibrary } from './live-library.ts'
import { makeSubscriber } from './subscription-client.ts'

const { own, admin, ann, opened, api, patch, note } = await openLibrary()

type Asked = { readonly headers?: Record<string, string>; readonly variables?: Record<string, unknown> }
function clientOf(query: string, { headers = bearer(ann), variables = {} }: Asked = {}): LiveClient {
  return opened(makeSubscriber({ url: own.url, query, variables, headers }))
}
async function subscribe(query: string, asked: Asked = {}): Promise<LiveClient> {
  const client = clientOf(query, asked)
  await client.connect()
  return client
}
const shown = 'type id version position transaction last before resumed message record { id rank title price }'

/** All events of a stream that ends. Those of a subscription do not, so it has to be refused. */
async function eventsOf(body: object, headers: Record<string, string> = {}): Promise<StreamEvent[]> {
  const reply = await fetch(`${own.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const events: StreamEvent[] = []
  for await (const one of parseStream(reply.body as ReadableStream<Uint8Array>)) {
    assert.equal(one.id, undefined, JSON.stringify(body))
    events.push(one)
  }
  return events
}
async function refusal(query: string, { headers = bearer(ann), variables = {} }: Asked = {}) {
  const [next, complete, ...more] = await eventsOf({ query, variables }, headers)
  assert.deepEqual([next?.event, complete?.event, more], ['next', 'complete', []])
  const [error] = next?.data.errors ?? []
  return `${error?.extensions?.code} ${error?.message}`
}

describe('A subscription', () => {
  it('begins with the records, and goes on with what enters, changes and leaves', async () => {
    const client = await subscribe(
      `subscription ($least: Int) { all: notes(filter: { rank: { gte: $least }, ownerId: { eq: "${ann.id}" } }) { ${shown} } }`,
      { variables: { least: 5 } },
    )
    const { data: ready, id: at } = await client.next('ready')
    assert.equal(client.reply().headers.get('x-accel-buffering'), 'no')
    assert.equal(client.reply().headers.get('cache-control'), 'no-store')
    assert.deepEqual([ready.position, 'resumed' in ready], [at, false])
    const id = await note({ ownerId: ann.id, rank: 6, title: 'a' })
    const entered = await client.next('enter')
    assert.deepEqual(entered.data.record, { id, rank: 6, title: 'a', price: null })
    assert.deepEqual([entered.data.id, entered.data.version, entered.id], [id, 1, entered.data.position])
    const { headers } = await patch(`/notes/${id}`, { rank: 7 })
    const { data: change } = await client.next('change')
    assert.deepEqual([change.before, change.record.rank, change.version], [{ rank: 6 }, 7, 2])
    assert.ok(change.position.startsWith(headers.get('change-position')))
    await patch(`/notes/${id}`, { rank: 1 })
    assert.equal('record' in (await client.next('leave')).data, false)
    await patch(`/notes/${id}`, { rank: 9 })
    await client.next('enter')
    await api('DELETE', `/notes/${id}`, by(admin))
    await client.next('delete')
    assert.equal(client.table.size, 0)
  })

  it('resumes by Last-Event-ID and by an argument, and says where it cannot', async () => {
    const query = `subscription ($after: String) { notes(q: "again", after: $after) { ${shown} } }`
    const client = await subscribe(query)
    await client.next('ready')
    const id = await note({ ownerId: ann.id, title: 'again 1' })
    const { data } = await client.next('enter')
    await client.cut()
    await patch(`/notes/${id}`, { title: 'again 2' })
    await client.connect()
    assert.equal((await client.next('ready')).data.resumed, true)
    assert.equal((await client.next('change')).data.record.title, 'again 2')
    const byArgument = await subscribe(query, { variables: { after: data.position } })
    assert.equal((await byArgument.next('ready')).data.resumed, true)
    const events = () => byArgument.events.map(({ event }) => event)
    await until(
      () => events().includes('failed') || events().includes('change'),
      () => events().join(),
    )
    const cleo = await own.person()
    const lost = await subscribe(query, {
      headers: bearer(cleo),
      variables: { after: `${data.position.split('.')[0]}.x` },
    })
    assert.match((await lost.next('lost')).data.message, /rights of the caller have changed: begin anew/)
    await lost.next('ready')
    assert.match(await refusal(query, { variables: { after: 'abc' } }), /^BAD_USER_INPUT after must be a position/)
  })
})

describe('A stream of a subscription', () => {
  it('shows each client what it selects, of one verdict', async () => {
    const query = (shown: string, rest = '') => `subscription ${rest} { notes(q: "select") { ${shown} } }`
    const some = query('type id record { name: title tags @include(if: $all) }', '($all: Boolean = false)')
    const clients = [
      await subscribe(query('type record { id rank }')),
      await subscribe(some),
      await subscribe(some, { variables: { all: true } }),
      await subscribe(`${query('...F')} fragment F on NoteEvent { type record { ...R } } fragment R on Note { state }`),
    ]
    for (const client of clients) await client.next('ready')
    await note({ ownerId: ann.id, title: 'select me', rank: 3, tags: ['A'], state: 'OPEN' })
    const told: unknown[] = []
    for (const client of clients) told.push((await client.next('enter')).data.record)
    const { id } = told[0] as { id: string }
    assert.deepEqual(told, [
      { id, rank: 3 },
      { name: 'select me' },
      { name: 'select me', tags: ['A'] },
      { state: 'OPEN' },
    ])
  })

  it('ends with the session of its caller: errors, then complete', async () => {
    const cleo = await own.person()
    const client = await subscribe(`subscription { notes { ${shown} } }`, { headers: bearer(cleo) })
    await client.next('ready')
    const { status } = await api('POST', '/auth/logout', { body: { refreshToken: cleo.refreshToken }, ...by(cleo) })
    assert.equal(status, 204)
    const { data } = await client.next('errors')
    assert.equal(data.errors[0].extensions.code, 'UNAUTHENTICATED')
    await client.ended()
    assert.equal(client.events.at(-1)?.event, 'errors')
  })

  it('ends with the membership of its tenant, and with the service at its position', async () => {
    const other = await startService(library())
    const boss = await other.admin()
    const person = await other.person()
    const ask = (method: string, path: string, body?: object) =>
      other.ask(method, `/api/v1${path}`, { ...(body && { body }), ...by(boss) })
    const clubId = (await ask('POST', '/clubs', { name: 'Go' })).body.id as string
    const joined = await ask('POST', '/memberships', { clubId, userId: person.id })
    await ask('POST', '/posts', { clubId, state: 'OPEN', title: 'Hello' })
    const query = `subscription { posts { type position record { id title } } }`
    const asked = { url: other.url, query }
    const inClub = makeSubscriber({ ...asked, headers: { ...bearer(person), 'x-tenant': clubId } })
    const all = makeSubscriber({ ...asked, headers: bearer(boss) })
    for (const client of [inClub, all]) {
      await client.connect()
      await client.next('ready')
    }
    const isHello = ({ data }: StreamEvent) => data.record?.title === 'Hello'
    await until(() => inClub.events.some(isHello), 'the post is settled')
    await ask('DELETE', `/memberships/${joined.body.id}`)
    assert.equal((await inClub.next('errors')).data.errors[0].extensions.code, 'NOT_FOUND')
    await other.stop()
    const end = await all.next('end')
    assert.equal(end.id, end.data.position)
    await all.ended()
  })
})

describe('A client that does not read', () => {
  it('is told that something was lost, and holds no more than its bound', async () => {
    const titles = Array.from({ length: 12 }, (_, i) => `t${i}: title`).join(' ')
    const query = `subscription { notes(filter: { rank: { gte: 1000 } }) { type message before record { ${titles} } } }`
    const { port, hostname } = new URL(own.url)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify({ query })
    const head = ['POST /graphql HTTP/1.1', `Host: ${hostname}`, `Authorization: Bearer ${ann.token}`]
    const types = ['Accept: text/event-stream', 'Content-Type: application/json', `Content-Length: ${body.length}`]
    socket.write(`${[...head, ...types].join('\r\n')}\r\n\r\n${body}`)
    const [first] = await once(socket, 'data')
    socket.pause()
    let text = String(first)
    assert.match(text, /^HTTP\/1.1 200 /)
    const create = (rank: number) =>
      Array.from({ length: 50 }, () => {
        const values = { ownerId: ann.id, rank, title: 'x'.repeat(100) }
        return { method: 'POST', path: '/notes', body: values }
      })
    // More than the buffers of a system hold: each change has some 3,000 characters.
    for (let i = 0; i < 10; i += 1)
      assert.equal((await api('POST', '/batch', { body: { operations: create(1_000) }, ...by(admin) })).status, 200)
    const changes = 12
    for (let i = 1; i <= changes; i += 1)
      assert.equal((await patch('/notes?rank[gte]=1000&limit=500', { rank: 1_000 + i })).status, 200)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.resume()
    await once(socket, 'close')
    assert.match(text.slice(-300), /"type":"LOST","message":"The client reads too slowly: begin anew"/)
    const told = text.match(/"type":"CHANGE"/g)?.length ?? 0
    assert.ok(told < changes * 500, `${told} of all changes were kept for a client that does not read`)
  })
})

describe('A subscription is refused', () => {
  it('as its list is, and for what it cannot show', async () => {
    const key = await own.key(ann, { scopes: ['notes:read'] })
    const cases: readonly (readonly [query: string, RegExp, Asked?])[] = [
      ['subscription { posts { type } }', /^UNAUTHENTICATED /, { headers: {} }],
      ['subscription { posts { type } }', /^FORBIDDEN /, { headers: { 'x-api-key': key } }],
      ['subscription { notes { record { project { id } } } }', /^BAD_USER_INPUT A subscription cannot show project of/],
      [
        'subscription { notes { ...F } } fragment F on NoteEvent { record { version } }',
        /cannot show version of notes/,
      ],
      ['subscription { posts { record { rank } } }', /^BAD_USER_INPUT A subscription cannot show rank of posts/],
      ['subscription { notes(filter: { inner: { eq: "x" } }) { type } }', /^GRAPHQL_VALIDATION_FAILED /],
      ['subscription { notes(sort: "rank") { type } }', /^GRAPHQL_VALIDATION_FAILED Unknown argument "sort"/],
      ['subscription { notes { type } posts { type } }', /^GRAPHQL_VALIDATION_FAILED .*must select only one/],
      ['subscription { clubs { type } }', /^GRAPHQL_VALIDATION_FAILED Cannot query field "clubs"/],
      [
        'subscription ($rank: Int) { notes(filter: { rank: { eq: $rank } }) { type } }',
        /^BAD_USER_INPUT Variable "\$rank"/,
        { variables: { rank: 'x' } },
      ],
      [
        `subscription { notes { ${Array.from({ length: 16 }, (_, i) => `a${i}: type`).join(' ')} } }`,
        /more than 15 aliases/,
      ],
      ['subscription {', /^GRAPHQL_PARSE_FAILED /],
    ]
    for (const [query, said, asked] of cases)
      assert.match(await refusal(query, { headers: bearer(ann), ...asked }), said, query)
  })

  it('with a status where the request is at fault, and without Accept', async () => {
    const query = 'subscription { notes { type } }'
    const send = (headers: Record<string, string>, body: string = JSON.stringify({ query })) =>
      own.ask('POST', '/graphql', { headers: { accept: 'text/event-stream', ...headers }, body })
    assert.equal((await send({ authorization: 'Bearer no' })).status, 401)
    assert.equal((await send({ 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send({ ...bearer(ann), 'x-tenant': 'none' })).status, 404)
    const plain = await own.ask('POST', '/graphql', { body: { query }, ...by(ann) })
    assert.equal(plain.status, 400)
    assert.match(plain.text, /Subscriptions are answered with events: send Accept: text\/event-stream/)
    const none = await own.ask('POST', '/graphql', { body: { query }, headers: { accept: 'image/png' } })
    assert.deepEqual([none.status, /or text\/event-stream/.test(none.text)], [406, true])
  })
})

describe('Other operations with Accept: text/event-stream', () => {
  it('are one result, then complete', async () => {
    const create = `mutation ($input: CreateNoteInput!) { createNote(input: $input) { id title } }`
    const input = { ownerId: ann.id, title: 'By events' }
    const made = await eventsOf({ query: create, variables: { input } }, bearer(admin))
    const { id } = made[0]?.data.data.createNote ?? {}
    const complete = { event: 'complete', id: undefined, data: undefined }
    const next = (data: object) => ({ event: 'next', id: undefined, data })
    assert.deepEqual(made, [next({ data: { createNote: { id, title: 'By events' } } }), complete])
    for (let i = 0; i < 2; i += 1)
      assert.deepEqual(await eventsOf({ query: `{ note(id: "${id}") { title } }` }, bearer(ann)), [
        next({ data: { note: { title: 'By events' } } }),
        complete,
      ])
    const [wrong] = await eventsOf({ query: '{ nothing }' }, bearer(ann))
    assert.equal(wrong?.data.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  })

  it('come by GET too, where they write nothing', async () => {
    const get = (query: string) =>
      fetch(`${own.url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { accept: 'text/event-stream', ...bearer(ann) },
      })
    assert.match(
      await (await get('{ notes { data { id } } }')).text(),
      /^event: next\ndata: .*\n\nevent: complete\ndata: \n\n$/,
    )
    assert.equal((await get('mutation { deleteNote(id: "1") { id } }')).status, 405)
    const stream = await get('subscription { notes(q: "nothing at all") { type } }')
    for await (const { event, data } of parseStream(stream.body as ReadableStream<Uint8Array>)) {
      if (event === 'next') assert.deepEqual(data, { data: { notes: { type: 'READY' } } })
      if (event === 'next') break
    }
  })
})
