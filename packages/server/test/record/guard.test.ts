/** Hooks and actions that break the rules of code in a transaction: each stores nothing. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns'
import { resolve4 } from 'node:dns/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { anyone, defineResource, id, text } from '../../src/index.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

type Given = { readonly records: (resource: typeof slow) => { create(values: object): Promise<unknown> } }

let service: TestService
let listening: Server
let open: Socket
let isOpen: () => void
let opened: Promise<void>
const port = () => (listening.address() as { port: number }).port
const received: Buffer[] = []

/** How a library learns that it has no connection. */
type Reach = (port: number) => Promise<'connected' | 'failed'>
const reachSource = `import { connect } from 'node:net'
export const reach = (port) => new Promise((told) => {
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => told('connected'))
  socket.once('error', () => told('failed'))
})`
const modules = mkdtempSync(join(tmpdir(), 'guard-'))
const learned: string[] = []
let reach: Reach

/** By the title of a record, or the word that an action is sent. */
const deeds: Readonly<Record<string, (given: Given) => unknown>> = {
  fetch: () => fetch('http://127.0.0.1:1/'),
  'http.get': () => get('http://127.0.0.1:1/'),
  'net.Socket.connect': () => connect(1, '127.0.0.1'),
  'dns.lookup': () => lookup('localhost', () => undefined),
  'dns.promises.resolve4': () => resolve4('localhost'),
  'dgram.Socket.send': () => createSocket('udp4').send('x', 9, '127.0.0.1'),
  'a connection that was open': () => open.write('hello'),
  library: async () => void learned.push(await reach(port()).catch(() => 'thrown')),
  setTimeout: () => new Promise((done) => setTimeout(done, 1)),
  setImmediate: () => setImmediate(() => undefined),
  'timers.promises.setTimeout': () => sleep(1),
  promisify: () => promisify(setTimeout)(1),
  'child_process.spawnSync': () => spawnSync('true'),
  transaction: () => service.service.engine.records.transaction(serviceAuthor, async () => undefined),
  caught: async () =>
    await Promise.resolve(fetch)
      .then((one) => one('http://127.0.0.1:1/'))
      .catch(() => undefined),
  hang: () => new Promise(() => undefined),
  throw: () => {
    throw new Error('a mistake of its own')
  },
  reject: async () => {
    throw new Error('a mistake of its own')
  },
  unawaited: async ({ records }) => void records(slow).create({ title: 'unawaited' }),
}

/** The sentence of each in the log. */
const says: Readonly<Record<string, string>> = {
  promisify: 'starts a timer (timers.promises.setTimeout)',
  library: 'reaches the network (net.Socket.connect)',
  caught: 'reaches the network (fetch)',
  hang: 'waited for longer than its limit of 200 ms',
  throw: 'threw a mistake of its own',
  reject: 'threw a mistake of its own',
  unawaited: 'ended before a call of records(…) that it made',
  transaction: 'opens another transaction (transaction): its records(…) are in the one that runs',
}

const access = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }

/** Waits inside its own hook, which has a long limit. */
const slow = defineResource({
  name: 'slow',
  plural: 'slows',
  path: '/slows',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access,
  hooks: {
    limitMs: 60_000,
    async beforeCreate({ record }) {
      if (record.title === 'waits') await opened
    },
  },
})

const books = defineResource({
  name: 'book',
  path: '/books',
  fields: { id: id(), title: text({ required: true }), note: text() },
  list: { style: 'page' },
  access: { ...access, repair: anyone },
  hooks: {
    async beforeCreate({ record, records }) {
      if (record.title === 'slow records') {
        await records(slow).create({ title: 'waits' })
        return { note: 'waited' }
      }
      if (record.title === 'slow loop') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
      await deeds[record.title]?.({ records } as Given)
      return undefined
    },
    async beforeUpdate({ record, records }) {
      await deeds[record.note ?? '']?.({ records } as Given)
      return undefined
    },
    async beforeDelete({ previous, records }) {
      await deeds[previous.title]?.({ records } as Given)
    },
  },
  actions: {
    repair: {
      async run({ record, records }) {
        await records(books).update(record.id, { note: 'repaired' })
        await deeds[record.title]?.({ records } as unknown as Given)
      },
    },
  },
})

before(async () => {
  listening = createServer((socket) => socket.on('data', (bytes) => received.push(Buffer.from(bytes)))).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => listening.once('listening', resolve))
  const folder = join(modules, 'node_modules', 'reach')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.mjs'), reachSource)
  reach = (await import(join(folder, 'index.mjs'))).reach
  service = await startService([books, slow])
  open = connect(port(), '127.0.0.1')
  await new Promise((resolve) => open.once('connect', resolve))
  opened = new Promise((resolve) => {
    isOpen = resolve
  })
})
after(async () => {
  open.destroy()
  listening.close()
  await service.stop()
  rmSync(modules, { recursive: true })
})

const ask = (method: string, path: string, body?: object) => service.ask(method, `/api/v1/${path}`, { body })
const countOf = async (path: string): Promise<number> => (await ask('GET', `${path}?limit=1`)).body.meta.total

async function isRefused(deed: string, code: string, work: () => Promise<{ status: number; body: unknown }>) {
  service.logged.length = 0
  const { status, body } = await work()
  assert.deepEqual([deed, status, body], [deed, 500, { error: 'Internal server error' }])
  const log = service.logged.join('\n').replaceAll('\\"', '"')
  assert.ok(log.includes(`book: ${code} `), log)
  assert.ok(log.includes(says[deed] ?? `(${deed}): an effect can`), log)
}

/** A record whose hooks do this when it changes or goes. */
async function stored(title: string): Promise<string> {
  const { body, status, text } = await ask('POST', 'books', { title: 'plain' })
  assert.equal(status, 201, text)
  assert.equal((await ask('PATCH', `books/${body.id}`, { title })).status, 200)
  return body.id
}

describe('code in a transaction', () => {
  for (const deed of Object.keys(deeds))
    it(`is refused, and stores nothing: ${deed}`, async () => {
      const kept = await stored(deed)
      const counts = [await countOf('books'), await countOf('slows')]
      await isRefused(deed, 'hooks.beforeCreate', () => ask('POST', 'books', { title: deed }))
      await isRefused(deed, 'hooks.beforeUpdate', () => ask('PATCH', `books/${kept}`, { note: deed }))
      await isRefused(deed, 'hooks.beforeDelete', () => ask('DELETE', `books/${kept}`))
      await isRefused(deed, 'actions.repair', () => ask('POST', `books/${kept}/repair`))
      assert.deepEqual([await countOf('books'), await countOf('slows')], counts)
      assert.equal((await ask('GET', `books/${kept}`)).body.note, null)
    })

  it('may wait for its records as long as these take', async () => {
    const written = ask('POST', 'books', { title: 'slow records' })
    await sleep(400)
    isOpen()
    const { status, body, text } = await written
    assert.deepEqual([status, body.note], [201, 'waited'], text)
  })

  it('is named in the log where it computes for longer than its limit', async () => {
    service.logged.length = 0
    assert.equal((await ask('POST', 'books', { title: 'slow loop' })).status, 201)
    const log = service.logged.join('\n')
    assert.match(log, /book: hooks\.beforeCreate ran for \d+ ms without an await, so its limit of 200 ms could not end/)
  })

  it('shows a library a connection that fails, and throws nothing into its work', () => {
    assert.deepEqual(learned, ['failed', 'failed', 'failed', 'failed'])
  })

  it('leaves an open connection in order: what it has sent arrives', () => {
    assert.equal(Buffer.concat(received).toString(), 'hello'.repeat(4))
  })
})

it('timers, sockets and names work everywhere else', async () => {
  await promisify(setTimeout)(1)
  assert.equal(setTimeout.name, 'setTimeout')
  const socket = connect(port(), '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
})
