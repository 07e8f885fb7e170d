/**
 * The client of graphql-sse against subscriptions, in its distinct connections mode: events, a
 * restart of the service in between, and the end behind `complete`.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { password, startService } from 'bindery-server/test'
import { removeDatabase, removeFolder, temporaryFolder } from '../../../src/testing/index.ts'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { by } from './live-library.ts'

type NoteEvent = {
  readonly type: string
  readonly id: string | null
  readonly position: string | null
  readonly resumed: boolean | null
  readonly record: { readonly id: string; readonly title: string } | null
}

type SseResult<T> = {
  readonly data?: T | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}
type SsePackage = {
  createClient(options: {
    url: () => string
    headers: () => Record<string, string>
    retry: () => Promise<void>
    on: { connected(): void }
  }): { iterate<T>(request: { query: string }): AsyncIterable<SseResult<T>> }
}
/** Loaded by its name, so that a clone whose packages are older still compiles. */
const packageName: string = 'graphql-sse'

const folder = temporaryFolder()
after(async () => {
  await removeDatabase(folder)
  removeFolder(folder)
})

test('the client of graphql-sse goes on over a restart, and ends where it shall', async () => {
  const { createClient } = (await import(packageName)) as SsePackage
  const env = { DATA_DIR: folder }
  let own = await startService(library(), { env })
  after(() => own.stop())
  const admin = await own.admin()
  const { token, refreshToken } = await own.logIn(admin.email, password)
  const write = async (method: string, path: string, body: object) => {
    const reply = await own.ask(method, `/api/v1${path}`, { body, ...by(admin) })
    assert.ok(reply.status < 300, reply.text)
    return reply.body?.id as string
  }
  const restarted = Promise.withResolvers<void>()
  let position = ''
  let connections = 0
  const client = createClient({
    url: () => `${own.url}/graphql`,
    headers: (): Record<string, string> => ({
      authorization: `Bearer ${token}`,
      ...(position && { 'last-event-id': position }),
    }),
    retry: () => restarted.promise,
    on: {
      connected: () => {
        connections += 1
      },
    },
  })
  const events: NoteEvent[] = []
  const refusals: unknown[] = []
  async function follow(): Promise<void> {
    const query = 'subscription { notes(q: "sse") { type id position resumed record { id title } } }'
    for await (const { data, errors } of client.iterate<{ notes: NoteEvent }>({ query })) {
      if (errors) refusals.push(...errors.map(({ extensions }) => extensions?.code))
      if (!data) continue
      events.push(data.notes)
      if (data.notes.position) position = data.notes.position
    }
  }
  const following = follow()
  const has = (type: string, title?: string) =>
    until(
      () => events.some((one) => one.type === type && (title === undefined || one.record?.title === title)),
      () => `${type} ${title} in ${JSON.stringify([events, refusals])}`,
    )

  await has('READY')
  const id = await write('POST', '/notes', { title: 'sse one' })
  await has('ENTER', 'sse one')
  await own.stop()
  await has('END')
  const seen = events.length
  own = await startService(library(), { env })
  await write('PATCH', `/notes/${id}`, { title: 'sse two' })
  restarted.resolve()
  await has('CHANGE', 'sse two')
  const later = events.slice(seen)
  assert.deepEqual(
    later.map(({ type, resumed }) => [type, resumed]),
    [
      ['READY', true],
      ['CHANGE', null],
    ],
  )
  assert.equal(connections, 2)

  await own.ask('POST', '/api/v1/auth/logout', { body: { refreshToken }, token })
  await following
  assert.deepEqual(refusals, ['UNAUTHENTICATED'])
  assert.equal(connections, 2, 'it does not come again')
})
