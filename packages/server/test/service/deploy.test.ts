/**
 * The files in deploy/: the program that each is for reads it, where that program is installed. The
 * long tests send a request through it.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { anyone, defineResource, file, id } from 'bindery-server'
import { readConfig, variables } from '../../src/config.ts'
import { removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { long } from '../helpers/long.ts'
import { deploy, lacks, makeProxy, proxyPrograms, textOf } from '../helpers/proxies.ts'
import { keys, notes, people } from './people.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/** Returns what it said; throws with that where the program refuses the file. */
function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', timeout: 60_000 })
}

test('nginx takes its file', { skip: lacks('nginx') }, () => {
  writeFileSync(join(folder, 'upstream.conf'), textOf('upstream.conf'))
  writeFileSync(join(folder, 'nginx.conf'), textOf('nginx.conf').replace('/dev/stdout', join(folder, 'access.log')))
  run('nginx', '-t', '-q', '-c', join(folder, 'nginx.conf'), '-g', `pid ${join(folder, 'nginx-check.pid')};`)
})

test('what nginx refuses itself leads to no named location, which would need a path that can be read', () => {
  const pages = [...textOf('nginx.conf').matchAll(/^\s*error_page ([^;]*);/gm)].map(([, words = '']) =>
    words.split(' '),
  )
  for (const status of ['400', '494', '405', '501', '505']) {
    const page = pages.find((words) => words.includes(status))
    const place = page?.at(-1) ?? ''
    assert.match(place, /^\/_/, status)
    assert.match(
      textOf('nginx.conf'),
      new RegExp(`location = ${place} \\{\\s+internal;\\s+default_type application/json;`),
    )
  }
})

/** Sends the target as it is, and returns the status and the body. */
async function askRaw(port: number, target: string): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return { status: Number(text.split(' ')[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

test('HAProxy takes its file', { skip: lacks('haproxy') }, () => {
  run('haproxy', '-c', '-q', '-f', join(deploy, 'haproxy.cfg'))
})

test('Caddy takes its file', { skip: lacks('caddy') }, () => {
  run('caddy', 'adapt', '--validate', '--adapter', 'caddyfile', '--config', join(deploy, 'Caddyfile'))
})

test('systemd takes the units, and finds little that they may do', { skip: lacks('systemd-analyze') }, () => {
  const files = ['bindery.service', 'bindery-backup.service', 'bindery-backup.timer'].map((name) => {
    writeFileSync(join(folder, name), textOf(name).replace('/usr/bin/node', process.execPath))
    return join(folder, name)
  })
  run('systemd-analyze', 'verify', ...files)
  const said = run('systemd-analyze', 'security', '--offline=true', ...files.slice(0, 2))
  const levels = [...said.matchAll(/exposure level for bindery\S*\.service: ([\d.]+)/g)].map(([, level]) =>
    Number(level),
  )
  assert.equal(levels.length, 2, said)
  for (const level of levels) assert.ok(level > 0 && level < 2, String(level))
})

test('the variables that the files set are ours', () => {
  const known = new Set(variables.map(({ name }) => name))
  const unit = Object.fromEntries(
    [...textOf('bindery.service').matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  for (const name of ['DATA_DIR', 'HOST', 'PORT']) assert.ok(known.has(name) && unit[name], name)
  assert.match(textOf('bindery-backup.service'), / DATA_DIR=\/var\/lib\/bindery BACKUP_DIR=/)
  const data = textOf('kubernetes.yaml').split('\n---\n')[0] ?? ''
  const settings = Object.fromEntries(
    [...data.matchAll(/^ {2}([A-Z_]+): "?([^"#\n]+?)"?(?: #.*)?$/gm)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  )
  assert.deepEqual(
    Object.keys(settings).filter((name) => !known.has(name)),
    [],
  )
  assert.ok(Object.keys(settings).length >= 5)
  assert.deepEqual(readConfig(settings).unknownVariables([]), [])
})

const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), label: file() },
  access: { get: anyone, create: anyone, update: anyone },
})

const services = [notes, boxes, ...people, keys]

for (const program of proxyPrograms)
  test(`a request through ${program}`, { skip: long.skip || lacks(program) }, async (t) => {
    const service = await startService(services, { on: 'sqlite', env: { TRUST_PROXY: '1' } })
    t.after(() => service.stop())
    const proxy = await makeProxy(program, { folder, upstreams: [service] })
    t.after(() => proxy.stop())
    const { port } = proxy
    const reply = await proxy.start('/api/v1/notes')
    assert.deepEqual(((await reply.json()) as { data: unknown[] }).data, [])
    assert.match(reply.headers.get('x-request-id') ?? '', /./)
    const made = await fetch(`http://127.0.0.1:${port}/api/v1/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '6.6.6.6' },
      body: JSON.stringify({ title: 'through' }),
    })
    assert.equal(made.status, 201)
    const line = service.logged
      .map((one) => (one.startsWith('{') ? JSON.parse(one) : {}))
      .findLast(({ method }) => method === 'POST')
    assert.equal(line?.address, '127.0.0.1', 'what a client invents does not count')
    const { id: box } = (await fetch(`http://127.0.0.1:${port}/api/v1/boxes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).then((one) => one.json())) as { id: string }
    const label = `http://127.0.0.1:${port}/api/v1/boxes/${box}/label`
    const bytes = new Uint8Array(5_000_000)
    assert.equal((await fetch(label, { method: 'PUT', body: bytes })).status, 200, 'a file has any size')
    assert.equal((await fetch(label).then((one) => one.arrayBuffer())).byteLength, bytes.length)
    for (const target of ['/books%00', '/%2e%2e/x', '/books%zz', '/../x', '/books%']) {
      const { status, body } = await askRaw(port, target)
      assert.ok([400, 404].includes(status), `${target}: ${status} ${body}`)
      assert.deepEqual(Object.keys(JSON.parse(body)), ['error'], target)
    }
  })
