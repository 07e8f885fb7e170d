/** `POST /_live`: one stream with several subscriptions, which one position resumes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { makeLiveClient } from './live-client.ts'

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startService(library())
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
