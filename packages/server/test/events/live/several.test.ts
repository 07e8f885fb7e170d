/** `POST /_live`: one stream with several subscriptions, which one position resumes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { defineResource, id, role, text, user } from '../../../src/index.ts'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { makeLiveClient } from './live-client.ts'

const settings = defineResource({
  name: 'settings',
  path: '/settings',
  single: true,
  changes: true,
  fields: { id: id(), title: text({ default: 'Ours', maxLength: 40 }) },
  access: { read: user, write: role('ADMIN') },
})

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startService([...library(), settings])
  admin = await own.admin()
})
after(() => own.stop())

const clientOf = (subscriptions: unknown, headers = {}) =>
  makeLiveClient({
    url: own.url,
    path: '/_live',
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}`, ...headers },
    body: { subscriptions },
  })
const write = async (path: string, body: object, method = 'POST') => {
  const reply = await own.ask(method, `/api/v1${path}`, { body, token: admin.token })
  assert.ok(reply.status < 300, reply.text)
  return reply.body.id as string
}

describe('A stream of several lists', () => {
  const subscriptions = [
    { name: 'open', path: '/notes?state=OPEN' },
    { name: 'projects', path: '/projects' },
    { name: 'top', path: '/notes?sort=-rank&limit=2' },
  ]

  it('names each, and resumes all from one position', async () => {
    const client = clientOf(subscriptions)
    await client.connect()
    assert.deepEqual((await client.next('top/page')).data.order, [])
    await client.next('ready')
    const id = await write('/notes', { state: 'OPEN', rank: 3 })
    // A page and a set are told each in its own time.
    const told = (event: string, isIt: (data: { id?: string; order?: string[] }) => boolean) =>
      until(() => client.events.some((one) => one.event === event && isIt(one.data)), event)
    await told('open/enter', (data) => data.id === id)
    await told('top/page', (data) => data.order?.join() === id)
    const project = await write('/projects', { level: 1 })
    assert.equal((await client.next('projects/enter')).data.id, project)
    await client.cut()
    await write('/batch', {
      operations: [
        { method: 'PATCH', path: `/notes/${id}`, body: { state: 'DONE' } },
        { method: 'PATCH', path: `/projects/${project}`, body: { level: 2 } },
      ],
    })
    const seen = client.events.length
    await client.connect()
    await client.next('open/leave')
    await client.next('projects/change')
    const events = client.events.slice(seen).map(({ event }) => event)
    assert.deepEqual(events.filter((one) => one === 'open/leave' || one === 'projects/change').length, 2)
    await client.cut()
  })

  it('is refused for names and paths that are none', async () => {
    for (const [sent, says] of [
      [[], /a list of 1 to 20/],
      [
        [
          { name: 'a', path: '/notes' },
          { name: 'a', path: '/projects' },
        ],
        /Two subscriptions have the name a/,
      ],
      [[{ name: 'a b', path: '/notes' }], /needs a name/],
      [[{ name: 'a', path: 'notes' }], /needs a path/],
      [[{ name: 'a', path: '/clubs' }], /cannot be live/],
      [[{ name: 'a', path: '/nothing' }], /cannot be live/],
      [[{ name: 'a', path: '/notes?nothing=1' }], /Unknown query parameter/],
    ] as const)
      await assert.rejects(clientOf(sent).connect(), says)
  })
})

describe('The only record of a resource', () => {
  const settled = () => own.ask('GET', '/api/v1/_changes?resources=settings', { token: admin.token })
  const open = async (query: string) => {
    const client = makeLiveClient({
      url: own.url,
      path: `/settings?${query}_live`,
      headers: { authorization: `Bearer ${admin.token}` },
    })
    await client.connect()
    return client
  }

  it('is a set of one, a page of one, and in the feed', async () => {
    const { body: begun } = await settled()
    const first = await write('/settings', { title: 'First' }, 'PATCH')
    const [set, page] = [await open(''), await open('fields=id,title&')]
    assert.deepEqual((await page.next('page')).data.records, [{ id: first, title: 'First' }])
    await set.next('ready')
    await write('/settings', { title: 'Second' }, 'PATCH')
    await set.next('change', ({ record }) => record.title === 'Second')
    await page.next('page', ({ records }) => records[0]?.title === 'Second')
    const path = `/api/v1/_changes?resources=settings&after=${begun.meta.position}`
    await until(async () => {
      const { body } = await own.ask('GET', path, { token: admin.token })
      return body.data.some(({ record }: { record: { title: string } }) => record.title === 'Second')
    }, 'the feed has it')
    const { body: described } = await own.ask('GET', '/api/v1/_resources/settings', { token: admin.token })
    assert.equal(described.live, true)
    for (const one of [set, page]) await one.cut()
  })

  it('is followed by those who may read it', async () => {
    const asked = { headers: { accept: 'text/event-stream' } }
    assert.equal((await own.ask('GET', '/api/v1/settings?_live', asked)).status, 401)
    assert.equal((await own.ask('GET', '/api/v1/_changes?resources=settings')).status, 401)
  })
})
