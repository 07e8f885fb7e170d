/**
 * Live pages and summaries: after each change the client has the page that the list gives, with its
 * order, its limit and its total.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from 'bindery-server/test'
import { anyOf, role, through, where } from '../../../src/index.ts'
import type { Rule } from '../../../src/resource/rule.ts'
import { until } from '../../helpers/until.ts'
import { library } from '../library.ts'
import { type LiveClient, makeLiveClient } from './live-client.ts'
import { bearer, by, openLibrary } from './live-library.ts'

const { own, admin, ann, opened, api, patch, make } = await openLibrary()

type Page = { readonly data: readonly unknown[]; readonly meta: unknown }

/** Folds the events of a page. */
function pageOf({ events }: LiveClient): Page {
  const records = new Map<unknown, unknown>()
  let page: Page = { data: [], meta: undefined }
  for (const { event, data } of events) {
    if (event !== 'page') continue
    for (const record of data.records) records.set(record.id, record)
    page = { data: data.order.map((id: unknown) => records.get(id)), meta: data.meta }
  }
  return page
}

async function open(path: string, as = ann): Promise<LiveClient> {
  const client = opened(makeLiveClient({ url: own.url, path: `${path}&_live`, headers: bearer(as) }))
  await client.connect()
  return client
}

/** The page of the client becomes the list. */
async function agrees(client: LiveClient, path: string, as = ann): Promise<Page> {
  const { body } = await api('GET', path, by(as))
  await until(
    () => JSON.stringify(pageOf(client)) === JSON.stringify({ data: body.data, meta: body.meta }),
    () => `${path}: ${JSON.stringify(pageOf(client))} is not ${JSON.stringify(body)}`,
  )
  return body
}

describe('A live page', () => {
  it('keeps its order, its limit and its total', async () => {
    const path = '/notes?sort=-rank&limit=3&q=page'
    const client = await open(path)
    await client.next('page')
    const ids: string[] = []
    for (const rank of [4, 2, 9, 1]) ids.push(await make('/notes', { ownerId: ann.id, rank, title: 'page' }))
    const { meta } = (await agrees(client, path)) as { meta: { total: number } }
    assert.equal(meta.total, 4)
    await patch(`/notes/${ids[3]}`, { rank: 8 })
    await agrees(client, path)
    const last = client.events.at(-1)?.data
    assert.equal(last.records.length, 1, 'only what is new or differs is sent')
    await patch(`/notes/${ids[0]}`, { rank: 0 })
    await agrees(client, path)
    await api('DELETE', `/notes/${ids[2]}`, by(admin))
    await agrees(client, path)
    await patch(`/notes/${ids[1]}`, { ownerId: admin.id })
    await agrees(client, path)
  })

  it('follows what it expands, and a summary its records', async () => {
    const project = await make('/projects', { isOpen: true, level: 1 })
    const path = '/notes?expand=project&limit=5&q=expanded'
    const client = await open(path)
    await make('/notes', { ownerId: ann.id, projectId: project, title: 'expanded' })
    await agrees(client, path)
    await patch(`/projects/${project}`, { level: 2 })
    await agrees(client, path)
    await patch(`/projects/${project}`, { isOpen: false })
    await agrees(client, path)

    const summary = await open('/notes/summary?group=state&q=summed')
    await summary.next('summary')
    for (const state of ['OPEN', 'OPEN', 'DRAFT']) await make('/notes', { ownerId: ann.id, state, title: 'summed' })
    const { text } = await api('GET', '/notes/summary?group=state&q=summed', by(ann))
    await until(
      () => JSON.stringify(summary.events.findLast(({ event }) => event === 'summary')?.data) === text,
      () => `${JSON.stringify(summary.events)} is not ${text}`,
    )
  })

  it('is shared by callers to whom it is the same, and by no others', async () => {
    const [mine, hers] = [
      await open('/notes?limit=4&sort=rank&q=shared'),
      await open('/notes?limit=4&sort=rank&q=shared', admin),
    ]
    await make('/notes', { ownerId: ann.id, rank: 1, title: 'shared' })
    await make('/notes', { ownerId: admin.id, rank: 2, title: 'shared' })
    const path = '/notes?limit=4&sort=rank&q=shared'
    assert.equal((await agrees(mine, path)).data.length, 1)
    assert.equal((await agrees(hers, path, admin)).data.length, 2)
    const other = await open(path)
    await agrees(other, path)
  })

  it('ends with the session of its caller', async () => {
    const cleo = await own.person()
    const client = await open('/notes?limit=4', cleo)
    await client.next('page')
    await api('POST', '/auth/logout', { body: { refreshToken: cleo.refreshToken }, ...by(cleo) })
    assert.equal((await client.next('end')).data.code, 'unauthenticated')
  })

  it('is refused where the list is', async () => {
    const refused = async (path: string) => {
      const client = makeLiveClient({ url: own.url, path: `${path}&_live`, headers: bearer(ann) })
      await assert.rejects(client.connect())
      return client.status()
    }
    assert.equal(await refused('/notes?sort=inner'), 400)
    assert.equal(await refused('/notes?limit=1&nothing=1'), 400)
  })
})

for (const KEEP_ANSWERS of ['true', 'false'])
  it(`A live page is of its own caller whatever the id of its request, with KEEP_ANSWERS=${KEEP_ANSWERS}`, async (context) => {
    const service = await startService(library(), { env: { KEEP_ANSWERS } })
    context.after(() => service.stop())
    const [boss, cleo] = [await service.admin(), await service.person()]
    await service.ask('POST', '/api/v1/notes', { body: { state: 'DRAFT', title: 'secret' }, ...by(boss) })
    const pages: LiveClient[] = []
    for (const one of [boss, cleo]) {
      const headers = { ...bearer(one), 'x-request-id': 'the-same' }
      const client = makeLiveClient({ url: service.url, path: '/notes?sort=rank&_live', headers })
      context.after(() => client.cut())
      await client.connect()
      await client.next('page')
      pages.push(client)
    }
    assert.deepEqual(
      pages.map((client) => pageOf(client).data.length),
      [1, 0],
    )
  })

for (const KEEP_ANSWERS of ['true', 'false'])
  it(`A live page follows what decides it for a caller who has changed, with KEEP_ANSWERS=${KEEP_ANSWERS}`, async (context) => {
    const note = anyOf([role('SUPPORT'), through('projectId', where({ isOpen: true }))]) as Rule
    const service = await startService(library({ note }), { env: { KEEP_ANSWERS } })
    context.after(() => service.stop())
    const [boss, cleo] = [await service.admin(), await service.person()]
    const write = async (method: string, path: string, body: object): Promise<string> => {
      const { status, body: made, text } = await service.ask(method, `/api/v1${path}`, { body, ...by(boss) })
      assert.ok(status < 300, text)
      return made.id
    }
    await write('PATCH', `/users/${cleo.id}`, { role: 'SUPPORT' })
    const projectId = await write('POST', '/projects', { isOpen: true })
    for (const values of [{ rank: 1, projectId }, { rank: 2 }]) await write('POST', '/notes', values)
    const client = makeLiveClient({ url: service.url, path: '/notes?sort=rank&_live', headers: bearer(cleo) })
    context.after(() => client.cut())
    await client.connect()
    const shows = (count: number) =>
      until(
        () => pageOf(client).data.length === count,
        () => `not ${count}: ${JSON.stringify(client.events)}`,
      )
    await shows(2)
    await write('PATCH', `/users/${cleo.id}`, { role: 'USER' })
    await shows(1)
    await write('PATCH', `/projects/${projectId}`, { isOpen: false })
    await shows(0)
  })
