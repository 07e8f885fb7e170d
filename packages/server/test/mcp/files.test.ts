/** Agents read small files of records and give records files, by the rules of REST. */
import assert from 'node:assert/strict'
import { after, before, it, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { DeclaredResource } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { resources } from '../files/file-resources.ts'
import { pdf, png, rowsOf } from '../files/sample-files.ts'

let service: TestService
let ann: TestPerson

before(async () => {
  service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '', MCP: 'write' } })
  ann = await service.person()
})
after(() => service.stop())

type Content = { readonly type: string; readonly text: string; readonly data?: string; readonly mimeType?: string }

async function agent({ token }: Partial<TestPerson>, at: TestService = service) {
  const client = new Client({ name: 'test', version: '1' })
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit: { headers } }) as never,
  )
  const { tools } = await client.listTools()
  return {
    names: tools.map(({ name }) => name),
    async use(name: string, given: object): Promise<Content> {
      const { content } = await client.callTool({ name, arguments: given as Record<string, unknown> })
      return (content as Content[])[0] as Content
    },
    close: () => client.close(),
  }
}

it('puts and reads small files, and tells why it does not', async () => {
  const { names, use, close } = await agent(ann)
  assert.ok(names.includes('read_file') && names.includes('put_file'))
  const made = JSON.parse((await use('create', { path: 'things', values: { title: 'A' } })).text).record
  const at = `things/${made.id}`
  const put = await use('put_file', { path: `${at}/manual`, name: 'Anleitung für A.txt', text: 'Grüße' })
  const { manual } = JSON.parse(put.text).record
  assert.deepEqual([manual.name, manual.type, manual.size], ['Anleitung für A.txt', 'text/plain', 7])
  assert.deepEqual(await use('read_file', { path: manual.url }), { type: 'text', text: 'Grüße' })
  const photo = { path: `${at}/photo`, name: 'a.png', base64: png.toString('base64') }
  assert.equal(JSON.parse((await use('put_file', photo)).text).record.photo.type, 'image/png')
  const shown = await use('read_file', { path: `${at}/photo` })
  assert.deepEqual(shown, { type: 'image', data: png.toString('base64'), mimeType: 'image/png' })
  const added = await use('put_file', { path: `${at}/papers`, name: 'one.txt', text: 'one' })
  const [paper] = JSON.parse(added.text).record.papers
  assert.equal((await use('read_file', { path: paper.url })).text, 'one')
  const large = { raw: Buffer.alloc(70_000, 'a'), type: 'text/plain', token: ann.token }
  await service.ask('PUT', `/api/v1/${at}/manual`, large)
  const refused = async (name: string, given: object) => JSON.parse((await use(name, given)).text).error
  assert.match(await refused('read_file', { path: `${at}/manual` }), /^The file has 70000 bytes, and an agent reads/)
  await service.ask('PUT', `/api/v1/${at}/manual`, { raw: pdf, type: 'application/pdf', token: ann.token })
  assert.match(await refused('read_file', { path: `${at}/manual` }), /^A file of application\/pdf is no text/)
  const before = await rowsOf(service)
  for (const [name, given, error] of [
    ['read_file', { path: at }, /^There is no file at things/],
    ['read_file', { path: `${at}/own` }, /^Thing has no own/],
    ['put_file', { path: `${at}/secret`, name: 'a', text: 'x' }, /secret/],
    ['put_file', { path: `${at}/photo`, name: 'a' }, /^Send text, or base64/],
    ['put_file', { path: `${at}/photo`, name: 'a', base64: '###' }, /^base64 is malformed/],
    ['put_file', { path: `${at}/photo`, name: 'a', text: 'no picture' }, /^photo takes image/],
    ['put_file', { path: `${at}/photo`, name: 'a', base64: photo.base64, version: 1 }, /changed|version/i],
    ['put_file', { path: `${at}/photo`, text: 'x' }, /^name is needed/],
  ] as const)
    assert.match(await refused(name, given), error)
  // Refused uploads are due, and no record has them.
  const attached = (rows: typeof before) => rows.filter(({ state }) => state === 'attached').length
  assert.equal(attached(await rowsOf(service)), attached(before))
  await close()
  const open = await agent({})
  assert.match(JSON.parse((await open.use('read_file', { path: `${at}/photo` })).text).error, /[Tt]oken/)
  await open.close()
})

it('reads files that a bucket sends to others', async (t: TestContext) => {
  const keys = await startBucket(t, 'house')
  const env = { RATE_LIMIT: '', ...keys, FILES_STORE: 's3://house/files', FILES_REDIRECT: '60s' }
  const own = await startService(resources as readonly DeclaredResource[], { env })
  t.after(() => own.stop())
  const { token } = await own.person()
  const made = await own.ask('POST', '/api/v1/posters', { body: {}, token })
  const at = `/api/v1/posters/${made.body.id}/leaflet`
  const put = await own.ask('PUT', at, { raw: 'Read me', type: 'text/plain', token })
  assert.equal(put.status, 200, put.text)
  assert.equal((await fetch(`${own.url}${at}`, { redirect: 'manual' })).status, 302)
  const { use, close } = await agent({}, own)
  assert.deepEqual(await use('read_file', { path: at }), { type: 'text', text: 'Read me' })
  await close()
})

it('only reads where agents do not write', async () => {
  const reader = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  try {
    const person = await reader.person()
    const { names, use, close } = await agent(person, reader)
    assert.ok(names.includes('read_file') && !names.includes('put_file'))
    const refused = await use('put_file', { path: 'things/x/photo', name: 'a', text: 'x' })
    assert.match(refused.text, /There is no tool put_file/)
    await close()
  } finally {
    await reader.stop()
  }
})
