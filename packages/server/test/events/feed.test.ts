/**
 * The feed `GET /_changes`, case by case: which events there are for whom, pages of whole
 * transactions, waiting, lines, and positions from which nothing is known.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, startService, type TestPerson, type TestService } from 'bindery-server/test'
import { until } from '../helpers/until.ts'
import { library } from './library.ts'
import { type FeedEvent, makeSettle } from './reader.ts'

let own: TestService
let admin: TestPerson
let settle: () => Promise<void>
let ann: TestPerson
let ben: TestPerson
before(async () => {
  own = await startService(library())
  admin = await own.admin()
  settle = makeSettle(own.ask, by(admin))
  ann = await own.person()
  ben = await own.person()
})
after(() => own.stop())

const api = (method: string, path: string, options: AskOptions = {}) => own.ask(method, `/api/v1${path}`, options)
const by = ({ token }: TestPerson): AskOptions => ({ token })

/** A follower of one query, who has the events since its last look. */
async function follow(query: string, as: AskOptions) {
  await settle()
  const start = await api('GET', `/_changes?${query}`, as)
  assert.equal(start.status, 200, start.text)
  let { position } = start.body.meta
  return async (more = ''): Promise<FeedEvent[]> => {
    await settle()
    const reply = await api('GET', `/_changes?${query}&after=${position}${more}`, as)
    assert.equal(reply.status, 200, reply.text)
    position = reply.body.meta.position
    return reply.body.data
  }
}
const said = (events: readonly FeedEvent[]) => events.map(({ type, resource, id }) => [type, resource, id])

async function note(values: object): Promise<string> {
  const { status, body, text } = await api('POST', '/notes', { body: values, ...by(admin) })
  assert.equal(status, 201, text)
  return body.id
}
const patch = (path: string, body: object, as = admin) => api('PATCH', path, { body, ...by(as) })

describe('Events of a list', () => {
  it('are enter, change, leave and delete, by the rule and the filter', async () => {
    const mine = await follow('resources=notes', by(ann))
    const open = await follow('resources=notes&rank[gte]=5', by(ann))
    const id = await note({ ownerId: ann.id, rank: 1, title: 'a' })
    const [entered] = await mine()
    assert.equal(entered?.type, 'enter')
    assert.equal(entered?.record?.title, 'a')
    assert.equal(entered?.version, 1)
    assert.ok(entered?.last && entered.position)
    assert.deepEqual(await open(), [])

    await patch(`/notes/${id}`, { rank: 7 })
    const [changed] = await mine()
    assert.deepEqual([changed?.type, changed?.before, changed?.record?.rank], ['change', { rank: 1 }, 7])
    assert.deepEqual(said(await open()), [['enter', 'notes', id]])

    await patch(`/notes/${id}`, { rank: 2 })
    const [left] = await open()
    assert.deepEqual(Object.keys(left ?? {}).sort(), [
      'at',
      'id',
      'last',
      'position',
      'resource',
      'transaction',
      'type',
    ])
    assert.equal(left?.type, 'leave')

    await mine()
    await patch(`/notes/${id}`, { ownerId: ben.id })
    assert.deepEqual(said(await mine()), [['leave', 'notes', id]])
    await patch(`/notes/${id}`, { rank: 9, title: 'secret' })
    assert.deepEqual(await mine(), [])
    await patch(`/notes/${id}`, { state: 'OPEN' })
    assert.deepEqual(said(await mine()), [['enter', 'notes', id]])
    await api('DELETE', `/notes/${id}`, by(admin))
    assert.deepEqual(said(await mine()), [['delete', 'notes', id]])
    await api('POST', `/notes/${id}/restore`, by(admin))
    assert.deepEqual(said(await mine()), [['enter', 'notes', id]])
  })

  it('show no field that the caller may not read, and none that it alone changes', async () => {
    const events = await follow('resources=notes', by(ann))
    const id = await note({ ownerId: ben.id, state: 'OPEN', price: 5 })
    const [entered] = await events()
    assert.equal('price' in (entered?.record ?? {}), false)
    await patch(`/notes/${id}`, { price: 6 })
    assert.deepEqual(await events(), [])
    await patch(`/notes/${id}`, { ownerId: ann.id })
    const [changed] = await events()
    assert.equal(changed?.record?.price, 6)
    assert.equal(JSON.stringify(changed).includes('inner'), false)
  })

  it('are one for each record of a transaction, whose last one has the position', async () => {
    const events = await follow('resources=notes', by(ann))
    const rows = Array.from({ length: 5 }, (_, rank) => ({
      method: 'POST',
      path: '/notes',
      body: { ownerId: ann.id, rank },
    }))
    const { status, text } = await api('POST', '/batch', { body: { operations: rows }, ...by(admin) })
    assert.equal(status, 200, text)
    await note({ ownerId: ann.id, rank: 9 })
    const page = await events('&limit=2')
    assert.equal(page.length, 5, 'a page does not split it')
    assert.equal(new Set(page.map(({ transaction }) => transaction)).size, 1)
    assert.deepEqual(
      page.map(({ last = false, position }) => [last, position !== undefined]),
      [...Array(4).fill([false, false]), [true, true]],
    )
    assert.equal((await events()).length, 1)

    await api('PATCH', '/notes?rank[lt]=3&limit=100', { body: { title: 'many' }, ...by(admin) })
    const many = await events()
    assert.ok(many.length >= 3 && many.every(({ type, record }) => type === 'change' && record?.title === 'many'))
  })

  it('carry the id of the request to its own caller alone', async () => {
    const [mine, hers] = [await follow('resources=notes', by(ann)), await follow('resources=notes', by(ben))]
    const headers = { 'x-request-id': 'my-request-7' }
    const id = await note({ ownerId: ann.id, state: 'OPEN' })
    await mine()
    await hers()
    await api('PATCH', `/notes/${id}`, { body: { rank: 3 }, ...by(ann), headers })
    const [[own], [other]] = [await mine(), await hers()]
    assert.ok(own?.requestId)
    assert.equal(other?.requestId, undefined)
    assert.equal(own?.transaction, other?.transaction)
  })
})

describe('Events by other records', () => {
  it('follow the record that a filter looks into', async () => {
    const project = (await api('POST', '/projects', { body: { isOpen: false }, ...by(admin) })).body.id
    const filter = encodeURIComponent(JSON.stringify({ project: { isOpen: { eq: true } } }))
    const events = await follow(`resources=notes&filter=${filter}`, by(ann))
    const id = await note({ ownerId: ann.id, projectId: project })
    assert.deepEqual(await events(), [])
    await patch(`/projects/${project}`, { isOpen: true })
    assert.deepEqual(said(await events()), [['enter', 'notes', id]])
    await patch(`/projects/${project}`, { level: 3 })
    assert.deepEqual(await events(), [])
    // Both in one transaction: what it becomes is not told.
    const step = (path: string, body: object) => ({ method: 'PATCH', path, body })
    await api('POST', '/batch', {
      body: { operations: [step(`/notes/${id}`, { title: 'x' }), step(`/projects/${project}`, { isOpen: false })] },
      ...by(admin),
    })
    assert.deepEqual(said(await events()), [['leave', 'notes', id]])
  })

  it('follow the folders of a branch', async () => {
    const folder = async (parentId: string | null) =>
      (await api('POST', '/folders', { body: { parentId }, ...by(admin) })).body.id as string
    const top = await folder(null)
    const inner = await folder(top)
    const id = await note({ ownerId: ann.id, folderId: inner })
    const events = await follow(`resources=notes&folderId[within]=${top}`, by(ann))
    await patch(`/folders/${inner}`, { parentId: null })
    assert.deepEqual(said(await events()), [['leave', 'notes', id]])
    await patch(`/folders/${inner}`, { parentId: top })
    assert.deepEqual(said(await events()), [['enter', 'notes', id]])
  })

  it('come and go with memberships, as they were at each moment', async () => {
    const clubId = (await api('POST', '/clubs', { body: { name: 'Chess' }, ...by(admin) })).body.id as string
    const post = async (state: string) =>
      (await api('POST', '/posts', { body: { clubId, state, title: state }, ...by(admin) })).body.id as string
    const [open, draft] = [await post('OPEN'), await post('DRAFT')]
    const events = await follow('resources=posts', by(ann))
    const members = await api('POST', '/memberships', { body: { clubId, userId: ann.id }, ...by(admin) })
    assert.equal(members.status, 201, members.text)
    await patch(`/memberships/${members.body.id}`, { role: 'COACH' })
    await patch(`/memberships/${members.body.id}`, { state: 'PAUSED' })
    const all = await events()
    assert.deepEqual(said(all.slice(0, 2)), [
      ['enter', 'posts', open],
      ['enter', 'posts', draft],
    ])
    assert.deepEqual(
      said(all.slice(2)).sort(),
      [
        ['leave', 'posts', open],
        ['leave', 'posts', draft],
      ].sort(),
    )
    assert.deepEqual(all[0]?.record, { id: open, clubId, state: 'OPEN', title: 'OPEN' })
  })

  it('come with a membership that has changed again behind many other changes', async () => {
    const clubId = (await api('POST', '/clubs', { body: { name: 'Draughts' }, ...by(admin) })).body.id as string
    const { id } = (await api('POST', '/posts', { body: { clubId, state: 'OPEN', title: 'Hello' }, ...by(admin) })).body
    const posts = await follow('resources=posts', by(ben))
    const joined = await api('POST', '/memberships', { body: { clubId, userId: ben.id }, ...by(admin) })
    const noteId = await note({ rank: 1 })
    // More changes than the server reads at once, so that the second is behind what it reads first.
    for (let round = 0; round < 6; round += 1) {
      const operations = Array.from({ length: 100 }, (_, i) => ({
        ...{ method: 'PATCH', path: `/notes/${noteId}` },
        body: { rank: round * 100 + i },
      }))
      const { status, text } = await api('POST', '/batch', { body: { operations }, ...by(admin) })
      assert.equal(status, 200, text)
    }
    await patch(`/memberships/${joined.body.id}`, { state: 'PAUSED' })
    assert.deepEqual(said([...(await posts()), ...(await posts())]), [
      ['enter', 'posts', id],
      ['leave', 'posts', id],
    ])
  })
})

describe('Readers of the feed', () => {
  it('need what the list needs: a role, a scope, a tenant', async () => {
    const key = await own.key(ann, { scopes: ['notes:list'] })
    const onlyGet = await own.key(ann, { scopes: ['notes:get'] })
    const events = await follow('resources=notes', { key })
    const id = await note({ ownerId: ann.id })
    assert.deepEqual(said(await events()), [['enter', 'notes', id]])
    assert.deepEqual(
      (await follow('', { key })) && (await api('GET', '/_changes?resources=posts', { key })).status,
      403,
    )
    // A key that may only get records learns of none but those that anonymous callers list.
    const known = await follow('resources=notes', { key: onlyGet })
    await note({ ownerId: ann.id })
    assert.deepEqual(await known(), [])
    assert.equal((await api('GET', '/_changes?resources=users', by(admin))).status, 400)
    assert.equal(
      (await api('GET', '/_changes?resources=posts', { ...by(ann), headers: { 'x-tenant': 'none' } })).status,
      404,
    )
    assert.equal((await api('GET', '/_changes?resources=posts')).status, 401)
  })

  it('filter each resource, and by no field that the log lacks', async () => {
    const both = await follow(
      `resources=notes,posts&filter[notes]=${encodeURIComponent('{"rank":{"eq":77}}')}`,
      by(ann),
    )
    await note({ ownerId: ann.id, rank: 76 })
    const id = await note({ ownerId: ann.id, rank: 77 })
    assert.deepEqual(said(await both()), [['enter', 'notes', id]])
    for (const [query, sentence] of [
      ['resources=notes,posts&rank=1', /Name one resource/],
      ['resources=notes&page=2', /Leave page out/],
      ['resources=notes&nothing=2', /Unknown query parameter/],
      ['resources=notes&limit=0', /limit must be/],
      ['resources=notes&wait=31', /wait must be/],
      ['resources=notes&after=abc', /after must be a position/],
      ['resources=birds', /has no birds/],
    ] as const) {
      const { status, body } = await api('GET', `/_changes?${query}`, by(ann))
      assert.equal(status, 400, query)
      assert.match(body.error, sentence)
    }
  })

  it('begin anew when their rights change, or the position is of another log', async () => {
    const cleo = await own.person()
    const { body } = await api('GET', '/_changes?resources=notes', by(cleo))
    await patch(`/users/${cleo.id}`, { role: 'SUPPORT' })
    const again = await own.logIn(cleo.email)
    const reply = await api('GET', `/_changes?resources=notes&after=${body.meta.position}`, by(again))
    // Rules of notes and posts tell SUPPORT from others by the tenants alone.
    assert.equal(reply.status, 410, reply.text)
    assert.match(reply.body.error, /rights of the caller have changed/)
    const next = await api('GET', `/_changes?resources=notes&after=${reply.body.position}`, by(again))
    assert.equal(next.status, 200, next.text)
  })

  it('wait for the first event, and get lines where they ask for them', async () => {
    const { body } = await api('GET', '/_changes?resources=notes', by(ann))
    const { position } = body.meta
    const waiting = api('GET', `/_changes?resources=notes&after=${position}&wait=20`, {
      ...by(ann),
      headers: { accept: 'application/x-ndjson' },
    })
    await note({ ownerId: ben.id, title: 'hidden' })
    const id = await note({ ownerId: ann.id, title: 'told' })
    const { status, text, headers } = await waiting
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /ndjson/)
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(lines.length, 2)
    assert.equal(lines[0].id, id)
    assert.deepEqual(Object.keys(lines[1]), ['position', 'hasMore'])
  })

  it('wait by a bounded number of requests, so that one caller leaves room for others', async () => {
    const cleo = await own.person()
    await settle()
    const wait = async (as: TestPerson) => {
      const { position } = (await api('GET', '/_changes?resources=notes', by(as))).body.meta
      return api('GET', `/_changes?resources=notes&after=${position}&wait=30`, by(as))
    }
    const waiting = Array.from({ length: 100 }, () => wait(cleo))
    const waits = async () => (await api('GET', '/_operate/feed', by(admin))).body.readers.waiting
    await until(async () => (await waits()) === 100, 'all wait')
    const more = await wait(cleo)
    assert.equal(more.status, 429, more.text)
    assert.match(more.body.error, /100 requests that wait for changes/)
    assert.ok(more.headers.get('retry-after'))
    const other = wait(ann)
    await until(async () => (await waits()) === 101, 'another caller waits')
    await note({ ownerId: admin.id, state: 'OPEN' })
    for (const reply of await Promise.all([...waiting, other])) assert.equal(reply.status, 200, reply.text)
    const again = wait(cleo)
    await until(async () => (await waits()) === 1, 'the caller waits again')
    await note({ ownerId: admin.id, state: 'OPEN' })
    assert.equal((await again).status, 200)
  })
})
