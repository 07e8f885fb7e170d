/**
 * Live sets: `GET /notes?_live`, case by case. The records come first, then what changes, with
 * nothing between; streams end with the rights of their callers.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from 'bindery-server/test'
import { changesAtOnce } from '../../../src/events/read-feed.ts'
import { limits } from '../../../src/limits.ts'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { type LiveClient, makeLiveClient } from './live-client.ts'
import { bearer, by, openLibrary } from './live-library.ts'
import { makeSubscriber } from './subscription-client.ts'

const { own, admin, ann, opened, api, patch, make, note } = await openLibrary()

async function live(path: string, headers: Record<string, string> = bearer(ann)): Promise<LiveClient> {
  const client = opened(makeLiveClient({ url: own.url, path, headers }))
  await client.connect()
  return client
}

describe('A live set', () => {
  it('begins with its records, and goes on with what enters, changes and leaves', async () => {
    const first = await note({ ownerId: ann.id, rank: 5, title: 'a' })
    // On PostgreSQL any open transaction holds later changes back, also one of another test.
    let client = await live('/notes?rank[gte]=5&_live')
    let { data } = await client.next('ready')
    const begins = async () => {
      if (client.events.some(({ event }) => event === 'record')) return true // it may also enter
      await client.cut()
      client = await live('/notes?rank[gte]=5&_live')
      data = (await client.next('ready')).data
      return false
    }
    await until(begins, 'the record is settled')
    assert.equal(client.reply().headers.get('x-accel-buffering'), 'no')
    assert.equal(client.reply().headers.get('cache-control'), 'no-store')
    assert.equal(client.table.get(first)?.title, 'a')
    assert.equal(data.position, client.position())

    const id = await note({ ownerId: ann.id, rank: 6 })
    const entered = await client.next('enter')
    assert.equal(entered.data.id, id)
    assert.equal(entered.id, entered.data.position)
    const changed = await patch(`/notes/${id}`, { rank: 7 })
    assert.equal(changed.status, 200)
    const { data: change } = await client.next('change')
    assert.deepEqual([change.before, change.record.rank, change.version], [{ rank: 6 }, 7, 2])
    await patch(`/notes/${id}`, { rank: 1 })
    const left = await client.next('leave')
    assert.equal('record' in left.data, false)
    await patch(`/notes/${id}`, { rank: 9 })
    await client.next('enter')
    await api('DELETE', `/notes/${id}`, by(admin))
    await client.next('delete')
    await patch(`/notes/${first}`, { ownerId: admin.id })
    await client.next('leave')
    assert.equal(client.table.size, 0)
  })

  it('resumes behind the last event, also after changes while it was away', async () => {
    const client = await live('/notes?q=again&_live')
    await client.next('ready')
    const id = await note({ ownerId: ann.id, title: 'again 1' })
    await client.next('enter')
    await client.cut()
    await patch(`/notes/${id}`, { title: 'again 2' })
    await note({ ownerId: ann.id, title: 'again 3' })
    await client.connect()
    assert.equal((await client.next('ready')).data.resumed, true)
    await client.next('change')
    await client.next('enter')
    assert.equal(client.table.size, 2)
  })

  it('tells how far it has come, though it sees none of the changes, and goes on from there', async () => {
    const client = await live('/notes?q=unseen&_live')
    await client.next('ready')
    await client.cut()
    const first = client.position()
    // More than the log gives at once.
    const body = { ownerId: ann.id }
    const operations = Array.from({ length: 100 }, () => ({ method: 'POST', path: '/api/v1/notes', body }))
    for (let count = 0; count <= changesAtOnce; count += operations.length) {
      const batch = await api('POST', '/batch', { body: { operations }, ...by(admin) })
      assert.equal(batch.status, 200, batch.text)
    }
    // Without the position that idle streams tell, and with one behind each part of the log.
    const usual = { ...limits.live }
    Object.assign(limits.live, { heartbeatMs: Number.POSITIVE_INFINITY, progressMs: 0 })
    try {
      await client.connect()
      await until(() => client.positions().length >= 3, 'its positions')
      await note({ ownerId: ann.id, title: 'unseen' })
      await client.next('enter')
    } finally {
      Object.assign(limits.live, usual)
    }
    const [begun, ...others] = client.positions()
    assert.equal(begun, first)
    assert.equal(new Set(others).size, others.length, 'each once')
    await client.cut()
    await client.connect()
    await client.next('ready')
    assert.equal(client.table.size, 1)
  })

  it('begins anew, and says so, where its position is of other rights', async () => {
    const cleo = await own.person()
    const client = await live('/notes?_live', bearer(cleo))
    await client.next('ready')
    await client.cut()
    await patch(`/users/${cleo.id}`, { role: 'SUPPORT' })
    const again = makeLiveClient({
      url: own.url,
      path: '/notes?_live',
      headers: { ...bearer(await own.logIn(cleo.email)), 'last-event-id': client.position() ?? '' },
    })
    opened(again)
    await again.connect()
    assert.match((await again.next('lost')).data.error, /rights of the caller have changed: begin anew/)
    assert.equal('resumed' in (await again.next('ready')).data, false)
  })

  it('follows memberships, and other records by which its own are found', async () => {
    const project = (await api('POST', '/projects', { body: { isOpen: false }, ...by(admin) })).body.id
    const filter = encodeURIComponent(JSON.stringify({ project: { isOpen: { eq: true } } }))
    const ofProject = await live(`/notes?filter=${filter}&_live`)
    const ofClubs = await live('/posts?_live')
    await ofProject.next('ready')
    await ofClubs.next('ready')
    const id = await note({ ownerId: ann.id, projectId: project })
    await patch(`/projects/${project}`, { isOpen: true })
    assert.equal((await ofProject.next('enter')).data.id, id)
    await patch(`/projects/${project}`, { isOpen: false })
    await ofProject.next('leave')

    const clubId = (await api('POST', '/clubs', { body: { name: 'Chess' }, ...by(admin) })).body.id as string
    const post = { clubId, state: 'OPEN', title: 'Hello' }
    const { body } = await api('POST', '/posts', { body: post, ...by(admin) })
    const joined = await api('POST', '/memberships', { body: { clubId, userId: ann.id }, ...by(admin) })
    assert.equal((await ofClubs.next('enter')).data.id, body.id)
    await patch(`/posts/${body.id}`, { title: 'Again' })
    await ofClubs.next('change')
    await patch(`/memberships/${joined.body.id}`, { state: 'PAUSED' })
    await ofClubs.next('leave')
    assert.deepEqual(ofClubs.losses(), [])
  })

  it('tells a reader nothing twice that comes while others are told', async (context) => {
    const projectId = await make('/projects', { isOpen: true })
    const filter = encodeURIComponent(JSON.stringify({ project: { isOpen: { eq: true } } }))
    const path = `/notes?filter=${filter}&q=twice&_live`
    const first = await live(path)
    await first.next('ready')
    const { storage } = own.service.engine
    const { list } = storage
    const held = Promise.withResolvers<void>()
    const goesOn = Promise.withResolvers<void>()
    const holding: typeof list = async (...asked) => {
      const rows = await list(...asked)
      if (asked[0].name !== 'project') return rows
      Object.assign(storage, { list })
      held.resolve()
      await goesOn.promise
      return rows
    }
    Object.assign(storage, { list: holding })
    context.after(() => {
      Object.assign(storage, { list })
      goesOn.resolve()
    })
    const id = await note({ ownerId: ann.id, projectId, title: 'twice' })
    await held.promise
    const second = await live(path)
    await second.next('ready')
    await until(() => second.table.has(id), 'the note is there')
    goesOn.resolve()
    const last = await note({ ownerId: ann.id, projectId, title: 'twice again' })
    const isOver = () => second.table.has(last) || second.events.some(({ event }) => event === 'failed')
    await until(isOver, 'the last note')
    const told = second.events.filter(({ event, data }) => event === 'failed' || data.id === id)
    assert.equal(told.length, 1, JSON.stringify(told))
  })

  it('has no gap while writers write', async () => {
    let done = false
    const writing = (async () => {
      for (let rank = 0; !done; rank = (rank + 1) % 10) {
        const id = await note({ ownerId: ann.id, rank, title: 'race' })
        if (rank % 3 === 0) await patch(`/notes/${id}`, { rank: 9 - rank })
        if (rank % 4 === 0) await api('DELETE', `/notes/${id}`, by(admin))
      }
    })()
    const clients: LiveClient[] = []
    for (let i = 0; i < 20; i += 1) clients.push(await live('/notes?rank[gte]=5&q=race&_live'))
    for (const client of clients) await client.next('ready')
    done = true
    await writing
    const last = await note({ ownerId: ann.id, rank: 9, title: 'race end' })
    const rows = new Map<string, unknown>()
    for (let page = 1; ; page += 1) {
      const { body } = await api('GET', `/notes?rank[gte]=5&q=race&limit=100&page=${page}`, by(ann))
      for (const row of body.data) rows.set(row.id, row.rank)
      if (body.data.length < 100) break
    }
    for (const client of clients) {
      await client.next('enter', ({ id }) => id === last)
      assert.deepEqual(
        client.events.filter(({ event }) => event === 'failed'),
        [],
      )
      assert.deepEqual(
        Object.fromEntries([...client.table].map(([id, { rank }]) => [id, rank])),
        Object.fromEntries(rows),
      )
    }
  })
})

describe('A live stream ends', () => {
  it('with the token of an operator that views its caller', async () => {
    const other = await startService(library())
    try {
      const [boss, person] = [await other.admin(), await other.person()]
      const view = await other.ask('POST', '/api/v1/auth/view-as', { body: { userId: person.id }, ...by(boss) })
      assert.equal(view.status, 200, view.text)
      const headers = { authorization: `Bearer ${view.body.accessToken}` }
      const client = makeLiveClient({ url: other.url, path: '/notes?_live', headers })
      await client.connect()
      await client.next('ready')
      other.turn(16 * 60_000)
      assert.equal((await client.next('end')).data.code, 'unauthenticated')
      await client.ended()
    } finally {
      await other.stop()
    }
  })

  it('with its session', async () => {
    const cleo = await own.person()
    const client = await live('/notes?_live', bearer(cleo))
    await client.next('ready')
    const { status, text } = await api('POST', '/auth/logout', {
      body: { refreshToken: cleo.refreshToken },
      ...by(cleo),
    })
    assert.equal(status, 204, text)
    assert.equal((await client.next('end')).data.code, 'unauthenticated')
    await client.ended()
    const other = await live('/notes?_live&rank=77')
    await other.next('ready')
    await other.cut()
    const lines = () =>
      own.logged.filter((line) => line.includes('"path":"/api/v1/notes"')).map((line) => JSON.parse(line).status)
    await until(
      () => lines().includes(499) && lines().includes(200),
      () => `the log has its end, and that of one whose client left: ${own.logged.slice(-5)}`,
    )
  })

  it('with its key, and with the role of its caller', async () => {
    const cleo = await own.person()
    const key = await own.key(cleo)
    const byKey = await live('/notes?_live', { 'x-api-key': key })
    const byToken = await live('/notes?_live', bearer(cleo))
    await byKey.next('ready')
    await byToken.next('ready')
    await patch(`/users/${cleo.id}`, { role: 'SUPPORT' })
    await byToken.next('lost')
    await byToken.ended()
    await byKey.ended()
    const again = await live('/notes?_live', { 'x-api-key': key })
    await again.next('ready')
    const keys = await api('GET', '/api-keys', by(await own.logIn(cleo.email)))
    const gone = await api('DELETE', `/api-keys/${keys.body.data[0].id}`, by(await own.logIn(cleo.email)))
    assert.ok(gone.status < 300, gone.text)
    assert.equal((await again.next('end')).data.code, 'unauthenticated')
  })

  it('with the membership of the tenant that it names', async () => {
    const clubId = (await api('POST', '/clubs', { body: { name: 'Go' }, ...by(admin) })).body.id as string
    const joined = await api('POST', '/memberships', { body: { clubId, userId: ann.id }, ...by(admin) })
    await api('POST', '/posts', { body: { clubId, state: 'OPEN', title: 'Hello' }, ...by(admin) })
    const client = await live('/posts?_live', { ...bearer(ann), 'x-tenant': clubId })
    await client.next('ready')
    await until(() => client.table.size === 1, 'the post is settled')
    await api('DELETE', `/memberships/${joined.body.id}`, by(admin))
    assert.equal((await client.next('end')).data.code, 'not-found')
  })

  it('not with its access token, which ends before its session', async () => {
    const other = await startService(library())
    try {
      const person = await other.person()
      const client = makeLiveClient({ url: other.url, path: '/notes?_live', headers: bearer(person) })
      await client.connect()
      await client.next('ready')
      other.turn(16 * 60_000)
      assert.equal((await other.ask('GET', '/api/v1/notes', by(person))).status, 401)
      const boss = await other.admin()
      const fresh = await other.logIn(boss.email)
      const write = async (title: string) =>
        other.ask('POST', '/api/v1/notes', { body: { state: 'OPEN', title }, ...by(fresh) })
      await write('a')
      await client.next('enter')
      // The caller has been identified again by then.
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await write('b')
      await client.next('enter')
      await client.cut()
    } finally {
      await other.stop()
    }
  })

  it('with the service, at its position', async () => {
    const other = await startService(library())
    const boss = await other.admin()
    const client = makeLiveClient({ url: other.url, path: '/notes?_live', headers: bearer(boss) })
    await client.connect()
    await client.next('ready')
    await other.ask('POST', '/api/v1/notes', { body: { state: 'OPEN' }, ...by(boss) })
    const { data } = await client.next('enter')
    await other.stop()
    const end = await client.next('end')
    assert.equal(end.data.code, 'unavailable')
    assert.equal(end.id, end.data.position)
    // Other transactions may have followed, such as that of a session.
    assert.ok(data.position.length === end.data.position.length)
  })
})

describe('A live request', () => {
  it('is refused as its list is, and for what cannot be live', async () => {
    const refused = async (path: string, headers: Record<string, string> = bearer(ann)) => {
      const client = makeLiveClient({ url: own.url, path, headers })
      await assert.rejects(client.connect())
      return client.status()
    }
    assert.equal(await refused('/posts?_live', {}), 401)
    assert.equal(await refused('/clubs?_live', { ...bearer(ann), accept: '*/*' }), 400)
    assert.equal(await refused('/notes?_live=no'), 400)
    assert.equal(await refused('/notes?_live&nothing=1'), 400)
    assert.equal(await refused('/notes?_live', { ...bearer(ann), accept: 'application/json' }), 406)
    assert.equal(await refused('/posts?_live', { ...bearer(ann), 'x-tenant': 'none' }), 404)
    assert.equal(await refused('/notes?_live', { ...bearer(ann), 'last-event-id': 'abc' }), 400)
  })

  it('is one of a bounded number', async () => {
    const cleo = await own.person()
    const clients: LiveClient[] = []
    for (let i = 0; i < 100; i += 1) clients.push(await live('/notes?state=DONE&rank=3&_live', bearer(cleo)))
    const more = makeLiveClient({ url: own.url, path: '/notes?_live', headers: bearer(cleo) })
    await assert.rejects(more.connect(), /429 .*100 live streams/)
    const query = 'subscription { notes { type } }'
    const byGraphql = makeSubscriber({ url: own.url, query, headers: bearer(cleo) })
    await assert.rejects(byGraphql.connect(), /429 .*100 live streams/)
    for (const one of clients) await one.cut()
    let tries = 0
    for (;;) {
      const connected = await more.connect().then(
        () => true,
        () => false,
      )
      if (connected) break
      tries += 1
      assert.ok(tries < 1000)
    }
    await more.cut()
  })
})
