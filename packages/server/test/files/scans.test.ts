/** A scanned file is at no door until it has passed, and a refused one loses its bytes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { databaseOf, removeFolder, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { emptyFolder, ran, there } from '../backup/places.ts'
import { type Bindery, makeBindery } from '../cli/bindery.ts'
import { objectsOf, png, rowsOf, uploadFor } from './sample-files.ts'
import { closeGate, renamed, resources, steering } from './scan-resources.ts'

let service: TestService
let ann: TestPerson
let bindery: Bindery
let env: Record<string, string>
const ends: (() => unknown)[] = []

before(async () => {
  const main = new URL('./scan-command.ts', import.meta.url).pathname
  bindery = makeBindery({ after: (end: () => unknown) => void ends.push(end) } as never, {}, main)
  env = { DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)), RATE_LIMIT: '', MCP: 'write' }
  service = await startService(resources, { env })
  ann = await service.person()
})
after(async () => {
  await service.stop()
  for (const end of ends) await end()
})

type Shown = { readonly id: string; readonly url: string; readonly sha256: string; readonly scan?: string | null }
type Note = { readonly id: string; readonly manual: Shown; readonly photo: Shown; readonly papers: readonly Shown[] }

const ask = (method: string, path: string, body?: unknown) =>
  service.ask(method, `/api/v1${path}`, { body, token: ann.token })
const put = (path: string, bytes: string | Buffer, type = 'text/plain') =>
  service.ask(path.endsWith('papers') ? 'POST' : 'PUT', `/api/v1${path}`, {
    raw: Buffer.from(bytes as string),
    type,
    token: ann.token,
  })
const shown = async (at: string): Promise<Note> => (await ask('GET', at)).body
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

async function note(): Promise<string> {
  const made = await ask('POST', '/notes', { title: 'A' })
  assert.equal(made.status, 201, made.text)
  return `/notes/${made.body.id}`
}

async function readByAgent(path: string): Promise<string> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${ann.token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }) as never)
  const { content } = await client.callTool({ name: 'read_file', arguments: { path } })
  await client.close()
  return (content as { text?: string; data?: string }[])[0]?.text ?? 'bytes'
}

const notYet = '{"error":"The file is not scanned yet; ask again in a moment"}'

/** Each way to the bytes of a note, with the answer that it has. */
async function doorsOf(at: string): Promise<Record<string, string>> {
  const { papers, manual } = await shown(at)
  const raw = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${service.url}${path}`, init)
    return `${answer.status} ${(await answer.text()) === notYet ? 'not scanned' : ''}`.trim()
  }
  const api = `/api/v1${at}`
  const link = (await ask('POST', `${at}/manual/_link`, {})).body.url as string
  const signed = (await ask('GET', `${at}?_sign=papers,photo.thumb`)).body as Note
  return {
    plain: await raw(`${api}/manual`),
    owner: await raw(`${api}/manual`, { headers: { authorization: `Bearer ${ann.token}` } }),
    head: await raw(`${api}/manual`, { method: 'HEAD' }),
    range: await raw(`${api}/manual`, { headers: { range: 'bytes=0-1' } }),
    known: await raw(`${api}/manual`, { headers: { 'if-none-match': `"${manual.sha256}"` } }),
    listed: await raw(`${api}/papers/${papers[0]?.id}`),
    picture: await raw(`${api}/photo`),
    variant: await raw(`${api}/photo?variant=thumb`),
    link: await raw(link),
    'signed in a read': await raw((signed.papers[0] as Shown).url),
    'signed variant': await raw(signed.photo.url),
    agent: (await readByAgent(manual.url)).includes('not scanned yet') ? '409' : '200',
  }
}

it('is at no door before it has passed, and at each one after', async () => {
  const open = closeGate()
  const at = await note()
  await put(`${at}/manual`, 'clean manual')
  await put(`${at}/papers`, 'clean paper')
  await put(`${at}/photo`, png, 'image/png')
  await put(`${at}/plain`, 'plain')
  const waiting = await shown(at)
  assert.deepEqual(
    [waiting.manual.scan, waiting.papers[0]?.scan, waiting.photo.scan],
    ['waiting', 'waiting', 'waiting'],
  )
  assert.ok(!('scan' in (waiting as unknown as { plain: Shown }).plain), 'a field without a scan shows none')
  const closed = await doorsOf(at)
  for (const [door, answer] of Object.entries(closed)) {
    const says = door === 'head' || door === 'agent' ? '409' : '409 not scanned'
    assert.equal(answer, says, door)
  }
  assert.equal(await (await fetch(`${service.url}/api/v1${at}/plain`)).text(), 'plain')
  const etag = (await service.ask('GET', `/api/v1${at}`)).headers.get('etag') as string

  open()
  await service.runEffects()
  const passed = await shown(at)
  assert.deepEqual([passed.manual.scan, passed.papers[0]?.scan, passed.photo.scan], ['passed', 'passed', 'passed'])
  const served = await doorsOf(at)
  assert.deepEqual([served.range, served.known, served.agent], ['206', '304', '200'])
  for (const [door, answer] of Object.entries(served))
    if (!['range', 'known'].includes(door)) assert.equal(answer, '200', door)
  assert.notEqual((await service.ask('GET', `/api/v1${at}`)).headers.get('etag'), etag, 'kept answers are old ones')
  const given = steering.seen.find(({ bytes }) => bytes === 'clean manual')
  assert.deepEqual(given, { name: 'manual', type: 'text/plain', size: 12, bytes: 'clean manual' })

  const asked = { query: `{ note(id: "${at.slice(7)}") { manual { scan } plain { scan } } }` }
  const { data } = (await service.ask('POST', '/graphql', { body: asked, token: ann.token })).body
  assert.deepEqual(data.note, { manual: { scan: 'passed' }, plain: { scan: null } })
  const kept = await ask('PATCH', at, { manual: passed.manual, papers: waiting.papers })
  assert.deepEqual([kept.status, kept.body.papers[0].scan], [200, 'passed'], 'the server knows how far it is')
  const lie = await ask('PATCH', at, { manual: { ...passed.manual, id: waiting.papers[0]?.id } })
  assert.equal(lie.status, 400)
})

it('is refused: its bytes go, and the record says so until it has another', async () => {
  const at = await note()
  await put(`${at}/manual`, 'a virus')
  await put(`${at}/papers`, 'a clean one')
  await put(`${at}/papers`, 'another virus')
  await service.runEffects()
  const { manual, papers } = await shown(at)
  assert.deepEqual([manual.scan, ...papers.map(({ scan }) => scan)], ['refused', 'passed', 'refused'])
  assert.equal(manual.sha256, sha('a virus'))
  const answer = await ask('GET', `${at}/manual`)
  assert.deepEqual([answer.status, answer.body.error], [404, 'The scan refused this file; its bytes are gone'])
  assert.equal((await ask('GET', `${at}/papers/${papers[0]?.id}`)).status, 200)
  assert.equal((await ask('GET', `${at}/papers/${papers[1]?.id}`)).status, 404)
  await service.sweep()
  const left = objectsOf(service).join()
  assert.ok(!left.includes(manual.id) && left.includes(papers[0]?.id as string))
  assert.deepEqual(await rowsOf(service, [manual.id]), [])

  const doctor = async () => {
    const { findings } = JSON.parse((await bindery.run(['doctor', '--deep', '--json'])).stdout)
    return findings.filter(({ check }: { check: string }) => check === 'files')
  }
  assert.deepEqual(
    (await doctor()).map(({ level }: { level: string }) => level),
    ['ok'],
  )
  const { files } = await ran(bindery, ['backup', `${emptyFolder(bindery, 'backups')}/`])
  assert.equal(files.lacking, 0)

  assert.equal((await ask('PATCH', at, { title: 'B', papers })).status, 200, 'the list stays as it is')
  const again = await put(`${at}/manual`, 'clean now')
  assert.equal(again.body.manual.scan, 'waiting')
  await service.runEffects()
  assert.equal((await shown(at)).manual.scan, 'passed')
  assert.deepEqual(
    (await doctor()).map(({ level }: { level: string }) => level),
    ['ok'],
    'versions name a refused file',
  )
  const revert = await ask('POST', `${at}/revert`, { historyVersion: 2 })
  const sentence = 'manual names a file that is gone, or that another record has: send the id of an upload'
  assert.deepEqual([revert.status, revert.body.error], [400, sentence])
})

it('stays closed when its scan is given up, until an operator has it done again', async () => {
  const at = await note()
  await put(`${at}/manual`, 'fails')
  const [failure] = await service.expectFailure('note.manual.scan', () => service.advance(60_000))
  assert.equal(failure?.kind, 'note.manual.scan')
  await put(`${at}/papers`, 'odd')
  const [odd] = await service.expectFailure('note.papers.scan', () => service.advance(60_000))
  assert.match(String(odd?.error), /returns 'passed' or 'refused', and this one returned undefined/)
  assert.deepEqual([(await shown(at)).manual.scan, (await ask('GET', `${at}/manual`)).status], ['waiting', 409])
  const listed = await bindery.run(['effects', 'list', '--state', 'given-up'])
  assert.match(listed.stdout, /note\.manual\.scan/)
  assert.match(listed.stdout, /the scanner is away/)
})

it('is scanned for the record that has it: not one that went, and one that came back', async () => {
  const open = closeGate()
  const [replaced, trashed, quiet] = [await note(), await note(), await note()]
  await put(`${replaced}/manual`, 'virus of before')
  await put(`${replaced}/manual`, 'clean of now')
  await put(`${trashed}/manual`, 'clean but trashed')
  const upload = await uploadFor(service, ann, {
    resource: 'note',
    field: 'manual',
    bytes: Buffer.from('quiet virus'),
    type: 'text/plain',
  })
  const taken = await ask('POST', `${quiet}/take`, { manual: upload })
  assert.equal(taken.status, 200, taken.text)
  assert.equal((await ask('DELETE', trashed)).status, 204)
  open()
  await service.runEffects()
  assert.equal((await shown(replaced)).manual.scan, 'passed')
  assert.equal((await shown(quiet)).manual.scan, 'refused')
  const back = await ask('POST', `${trashed}/restore`)
  assert.equal(back.status, 200, back.text)
  await service.runEffects()
  assert.deepEqual(
    [(await shown(trashed)).manual.scan, (await ask('GET', `${trashed}/manual`)).status],
    ['passed', 200],
  )

  const reverted = await note()
  await put(`${reverted}/manual`, 'clean first')
  await service.runEffects()
  await put(`${reverted}/manual`, 'clean second')
  await service.runEffects()
  const held = closeGate()
  const revert = await ask('POST', `${reverted}/revert`, { historyVersion: 3 })
  assert.deepEqual(
    [revert.status, revert.body.manual?.sha256, revert.body.manual?.scan],
    [200, sha('clean first'), 'waiting'],
  )
  held()
  await service.runEffects()
  assert.equal((await shown(reverted)).manual.scan, 'passed')
})

it('is restored from a backup with its scan, under new names too, and documents have its member', async () => {
  const open = closeGate()
  const at = await note()
  await put(`${at}/manual`, 'restored')
  const place = `${emptyFolder(bindery, 'others')}/`
  await ran(bindery, ['backup', place])
  const target = emptyFolder(bindery, 'target')
  await ran(bindery, ['restore', place, '--yes'], there(target))
  open()
  await service.runEffects()
  // The backup has it as being scanned, until its lease ends.
  const clock = () => Date.now() + 600_000
  const other = await startService(renamed, { env: { ...env, ...there(target).env }, mayFail: true, clock })
  await other.runEffects()
  const restored = await fetch(`${other.url}/api/v1${at}/guide`)
  assert.deepEqual([restored.status, await restored.text()], [200, 'restored'])
  const { token } = await other.logIn(ann.email)
  const send = (method: string, path: string, options: object) =>
    other.ask(method, `/api/v1${at}${path}`, { token, ...options })
  await send('PUT', '/guide', { raw: 'another', type: 'text/plain' })
  const before = await send('POST', '/revert', { body: { historyVersion: 2 } })
  assert.deepEqual([before.status, before.body.guide?.sha256], [200, sha('restored')], before.text)
  await other.stop()
  removeFolder(target)

  const { components, paths } = (await service.ask('GET', '/openapi.json')).body
  const { properties, required } =
    components.schemas.Note.properties.manual.anyOf?.[0] ?? components.schemas.Note.properties.manual
  const { type, enum: words } = properties.scan
  assert.deepEqual(
    [type, words],
    [
      ['string', 'null'],
      ['waiting', 'passed', 'refused', null],
    ],
  )
  assert.ok(required.includes('scan'))
  const statuses = (path: string) => Object.keys(paths[path].get.responses)
  assert.ok(statuses('/api/v1/notes/{id}/manual').includes('409'))
  assert.ok(!statuses('/api/v1/notes/{id}/plain').includes('409'))
})

it('is sent to no bucket before it has passed', async (t) => {
  const keys = await startBucket(t, 'house')
  const own = await startService(resources, {
    env: { ...keys, RATE_LIMIT: '', FILES_STORE: 's3://house/files', FILES_REDIRECT: '60s' },
  })
  t.after(() => own.stop())
  const { token } = await own.person()
  const open = closeGate()
  const { id } = (await own.ask('POST', '/api/v1/notes', { body: { title: 'A' }, token })).body
  const at = `/api/v1/notes/${id}/photo`
  await own.ask('PUT', at, { raw: png, type: 'image/png', token })
  const read = async () => (await fetch(`${own.url}${at}`, { redirect: 'manual' })).status
  assert.equal(await read(), 409)
  open()
  await own.runEffects()
  assert.equal(await read(), 302)
})
