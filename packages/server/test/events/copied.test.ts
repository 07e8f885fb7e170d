/**
 * Files that were copied or put back while no server ran. The copy and the original refuse the
 * positions of each other behind the copy, and both go on from those before it.
 */
import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  adminEmail,
  databaseOf,
  dropPostgresDatabase,
  onPostgres,
  removeDatabase,
  removeFolder,
  runSql,
  sharedCluster,
  startService,
  type TestService,
  temporaryFolder,
} from 'bindery-server/test'
import { makePositions } from '../../src/endpoint/positions.ts'
import { anyone, defineResource, integerId, text } from '../../src/index.ts'
import type { KeptLog } from '../../src/storage/derived/kept-log.ts'
import { until } from '../helpers/until.ts'
import { library } from '../webhooks/library-with-hooks.ts'
import { makeEndpoints } from '../webhooks/test-endpoint.ts'
import { type LiveClient, makeLiveClient, type StreamEvent } from './live/live-client.ts'
import { makeSubscriber, memberNames } from './live/subscription-client.ts'
import { makeSettle } from './reader.ts'

const song = defineResource({
  name: 'song',
  path: '/songs',
  changes: true,
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
  fields: { id: integerId(), title: text({ required: true }) },
})

/** A folder, and its database. */
const [original, copy, saved] = ['original', 'copy', 'saved'].map((name) => `${temporaryFolder()}/${name}`) as [
  string,
  string,
  string,
]
const urls = new Map<string, string>()

const nameIn = (folder: string) => new URL(urls.get(folder) as string).pathname.slice(1)

/** Copies everything of a service that does not run. */
async function copyFiles(from: string, to: string): Promise<void> {
  if (onPostgres) {
    await dropPostgresDatabase(sharedCluster(), nameIn(to))
    return void (await runSql(sharedCluster(), `CREATE DATABASE ${nameIn(to)} TEMPLATE ${nameIn(from)}`))
  }
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

const env = { OUTGOING_ALLOW: '127.0.0.1', JWT_SECRET: 'the secret that the copy has as well as the original' }
const running = new Set<TestService>()
async function serve(folder: string): Promise<TestService> {
  const url = urls.get(folder)
  const service = await startService([song, ...library()], {
    env: { ...env, DATA_DIR: folder, ...(url && { DATABASE_URL: url }) },
  })
  running.add(service)
  return service
}
async function stop(service: TestService): Promise<void> {
  running.delete(service)
  await service.stop()
}

const changes = async (service: TestService, position?: string) =>
  service.ask('GET', `/api/v1/_changes?resources=songs${position === undefined ? '' : `&after=${position}`}`)

async function positionOf(service: TestService): Promise<string> {
  return (await changes(service)).body.meta.position
}

async function titlesAfter(service: TestService, position: string): Promise<string[]> {
  const { status, body, text: sent } = await changes(service, position)
  assert.equal(status, 200, sent)
  return body.data.map((one: { record: { title: string } }) => one.record.title)
}

/** The position of the write, and one that has it behind it. */
async function write(service: TestService, title: string): Promise<{ readonly own: string; readonly past: string }> {
  const from = await positionOf(service)
  const { status, headers, text: sent } = await service.ask('POST', '/api/v1/songs', { body: { title } })
  assert.equal(status, 201, sent)
  await until(async () => (await titlesAfter(service, from)).includes(title), `${title} in the feed`)
  return { own: headers.get('change-position') as string, past: await positionOf(service) }
}

const refusal = /of another database, of a copy, or of one before a restore/

async function assertRefused(service: TestService, position: string, about: string): Promise<void> {
  const { status, body } = await changes(service, position)
  assert.equal(status, 410, about)
  assert.match(body.error, refusal, about)
  assert.equal((await changes(service, body.position)).status, 200, about)
}

/** The streams of each door, from a position. */
function doorsOf({ url }: TestService, position: string): readonly LiveClient[] {
  const headers = { 'last-event-id': position }
  const subscriptions = [{ name: 'all', path: '/songs' }]
  const query = `subscription { songs { ${memberNames} record { title } } }`
  return [
    makeLiveClient({ url, headers, path: '/songs?_live' }),
    makeLiveClient({ url, headers, path: '/_live', method: 'POST', body: { subscriptions } }),
    makeSubscriber({ url, headers, query }),
  ]
}

/** The first event of a stream that resumes, which each door tells. */
async function resumed(service: TestService, position: string): Promise<string> {
  const first = new Set<string>()
  for (const live of doorsOf(service, position)) {
    await live.connect()
    await live.next('ready')
    const { event, data } = live.events[0] as StreamEvent
    await live.cut()
    first.add(`${event} ${data.error ?? data.message ?? ''}`)
  }
  assert.equal(first.size, 1, [...first].join())
  return [...first].join()
}

describe('a database whose files were copied', () => {
  before(async () => {
    const { DATABASE_URL } = await databaseOf(original)
    if (!DATABASE_URL) return
    urls.set(original, DATABASE_URL)
    const name = nameIn(original)
    for (const folder of [copy, saved]) urls.set(folder, DATABASE_URL.replace(name, `${name}_${basename(folder)}`))
  })
  after(async () => {
    for (const service of running) await service.stop()
    for (const folder of [copy, saved]) if (onPostgres) await dropPostgresDatabase(sharedCluster(), nameIn(folder))
    await removeDatabase(original)
    for (const folder of [original, copy, saved]) removeFolder(dirname(folder))
  })

  it('goes on from positions before the copy, and refuses those of the other one behind it', async () => {
    const begun = await serve(original)
    const early = await positionOf(begun)
    const { own, past: common } = await write(begun, 'common')
    await stop(begun)
    await copyFiles(original, copy)

    const first = await serve(original)
    const ofFirst = await write(first, 'of the original')
    const second = await serve(copy)
    for (const position of Object.values(ofFirst)) await assertRefused(second, position, 'before a write of the copy')
    let ofSecond = ofFirst
    for (const title of ['copy 1', 'copy 2', 'copy 3']) ofSecond = await write(second, title)

    assert.deepEqual(await titlesAfter(first, early), ['common', 'of the original'])
    for (const position of [common, own]) {
      assert.deepEqual(await titlesAfter(first, position), ['of the original'])
      assert.deepEqual(await titlesAfter(second, position), ['copy 1', 'copy 2', 'copy 3'])
      assert.match(await resumed(second, position), /^(enter|ready)/)
    }
    for (const position of Object.values(ofFirst)) {
      await assertRefused(second, position, 'of the original')
      assert.match(await resumed(second, position), /^lost .*of a copy/)
    }
    for (const position of Object.values(ofSecond)) await assertRefused(first, position, 'of the copy')
    await stop(first)
    await stop(second)
  })

  it('keeps all positions where it only starts again', async () => {
    let service = await serve(original)
    const { past: early } = await write(service, 'kept')
    const { own, past } = await write(service, 'last')
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await stop(service)
      service = await serve(original)
      assert.equal(await positionOf(service), past, 'the end has the same position')
      assert.deepEqual(await titlesAfter(service, early), ['last'])
      for (const position of [own, past]) assert.deepEqual(await titlesAfter(service, position), [])
    }
    await write(service, 'later')
    assert.deepEqual(await titlesAfter(service, past), ['later'])
    await stop(service)
  })

  it('refuses positions behind an old state that was put back', async () => {
    await copyFiles(original, saved)
    const before = await serve(original)
    const known = await positionOf(before)
    const { own, past } = await write(before, 'gone')
    await stop(before)
    await copyFiles(saved, original)
    const service = await serve(original)
    for (const position of [own, past]) await assertRefused(service, position, 'of the state that is gone')
    assert.deepEqual(await titlesAfter(service, known), [])
    await write(service, 'instead')
    for (const position of [own, past]) await assertRefused(service, position, 'of the state that is gone')
    assert.deepEqual(await titlesAfter(service, known), ['instead'])

    // A standby that lacks the last commits has the same marks
    const kept = service.service.engine.storage.changes.kept as KeptLog
    const [number = '', ...rest] = (await kept.end()).split(' ')
    const beyond = makePositions(await kept.sealing()).seal([BigInt(number) + 1_000_000n, ...rest].join(' '))
    await assertRefused(service, beyond, 'beyond the end')
    assert.match(await resumed(service, beyond), /^lost .*of a copy/)
    await stop(service)
  })

  it('delivers each change of either database once, and no old one again', async () => {
    const begun = await serve(original)
    const { ask, logIn } = begun
    const as = await logIn(adminEmail)
    const settle = makeSettle(ask, as, 'notes', { text: 'settled' })
    const { endpoint, stop: stopReceivers } = makeEndpoints(ask, as, settle)
    after(stopReceivers)
    const { receiver, deliveries } = await endpoint()
    const add = async (service: TestService, title: string) => {
      const { token } = await service.logIn(adminEmail)
      const made = await service.ask('POST', '/api/v1/books', { body: { title }, token })
      assert.equal(made.status, 201, made.text)
      await until(() => titles().includes(title), `${title} is delivered`)
    }
    const titles = () => receiver.received.map(({ data }) => (data.record as { title: string }).title)
    await add(begun, 'common')
    // The copy shall have it as delivered.
    await until(async () => (await deliveries()).every(({ state }) => state === 'delivered'), 'it is kept')
    await stop(begun)
    await copyFiles(original, copy)

    const first = await serve(original)
    await add(first, 'of the original')
    const second = await serve(copy)
    await add(second, 'of the copy')
    await add(first, 'of the original, later')
    assert.deepEqual(titles(), ['common', 'of the original', 'of the copy', 'of the original, later'])
    assert.deepEqual(receiver.forged, [])
    await stop(first)
    await stop(second)
  })
})
