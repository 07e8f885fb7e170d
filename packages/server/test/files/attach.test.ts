/**
 * Uploads are attached to one record, and released when nothing names them. Records come, change,
 * go and come back in each way.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DeclaredResource } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { resources } from './file-resources.ts'
import { objectsOf, png, rowsOf, uploadFor } from './sample-files.ts'

let service: TestService
let ann: TestPerson
let ben: TestPerson
let admin: TestPerson
let serial = 0
const next = () => {
  serial += 1
  return serial
}

before(async () => {
  service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  ;[ann, ben, admin] = [await service.person(), await service.person(), await service.admin()]
})
after(() => service.stop())

/** The time passes, and everyone logs in again. */
async function turn(hours: number): Promise<void> {
  service.turn(hours * 3_600_000)
  ann = await service.logIn(ann.email)
  ben = await service.logIn(ben.email)
  admin = await service.logIn(admin.email)
}

const text = () => Buffer.from(`text ${next()}`)
const label = (person = ann, bytes = text()) =>
  uploadFor(service, person, { resource: 'box', field: 'label', bytes, name: 'label.txt' })
const photo = (person = ann) => uploadFor(service, person, { resource: 'thing', field: 'photo', bytes: png })
const api = async (method: string, path: string, body?: unknown, token = ann.token) =>
  service.ask(method, `/api/v1${path}`, { ...(body !== undefined && { body }), token })
const stateOf = async (id: string) => (await rowsOf(service, [id]))[0]?.state ?? 'gone'
const box = async (values: object = {}) => {
  const made = await api('POST', '/boxes', { title: `Box ${next()}`, ...values })
  assert.equal(made.status, 201, made.text)
  return made.body
}
const refused = /names no upload of yours that is ready/

describe('an upload', () => {
  it('is attached once', async () => {
    const id = await label()
    const one = await box({ label: id })
    assert.equal(one.label.id, id)
    assert.equal(one.label.name, 'label.txt')
    assert.equal(await stateOf(id), 'attached')
    for (const answer of [
      await api('POST', '/boxes', { title: 'Other', label: id }),
      await api('PATCH', `/boxes/${(await box()).id}`, { label: id }),
    ]) {
      assert.equal(answer.status, 400)
      assert.match(answer.body.error, refused)
    }
    const same = await api('PATCH', `/boxes/${one.id}`, { label: id })
    assert.deepEqual([same.status, same.body.label], [200, one.label])
    const shown = await api('PUT', `/boxes/${one.id}`, { title: one.title, label: one.label })
    assert.deepEqual([shown.status, shown.body.label], [200, one.label])
  })

  it('belongs to its caller, its resource and its field, until it expires', async () => {
    const cases = [
      await label(ben),
      await photo(),
      '0198c0de-0000-7000-8000-000000000001',
      await uploadFor(service, ann, { resource: 'sheet', field: 'scan', bytes: text() }),
    ]
    for (const id of cases) {
      const answer = await api('POST', '/boxes', { title: 'Other', label: id })
      assert.deepEqual([answer.status, refused.test(answer.body.error)], [400, true])
    }
    for (const wrong of ['x', 5, {}, { id: 'x' }, { id: cases[2], more: 1 }])
      assert.equal((await api('POST', '/boxes', { title: 'Other', label: wrong })).status, 400)
    const late = await label()
    await turn(25)
    assert.match((await api('POST', '/boxes', { title: 'Other', label: late })).body.error, refused)
    await service.sweep()
    assert.equal(await stateOf(late), 'gone')
    assert.ok(!objectsOf(service).some((name) => name.includes(late)))
  })

  it('stays ready where its write is refused', async () => {
    const id = await label()
    const { title } = await box()
    assert.equal((await api('POST', '/boxes', { title, label: id })).status, 409)
    assert.equal(await stateOf(id), 'ready')
    const dry = await service.ask('POST', '/api/v1/boxes', {
      body: { title: 'Dry', label: id },
      token: ann.token,
      headers: { prefer: 'dry-run' },
    })
    assert.equal(dry.status, 201, dry.text)
    assert.equal(await stateOf(id), 'ready')
    assert.equal((await box({ label: id })).label.id, id)
  })

  it('is one record’s alone where many are written', async () => {
    const id = await label()
    const batch = await api('POST', '/batch', {
      operations: [
        { method: 'POST', path: '/boxes', body: { title: 'B1', label: id } },
        { method: 'POST', path: '/boxes', body: { title: 'B2', label: id } },
      ],
    })
    assert.match(batch.text, refused)
    assert.equal(await stateOf(id), 'ready')
    const image = await photo()
    for (const title of ['bulk', 'bulk']) await api('POST', '/things', { title })
    const bulk = await api('PATCH', '/things?title=bulk&limit=9', { photo: image })
    assert.deepEqual([bulk.status, refused.test(bulk.body.error)], [400, true])
    const lines = ['L1', 'L2'].map((title) => JSON.stringify({ title, photo: image })).join('\n')
    const adminPhoto = await photo(admin)
    const imported = await service.ask('POST', '/api/v1/things/import', {
      raw: lines.replaceAll(image, adminPhoto),
      type: 'application/x-ndjson',
      token: admin.token,
    })
    assert.deepEqual([imported.body.created, imported.body.rejected], [1, 1], imported.text)
  })

  it('is attached to children in a body, and by actions', async () => {
    const scans = [1, 2].map(() => uploadFor(service, ann, { resource: 'sheet', field: 'scan', bytes: text() }))
    const [first, second] = await Promise.all(scans)
    const made = await box({ leaves: [{ scan: first }, { scan: second }] })
    assert.deepEqual([await stateOf(String(first)), await stateOf(String(second))], ['attached', 'attached'])
    const thing = (await api('POST', '/things', { title: 'T' })).body
    const image = await photo()
    const borrowed = await api('POST', `/things/${thing.id}/borrow`, { photo: image })
    assert.deepEqual([borrowed.status, borrowed.body.photo?.id], [200, image], borrowed.text)
    const bens = await photo(ben)
    assert.match((await api('POST', `/things/${thing.id}/borrow`, { photo: bens })).body.error, refused)
    assert.equal((await api('DELETE', `/boxes/${made.id}?_trash=skip`)).status, 204)
    assert.deepEqual([await stateOf(String(first)), await stateOf(String(second))], ['released', 'released'])
  })

  it('is named by its id in GraphQL, which shows the file', async () => {
    const id = await photo()
    const query = `mutation ($input: CreateThingInput!) {
      createThing(input: $input) { id photo { id name type size sha256 url width } papers { name } } }`
    const reply = await service.ask('POST', '/graphql', {
      body: { query, variables: { input: { title: 'G', photo: id } } },
      token: ann.token,
    })
    const made = reply.body.data?.createThing
    assert.equal(made?.photo.id, id, reply.text)
    assert.deepEqual([made.photo.url, made.photo.width, made.papers], [`/api/v1/things/${made.id}/photo`, 1, []])
    const filtered = await service.ask('POST', '/graphql', {
      body: { query: '{ things(filter: { photo: { null: false } }) { data { photo { size } } } }' },
      token: ann.token,
    })
    assert.ok(filtered.body.data?.things.data.length >= 1, filtered.text)
  })
})

describe('a file is released', () => {
  it('when its record goes for good, not when it goes to the trash', async () => {
    const id = await label()
    const one = await box({ label: id })
    assert.equal((await api('DELETE', `/boxes/${one.id}`)).status, 204)
    assert.equal(await stateOf(id), 'attached')
    const back = await api('POST', `/boxes/${one.id}/restore`)
    assert.deepEqual([back.status, back.body.label?.id], [200, id], back.text)
    await api('DELETE', `/boxes/${one.id}`)
    await service.sweep()
    assert.equal(await stateOf(id), 'attached')
    assert.equal((await api('DELETE', `/boxes/${one.id}?_trash=skip`)).status, 204)
    assert.equal(await stateOf(id), 'released')
    await service.sweep()
    assert.equal(await stateOf(id), 'gone')
  })

  it('when the trash ends', async () => {
    const id = await label()
    const one = await box({ label: id })
    await api('DELETE', `/boxes/${one.id}`)
    await turn(31 * 24)
    await service.sweep()
    await service.sweep()
    assert.equal(await stateOf(id), 'gone')
  })

  it('when no version names it any more, and a revert takes it back', async () => {
    const [first, second] = [await label(), await label()]
    const one = await box({ label: first })
    const change = (body: object) => api('PATCH', `/boxes/${one.id}`, body)
    const changed = await change({ label: second })
    assert.equal(changed.status, 200, changed.text)
    assert.equal(await stateOf(first), 'released')
    await service.sweep()
    assert.equal(await stateOf(first), 'released')
    const reverted = await api('POST', `/boxes/${one.id}/revert`, { historyVersion: 1 })
    assert.deepEqual([reverted.status, reverted.body.label?.id], [200, first], reverted.text)
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['attached', 'released'])
    for (let i = 0; i < 3; i += 1) assert.equal((await change({ title: `More ${next()}` })).status, 200)
    await service.sweep()
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['attached', 'gone'])
    assert.equal((await api('DELETE', `/boxes/${one.id}?_trash=skip`)).status, 204)
    await service.sweep()
    assert.equal(await stateOf(first), 'gone')
  })
})
