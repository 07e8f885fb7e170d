/** Signed addresses: for one file and variant, for a time, by the present rights of the signer. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  type DeclaredResource,
  defineResource,
  files,
  id,
  image,
  owner,
  reference,
  text,
  user,
} from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { people } from './file-resources.ts'
import { png } from './sample-files.ts'

const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    title: text({ maxLength: 80 }),
    photo: image({ read: owner('ownerId'), variants: { thumb: { width: 20 }, other: { width: 30 } } }),
    papers: files({ types: ['text/plain'] }),
    ownerId: reference('user', { onDelete: 'clear' }),
  },
  list: { style: 'page' },
  access: { list: user, get: user, create: user, update: user, delete: user },
})

let service: TestService
let ann: TestPerson
let ben: TestPerson

before(async () => {
  service = await startService([...people, notes] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '' },
  })
  ;[ann, ben] = [await service.person(), await service.person()]
})
after(() => service.stop())

const fetched = (url: string, init: RequestInit = {}) => fetch(`${service.url}${url}`, init)
const statusOf = async (url: string) => (await fetched(url)).status
const invalid = [403, { error: 'The address is not valid, or no longer; ask for another one' }]

async function note(): Promise<string> {
  const body = { title: 'A', ownerId: ann.id }
  const made = await service.ask('POST', '/api/v1/notes', { body, token: ann.token })
  const at = `/api/v1/notes/${made.body.id}`
  const put = await service.ask('PUT', `${at}/photo`, { raw: png, type: 'image/png', token: ann.token })
  assert.equal(put.status, 200, put.text)
  return at
}

async function link(path: string, body?: object): Promise<string> {
  const answer = await service.ask('POST', `${path}/_link`, { body, token: ann.token })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['url', 'expiresAt'])
  return answer.body.url
}

describe('a signed address', () => {
  it('serves its file and variant without a credential, and HEAD, 304 and ranges', async () => {
    const at = await note()
    const url = await link(`${at}/photo`)
    const response = await fetched(url)
    assert.equal(response.status, 200)
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(png))
    assert.equal(response.headers.get('cache-control'), 'private, no-cache, no-transform')
    // Pages of other sites show it.
    const embedding = (one: { headers: Headers }) => one.headers.get('cross-origin-resource-policy')
    const own = await service.ask('GET', `${at}/photo`, { token: ann.token })
    assert.deepEqual([embedding(response), embedding(own)], ['cross-origin', 'same-origin'])
    const etag = response.headers.get('etag') as string
    assert.equal((await fetched(url, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await fetched(url, { method: 'HEAD' })).status, 200)
    assert.equal((await fetched(url, { headers: { range: 'bytes=0-3' } })).status, 206)
    assert.equal((await fetched(url, { headers: { authorization: 'Bearer wrong' } })).status, 200)
    const thumb = await fetched(await link(`${at}/photo`, { variant: 'thumb' }))
    assert.equal(thumb.headers.get('content-type'), 'image/webp')
    assert.equal(await statusOf(`${at}/photo`), 401)
    for (const method of ['PUT', 'DELETE']) assert.equal((await fetched(url, { method })).status, 401)
  })

  it('is good for nothing else, and not for longer', async () => {
    const [one, two] = [await note(), await note()]
    const url = await link(`${one}/photo`, { expiresIn: 60 })
    const token = url.split('_token=')[1] as string
    const thumb = (await link(`${one}/photo`, { variant: 'thumb' })).split('_token=')[1]
    const other = token[30] === 'A' ? 'B' : 'A'
    for (const bad of [
      `${two}/photo?_token=${token}`,
      `${one}/photo?variant=thumb&_token=${token}`,
      `${one}/photo?variant=other&_token=${thumb}`,
      `${one}/photo?_token=${thumb}`,
      `${one}/photo?_token=${token.slice(0, 30)}${other}${token.slice(31)}`,
      `${one}/photo?_token=`,
      `/api/v1/notes/0d9f5f4e-7c0b-4a3c-9a53-4f4f4c9b7c11/photo?_token=${token}`,
    ]) {
      const answer = await fetched(bad)
      assert.deepEqual([answer.status, await answer.json()], invalid, bad)
    }
    service.turn(59_000)
    assert.equal(await statusOf(url), 200)
    service.turn(2_000)
    const late = await fetched(url)
    assert.deepEqual([late.status, await late.json()], invalid)
  })

  it('ends with the file, the record, and the rights of its signer', async () => {
    const [replaced, deleted, given] = [await note(), await note(), await note()]
    const urls = await Promise.all([replaced, deleted, given].map((at) => link(`${at}/photo`)))
    await service.ask('PUT', `${replaced}/photo`, { raw: png, type: 'image/png', token: ann.token })
    await service.ask('DELETE', deleted, { token: ann.token })
    await service.ask('PATCH', given, { body: { ownerId: ben.id }, token: ann.token })
    for (const url of urls) assert.equal(await statusOf(url), 404, url)
  })

  it('is asked for by those who may read the field, with a time and a variant', async () => {
    const at = await note()
    assert.equal((await service.ask('POST', `${at}/photo/_link`, { token: ben.token })).status, 404)
    assert.equal((await service.ask('POST', `${at}/photo/_link`, {})).status, 401)
    for (const body of [{ expiresIn: 59 }, { expiresIn: 604_801 }, { expiresIn: 'x' }, { variant: 'none' }, { a: 1 }]) {
      const answer = await service.ask('POST', `${at}/photo/_link`, { body, token: ann.token })
      assert.equal(answer.status, 400, answer.text)
    }
    const added = await service.ask('POST', `${at}/papers`, {
      raw: Buffer.from('text'),
      type: 'text/plain',
      token: ann.token,
    })
    const { url } = added.body.papers[0]
    assert.equal(await statusOf(await link(url)), 200)
    const gone = await link(url)
    await service.ask('DELETE', url, { token: ann.token })
    assert.equal(await statusOf(gone), 404)
  })
})

it('the address is the plain one in an application without users', async () => {
  const pages = defineResource({
    name: 'page',
    path: '/pages',
    fields: { id: id(), photo: image() },
    list: { style: 'page' },
    access: { read: anyone, write: anyone },
  })
  const own = await startService([pages] as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  try {
    const at = `/api/v1/pages/${(await own.ask('POST', '/api/v1/pages', { body: {} })).body.id}/photo`
    await own.ask('PUT', at, { raw: png, type: 'image/png' })
    const { body } = await own.ask('POST', `${at}/_link`)
    assert.equal(body.url, at)
    const forged = await own.ask('GET', `${at}?_token=x`)
    assert.deepEqual([forged.status, forged.body], invalid)
  } finally {
    await own.stop()
  }
})
