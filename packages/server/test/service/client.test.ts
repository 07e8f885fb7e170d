/**
 * The client's address behind proxies is always a valid IP address: in the log, in sessions, and in
 * rate limits.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { json } from '../../src/http/messages/exchange.ts'
import { makeServer } from '../../src/http/server.ts'
import {
  adminEmail,
  askPlain,
  password,
  recordingLog,
  removeFolder,
  spawnServer,
  startService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { keys, people } from './people.ts'

type Case = readonly [trust: string, sent: string | string[], address: string]
const cases: readonly Case[] = [
  ['false', '203.0.113.9', '127.0.0.1'],
  ['true', '203.0.113.9', '203.0.113.9'],
  ['true', '  203.0.113.9 ,\t198.51.100.1 ', '203.0.113.9'],
  ['true', '2001:db8::7', '2001:db8::7'],
  ['true', ['203.0.113.9', '198.51.100.1'], '203.0.113.9'],
  ['true', ',,', '127.0.0.1'],
  ['true', 'unknown', '127.0.0.1'],
  ['true', '_hidden', '127.0.0.1'],
  ['true', '1.2.3.4:5678', '127.0.0.1'],
  ['true', '[::1]:1234', '127.0.0.1'],
  ['true', '[2001:db8::7]', '127.0.0.1'],
  ['true', 'fe80::1%eth0', '127.0.0.1'],
  ['true', '1.2.3', '127.0.0.1'],
  ['true', '0x7f.1', '127.0.0.1'],
  ['true', '1.2.3.4/8', '127.0.0.1'],
  ['true', '","level":"error","msg":"all is lost', '127.0.0.1'],
  ['true', 'x'.repeat(3000), '127.0.0.1'],
  ['true', `${'1.2.3.4,'.repeat(300)}203.0.113.9`, '1.2.3.4'],
  ['true', 'invented, 203.0.113.9', '203.0.113.9'],
  ['true', '192.0.2.1, invented, 203.0.113.9', '203.0.113.9'],
  ['1', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
  ['1', '192.0.2.1, "}', '127.0.0.1'],
  ['2', '192.0.2.1, 203.0.113.9, 198.51.100.1', '203.0.113.9'],
  ['2', '192.0.2.1, "}, 198.51.100.1', '198.51.100.1'],
  ['0', '203.0.113.9', '127.0.0.1'],
  ['127.0.0.1, 10.0.0.0/8', '192.0.2.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
  ['127.0.0.1, 10.0.0.0/8', '192.0.2.1, "}, 10.1.2.3', '10.1.2.3'],
  ['loopback', '192.0.2.1, nobody', '127.0.0.1'],
  ['10.0.0.0/8', '203.0.113.9', '127.0.0.1'],
]

const config = { host: '127.0.0.1' }

async function serverThat(trust: string) {
  const logged: string[] = []
  const route = {
    methods: ['GET' as const],
    path: '/who',
    answer: async ({ address, protocol }: { address: string; protocol: string }) => json(200, { address, protocol }),
  }
  const read = readConfig({ PORT: '0', HOST: config.host, TRUST_PROXY: trust })
  const server = await makeServer(read, recordingLog(logged), { routes: [route] })
  const url = await server.listen()
  after(() => server.drain())
  return { url, logged }
}

test('only an IP that trusted proxies name is the address, and the log says the same', async () => {
  const servers = new Map<string, ReturnType<typeof serverThat>>()
  for (const [trust, sent, address] of cases) {
    const making = servers.get(trust) ?? serverThat(trust)
    servers.set(trust, making)
    const { url, logged } = await making
    const reply = await askPlain(url, { method: 'GET', path: '/who', headers: { 'x-forwarded-for': sent } })
    assert.equal(JSON.parse(reply.text).address, address, `TRUST_PROXY=${trust} ${sent}`)
    assert.equal(JSON.parse(logged.at(-1) as string).address, address, `the log of TRUST_PROXY=${trust} ${sent}`)
  }
})

test('the scheme is http or https, whatever a proxy says', async () => {
  const trusting = await serverThat('true')
  const told: readonly (readonly [string, string])[] = [
    ['https', 'https'],
    ['HTTPS', 'https'],
    ['http, https', 'https'],
    ['http', 'http'],
    ['wss', 'http'],
    ['"},{"', 'http'],
    ['javascript:', 'http'],
  ]
  for (const [sent, protocol] of told) {
    const reply = await askPlain(trusting.url, { method: 'GET', path: '/who', headers: { 'x-forwarded-proto': sent } })
    assert.equal(JSON.parse(reply.text).protocol, protocol, sent)
  }
  const distrusting = await serverThat('false')
  const reply = await askPlain(distrusting.url, {
    method: 'GET',
    path: '/who',
    headers: { 'x-forwarded-proto': 'https' },
  })
  assert.equal(JSON.parse(reply.text).protocol, 'http')
})

test('a line of the real log stays one line of JSON', async () => {
  const folder = temporaryFolder()
  const server = spawnServer({
    command: ['notes-main.ts'],
    cwd: import.meta.dirname,
    env: { TRUST_PROXY: 'true', DATA_DIR: folder },
  })
  after(() => removeFolder(folder))
  const url = await server.ready()
  const hostile = '1","status":200,"path":"/x","msg":"'
  const { headers } = await askPlain(url, {
    method: 'GET',
    path: '/notes-are-not-here',
    headers: { 'x-forwarded-for': hostile, 'x-request-id': hostile, 'user-agent': hostile },
  })
  await server.wrote(headers['x-request-id'] as string)
  assert.equal((await server.stop()).code, 0)
  for (const line of server.stdout().trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
  const line = server.lines().find(({ requestId }) => requestId === headers['x-request-id'])
  assert.deepEqual(
    { path: line?.path, status: line?.status, address: line?.address, msg: line?.msg },
    { path: '/notes-are-not-here', status: 404, address: '127.0.0.1', msg: undefined },
  )
})

test('a session holds an address, not what somebody wrote in a header', async (t) => {
  const service = await startService([...people, keys], { env: { TRUST_PROXY: 'true' } })
  t.after(() => service.stop())
  const { engine } = service.service
  const body = { email: adminEmail, password }
  for (const sent of ['x'.repeat(3000), '203.0.113.9']) {
    const reply = await service.ask('POST', '/auth/login', { body, headers: { 'x-forwarded-for': sent } })
    assert.equal(reply.status, 200, reply.text)
  }
  const rows = await engine.storage.list(engine.catalog.get('visit'), {
    where: { kind: 'true' },
    sort: [{ field: 'id', descending: false }],
    limit: 9,
  })
  assert.deepEqual(
    rows.map(({ address }) => address),
    ['127.0.0.1', '203.0.113.9'],
  )
})
