/** Uploads by tus that lie, that never end, or that belong to others: each is refused in words. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeUpload } from '../../src/files/uploads/upload-rows.ts'
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
  role,
  roleField,
  text,
  user,
} from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { objectsOf, roomOf, rowsOf, uploadFor } from './sample-files.ts'
import { idOf, metadataOf, placeOf, type TusClient, type TusReply, tusClient, uploadsPath } from './tus-client.ts'

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
  access: { read: member(), create: member('OWNER'), delete: member('OWNER') },
})
const notes = defineResource({
  name: 'note',
  path: '/notes',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    title: text(),
    scan: file({ maxBytes: '1 MB' }),
  },
  list: { style: 'page' },
  access: { read: member(), write: member() },
})
const posts = defineResource({
  name: 'post',
  path: '/posts',
  fields: { id: id(), papers: files({ maxBytes: '1 MB' }), edited: file({ read: user, write: role('ADMIN') }) },
  list: { style: 'page' },
  access: { read: user, create: user, update: user },
})
const resources = [
  ...accounts({ roles: ['USER', 'ADMIN'] }),
  clubs,
  memberships,
  notes,
  posts,
  defineTenancy('club', { members: 'membership', user: 'userId', role: 'role', roles: ['PLAYER', 'OWNER'] }),
]

let service: TestService
let ann: TestPerson
let ben: TestPerson
let admin: TestPerson
let tus: TusClient

before(async () => {
  service = await startService(resources as unknown as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  ;[ann, ben, admin] = [await service.person(), await service.person(), await service.admin()]
  tus = tusClient(service.url, ann.token)
})
after(() => service.stop())

const papers = { resource: 'posts', field: 'papers', filename: 'a.bin' }
const begun = async (length = 10, client = tus) => placeOf(await client.begin(papers, length))
const bytes = Buffer.from('0123456789')

/** The status, and the sentence of the body that every refusal has. */
function refusal({ status, text: body, headers }: TusReply): readonly [number, string] {
  assert.match(String(headers['content-type']), /^application\/json/)
  const { error } = JSON.parse(body) as { error: string }
  assert.equal(typeof error, 'string')
  return [status, error]
}

const noUpload = 'There is no such upload, or no longer; begin it again'
const notThere = 'The upload has not as many bytes as Upload-Offset says; ask for its offset with HEAD'

describe('a hostile upload by tus', () => {
  it('lies about its offset', async () => {
    const path = await begun()
    assert.equal((await tus.patch(path, 0, bytes.subarray(0, 4))).status, 204)
    for (const offset of [0, 3, 5, 10, 9_007_199_254_740_991])
      assert.deepEqual(refusal(await tus.patch(path, offset, bytes.subarray(4))), [409, notThere], String(offset))
    for (const offset of ['-1', '4.0', '+4', '0x4', 'four', '', '4, 4']) {
      const reply = await tus.patch(path, 0, bytes.subarray(4), { headers: { 'upload-offset': offset } })
      assert.equal(refusal(reply)[0], 400, offset)
    }
    const bare = { headers: { 'content-type': 'application/offset+octet-stream' }, body: bytes.subarray(4) }
    assert.equal(refusal(await tus.send('PATCH', path, bare))[0], 400)
    assert.equal(await tus.offsetOf(path), 4)
    assert.equal((await tus.patch(path, 4, bytes.subarray(4))).status, 204)
    assert.deepEqual(refusal(await tus.patch(path, 10, bytes)), [
      413,
      'The body has more bytes than Upload-Length leaves',
    ])
    assert.equal((await tus.patch(path, 10, Buffer.alloc(0))).status, 409)
  })

  it('says no length, or a false one', async () => {
    const begin = (headers: Readonly<Record<string, string>>) =>
      tus.send('POST', uploadsPath, { headers: { 'upload-metadata': metadataOf(papers), ...headers } })
    for (const headers of [
      { 'upload-length': '' },
      { 'upload-length': '-5' },
      { 'upload-length': '5.5' },
      { 'upload-length': 'all' },
    ])
      assert.equal(refusal(await begin(headers))[0], 400)
    assert.equal(refusal(await begin({}))[0], 400)
    const unknown = refusal(await begin({ 'upload-defer-length': '1' }))
    assert.deepEqual(unknown, [
      400,
      'Upload-Length is missing: uploads of unknown length, or of several uploads, are not taken',
    ])
    assert.equal(refusal(await begin({ 'upload-concat': 'partial', 'upload-length': '5' }))[0], 400)
    assert.equal(refusal(await begin({ 'upload-length': '9007199254740993' }))[0], 400)
    assert.equal(refusal(await begin({ 'upload-length': '1000001' }))[0], 413)
    const path = await begun()
    const longer = await tus.patch(path, 0, bytes, { headers: { 'upload-length': '99' } })
    assert.equal(refusal(longer)[0], 400)
  })

  it('sends more than it says, or without end', async () => {
    const path = await begun()
    const much = Buffer.alloc(3_000_000, 'a')
    assert.equal(refusal(await tus.patch(path, 0, much))[0], 413)
    assert.equal(refusal(await tus.patch(path, 0, much, { isChunked: true }))[0], 413)
    assert.equal(await tus.offsetOf(path), 0)
    assert.deepEqual(
      objectsOf(service).filter((name) => name.includes(idOf(path))),
      [],
    )
    const first = { body: much, isChunked: true, headers: { 'content-type': 'application/offset+octet-stream' } }
    assert.equal(refusal(await tus.begin(papers, 10, first))[0], 413)
    assert.deepEqual(
      objectsOf(service),
      objectsOf(service).filter((name) => !name.includes('chunks')),
    )
  })

  it('comes in more pieces than it may', async () => {
    const path = await begun()
    await changeUpload(roomOf(service), { id: idOf(path), when: always }, () => ({ turn: 9_999 }))
    assert.equal((await tus.patch(path, 0, bytes.subarray(0, 1))).status, 204)
    const many = 'An upload comes in at most 10000 pieces; begin it again with larger ones'
    assert.deepEqual(refusal(await tus.patch(path, 1, bytes.subarray(1))), [400, many])
  })

  it('names the upload of another caller', async () => {
    const path = await begun()
    const plain = await uploadFor(service, ann, { resource: 'post', field: 'papers', bytes })
    const strange = ['00000000-0000-4000-8000-000000000000', '..%2F..%2Fetc', '%00', 'x'.repeat(300), plain]
    for (const own of [tusClient(service.url, ben.token), tusClient(service.url, admin.token), tusClient(service.url)])
      for (const reply of [await own.send('DELETE', path), await own.patch(path, 0, bytes)])
        assert.deepEqual(refusal(reply), [404, noUpload])
    for (const one of strange) {
      const reply = await tus.patch(`${uploadsPath}/${one}`, 0, bytes)
      assert.equal(refusal(reply)[0], 404, one)
      assert.equal((await tus.send('HEAD', `${uploadsPath}/${one}`)).status, 404, one)
    }
    assert.equal((await tus.patch(path, 0, bytes)).status, 204)
    const named = await service.ask('POST', '/api/v1/posts', { body: { papers: [idOf(path)] }, token: ben.token })
    assert.deepEqual([named.status, /names no upload of yours/.test(named.text)], [400, true])
    const bad = refusal(await tusClient(service.url, 'no token').patch(path, 0, bytes))
    assert.equal(bad[0], 401)
  })

  it('speaks another protocol', async () => {
    const path = await begun()
    for (const version of ['0.2.2', '1.0.1', ''])
      assert.equal(refusal(await tus.patch(path, 0, bytes, { headers: { 'tus-resumable': version } }))[0], 412)
    assert.equal(refusal(await tus.patch(path, 0, bytes, { headers: { 'content-type': 'text/plain' } }))[0], 415)
    assert.equal(refusal(await tus.patch(path, 0, bytes, { headers: { prefer: 'dry-run' } }))[0], 400)
    for (const metadata of [
      'resource',
      'resource =,field =',
      'a b c',
      `${metadataOf(papers)},resource cG9zdA==`,
      ',',
    ]) {
      const headers = { 'upload-length': '10', 'upload-metadata': metadata }
      assert.equal(refusal(await tus.send('POST', uploadsPath, { headers }))[0], 400, metadata)
    }
    assert.equal(refusal(await tus.send('POST', uploadsPath, { headers: { 'upload-length': '10' } }))[0], 400)
    assert.equal(refusal(await tus.send('GET', path))[0], 405)
    const override = await tus.send('POST', path, { headers: { 'x-http-method-override': 'DELETE' } })
    assert.equal(refusal(override)[0], 405)
    assert.equal(await tus.offsetOf(path), 0)
  })

  it('has a caller without the rights, or with those no longer', async () => {
    const edited = { ...papers, field: 'edited' }
    assert.deepEqual(refusal(await tus.begin(edited, 10)), [403, 'Insufficient permissions'])
    const path = placeOf(await tusClient(service.url, admin.token).begin(edited, 10))
    const rows = await rowsOf(service, [idOf(path)])
    assert.equal(rows[0]?.owner, admin.id)
    const club = await service.ask('POST', '/api/v1/clubs', { body: {}, token: ann.token })
    const other = await service.ask('POST', '/api/v1/clubs', { body: {}, token: ben.token })
    const note = { resource: 'notes', field: 'scan' }
    const inClub = (club: string, { token }: TestPerson) => tusClient(service.url, token, { 'x-tenant': club })
    const own = inClub(club.body.id, ann)
    assert.equal(refusal(await inClub(other.body.id, ann).begin(note, 10))[0], 404)
    const scan = placeOf(await own.begin(note, 10))
    assert.equal((await rowsOf(service, [idOf(scan)]))[0]?.tenant, String(club.body.id))
    await tus.send('HEAD', scan)
    assert.equal((await tus.patch(scan, 0, bytes.subarray(0, 5))).status, 204)
    for (const [clubId, userId, { token }] of [
      [other.body.id, ann.id, ben],
      [club.body.id, ben.id, ann],
    ] as const) {
      const joined = await service.ask('POST', '/api/v1/memberships', {
        body: { clubId, userId, role: 'OWNER' },
        token,
      })
      assert.equal(joined.status, 201, joined.text)
    }
    assert.equal(refusal(await inClub(other.body.id, ann).patch(scan, 5, bytes.subarray(5)))[0], 404)
    assert.deepEqual(refusal(await tus.begin(note, 10)), [400, 'Name the club with X-Tenant: each has its own scan'])
    assert.equal((await own.patch(scan, 5, bytes.subarray(5))).status, 204)
    const body = { scan: idOf(scan), title: 'N' }
    const wrong = await service.ask('POST', '/api/v1/notes', {
      body: { ...body, clubId: other.body.id },
      token: ann.token,
    })
    assert.equal(wrong.status, 400, wrong.text)
    const second = placeOf(await own.begin(note, 10))
    const right = await service.ask('POST', '/api/v1/notes', {
      body: { ...body, clubId: club.body.id },
      token: ann.token,
    })
    assert.equal(right.status, 201, right.text)
    const { body: list } = await service.ask('GET', '/api/v1/memberships?limit=100', { token: ben.token })
    const membership = list.data.find((one: { clubId: unknown; userId: unknown }) => {
      return one.clubId === club.body.id && one.userId === ann.id
    })
    const gone = await service.ask('DELETE', `/api/v1/memberships/${membership.id}`, { token: ben.token })
    assert.equal(gone.status, 204, gone.text)
    for (const client of [own, tus]) assert.equal(refusal(await client.patch(second, 0, bytes))[0], 404)
  })
})
