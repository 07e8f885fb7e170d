/** Quotas of users and tenants for the bytes of their files: exact, and shown to operators. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  type DeclaredResource,
  defineResource,
  defineTenancy,
  file,
  files,
  id,
  member,
  reference,
  roleField,
  user,
} from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { fill, world } from './file-world.ts'
import { png } from './sample-files.ts'
import { tusClient } from './tus-client.ts'

const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id() },
  list: { style: 'page' },
  access: { read: user, create: user },
})
const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
  },
  list: { style: 'page' },
  access: { read: member(), create: member('OWNER') },
})
const notes = defineResource({
  name: 'note',
  path: '/notes',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { required: true, onDelete: 'delete' }), scan: file() },
  list: { style: 'page' },
  access: { read: member(), write: member() },
})
const posts = defineResource({
  name: 'post',
  path: '/posts',
  fields: { id: id(), papers: files({ max: 50 }) },
  list: { style: 'page' },
  access: { read: user, write: user },
})
const resources = [
  ...accounts({ roles: ['USER', 'ADMIN'] }),
  clubs,
  memberships,
  notes,
  posts,
  defineTenancy('club', { members: 'membership', user: 'userId', role: 'role', roles: ['PLAYER', 'OWNER'] }),
] as unknown as readonly DeclaredResource[]

let service: TestService
let ann: TestPerson
let ben: TestPerson

before(async () => {
  const env = { RATE_LIMIT: '', FILES_PER_USER: '1 kB', FILES_PER_TENANT: '1.5 kB' }
  service = await startService(resources, { env })
  ;[ann, ben] = [await service.person(), await service.person()]
})
after(() => service.stop())

const bytes = (length: number) => Buffer.alloc(length, 'a')
const make = async (path: string, person: TestPerson, body: object = {}) => {
  const made = await service.ask('POST', `/api/v1${path}`, { body, token: person.token })
  assert.equal(made.status, 201, made.text)
  return made.body
}
const post = (length: number, person = ann) =>
  tusClient(service.url, person.token).begin({ resource: 'posts', field: 'papers' }, length)
const add = (at: string, length: number, person = ann) =>
  service.ask('POST', `${at}/papers`, { raw: bytes(length), type: 'text/plain', token: person.token })
const errorOf = ({ text }: { readonly text: string }) => (JSON.parse(text) as { error: string }).error

describe('a quota', () => {
  it('is exact for uploads that begin at once', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => post(100)))
    const refused = all.filter(({ status }) => status === 413)
    assert.deepEqual([all.filter(({ status }) => status === 201).length, refused.length], [10, 20])
    const sentence = 'Your files have 1.0 kB of 1.0 kB, and 100 bytes more were to come: remove some first'
    assert.deepEqual([...new Set(refused.map(errorOf))], [sentence])
    assert.equal((await post(100, ben)).status, 201, 'another user has one too')
    for (const { headers } of all.filter(({ status }) => status === 201))
      await tusClient(service.url, ann.token).send('DELETE', String(headers.location))
  })

  it('counts the files of records, by every way, until they are let go', async () => {
    const { id } = await make('/posts', ann)
    const at = `/api/v1/posts/${id}`
    const first = await add(at, 600)
    assert.equal(first.status, 201, first.text)
    assert.equal((await add(at, 401)).status, 413)
    assert.equal((await post(401)).status, 413)
    // A body without a length is counted when it is there.
    const chunks = async function* () {
      yield bytes(200)
      yield bytes(201)
    }
    const unannounced = await fetch(`${service.url}${at}/papers`, {
      method: 'POST',
      body: ReadableStream.from(chunks()),
      duplex: 'half',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'text/plain' },
    } as RequestInit)
    assert.equal(unannounced.status, 413)
    assert.match(await unannounced.text(), /Your files have 600 bytes of 1.0 kB, and 401 bytes more/)
    const form = new FormData()
    form.append('papers', new Blob([bytes(401)], { type: 'text/plain' }), 'a.txt')
    const init = { method: 'POST', body: form, headers: { authorization: `Bearer ${ann.token}` } }
    assert.equal((await fetch(`${service.url}/api/v1/posts`, init)).status, 413)
    const second = await add(at, 400)
    assert.equal(second.status, 201, second.text)
    const gone = await service.ask('DELETE', `${at}/papers/${first.body.papers[0].id}`, { token: ann.token })
    assert.equal(gone.status, 204)
    assert.equal((await add(at, 600)).status, 201)
    assert.equal((await service.ask('DELETE', at, { token: ann.token })).status, 204)
  })

  it('is of a tenant, whoever sends, and is shown to operators', async () => {
    const club = await make('/clubs', ann)
    const other = await make('/clubs', ben)
    await make('/memberships', ann, { clubId: club.id, userId: ben.id })
    const scan = (person: TestPerson, tenant: string, length: number) =>
      tusClient(service.url, person.token, { 'x-tenant': tenant }).begin({ resource: 'notes', field: 'scan' }, length)
    assert.equal((await scan(ann, club.id, 900)).status, 201)
    assert.equal((await scan(ben, club.id, 600)).status, 201)
    const { status, text } = await scan(ben, club.id, 1)
    const sentence = 'The files of this club have 1.5 kB of 1.5 kB, and 1 bytes more were to come: remove some first'
    assert.deepEqual([status, errorOf({ text })], [413, sentence])
    assert.equal((await scan(ben, other.id, 300)).status, 201)
    const admin = await service.admin()
    const shown = await service.ask('GET', '/api/v1/_operate/files', { token: admin.token })
    assert.equal(shown.status, 200, shown.text)
    const { users, tenants, waiting, due, files: count, bytes: size, perUserMax, perTenantMax } = shown.body
    assert.deepEqual(users, [
      { id: ben.id, files: 3, bytes: 1_000 },
      { id: ann.id, files: 1, bytes: 900 },
    ])
    assert.deepEqual(tenants, [
      { tenant: 'club', id: club.id, files: 2, bytes: 1_500 },
      { tenant: 'club', id: other.id, files: 1, bytes: 300 },
    ])
    assert.deepEqual(
      [count, size, waiting, perUserMax, perTenantMax],
      [4, 1_900, { files: 4, bytes: 1_900 }, 1_000, 1_500],
    )
    assert.ok(due.files >= 10)
    for (const [token, refused] of [
      ['', 401],
      [ann.token, 403],
    ] as const)
      assert.equal((await service.ask('GET', '/api/v1/_operate/files', { token })).status, refused)
    await service.sweep()
    const swept = await service.ask('GET', '/api/v1/_operate/files', { token: admin.token })
    assert.deepEqual(swept.body.due, { files: 0, bytes: 0 })
  })
})

it('bindery files usage prints it', async (t) => {
  const { bindery, service: own } = await world(t)
  await fill(own)
  await own.sweep()
  const used = async (env: Record<string, string>, ...args: string[]) =>
    bindery.run(['files', 'usage', ...args], { env })
  const found = JSON.parse((await used({ FILES_PER_USER: '1 GB' }, '--json')).stdout)
  // A version has the first label.
  const all = { files: 3, bytes: png.length + 'second'.length + 'first'.length }
  const { users, ...others } = found
  const nothing = { files: 0, bytes: 0 }
  assert.deepEqual(others, { ...all, waiting: nothing, due: nothing, tenants: [], perUserMax: 1e9, perTenantMax: null })
  assert.deepEqual(users, [{ id: users[0].id, ...all }])
  const { stdout, stderr } = await used({ FILES_PER_USER: '1 kB' })
  assert.match(stdout, /^OF +ID +FILES +SIZE +QUOTA\nuser +\S+ +3 +\d+ bytes +\d+ % of 1.0 kB\n$/)
  assert.match(stderr, /All: 3 files, .*\n.*Uploads without a record: 0 files.*\n.*Removed by the next sweep: 0 files/)
  assert.match((await used({ FILES_PER_TENANT: 'much' })).stderr, /FILES_PER_TENANT must look like 10 GB, not much/)
})
