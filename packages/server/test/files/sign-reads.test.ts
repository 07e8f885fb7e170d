/** Reads with `_sign`: the addresses of files in one record and in lists are signed ones. */
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
  role,
  text,
  user,
} from '../../src/index.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { people } from './file-resources.ts'
import { png } from './sample-files.ts'

const all = { list: user, get: user, create: user, update: user }
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    title: text({ maxLength: 80 }),
    photo: image({ read: owner('ownerId'), variants: { thumb: { width: 20 } } }),
    papers: files({ types: ['text/plain'] }),
    secret: image({ read: role('ADMIN') }),
    ownerId: reference('user', { onDelete: 'clear' }),
  },
  list: { style: 'page', filterable: ['title'] },
  trash: { days: 30 },
  access: { ...all, delete: user },
  children: { leaves: { resource: 'leaf', by: 'noteId' } },
})
const leaves = defineResource({
  name: 'leaf',
  plural: 'leaves',
  path: '/leaves',
  fields: { id: id(), noteId: reference('note', { onDelete: 'delete' }), scan: image() },
  list: { style: 'cursor' },
  access: all,
})
const pages = defineResource({
  name: 'page',
  path: '/pages',
  fields: { id: id(), photo: image() },
  list: { style: 'all' },
  access: { read: anyone, write: anyone },
})
/** Its records are read in lists alone, so its files have no address. */
const lists = defineResource({
  name: 'entry',
  plural: 'entries',
  path: '/entries',
  fields: { id: id(), photo: image() },
  list: { style: 'page' },
  access: { list: anyone, create: anyone },
})

let service: TestService
let ann: TestPerson
let ben: TestPerson

before(async () => {
  service = await startService([...people, notes, leaves, pages, lists] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '' },
  })
  ;[ann, ben] = [await service.person(), await service.person()]
})
after(() => service.stop())

async function read(path: string, by: AskOptions = { token: ann.token }) {
  const answer = await service.ask('GET', `/api/v1${path}`, by)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('etag'), null)
  return answer
}

const fetched = (url: string) => fetch(`${service.url}${url}`)

async function servesPng(url: string): Promise<void> {
  const answer = await fetched(url)
  assert.equal(answer.status, 200)
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(png))
}

async function note(title: string): Promise<string> {
  const body = { title, ownerId: ann.id }
  const { body: made } = await service.ask('POST', '/api/v1/notes', { body, token: ann.token })
  const at = `/api/v1/notes/${made.id}`
  await service.ask('PUT', `${at}/photo`, { raw: png, type: 'image/png', token: ann.token })
  await service.ask('POST', `${at}/papers`, { raw: Buffer.from('one'), type: 'text/plain', token: ann.token })
  return made.id
}

describe('a read with _sign', () => {
  it('has signed addresses in one record, and nothing else changes', async () => {
    const one = await note('single')
    const plain = await service.ask('GET', `/api/v1/notes/${one}`, { token: ann.token })
    const { body } = await read(`/notes/${one}?_sign=photo,papers`)
    const { photo, papers, ...rest } = body
    assert.deepEqual(
      {
        ...rest,
        photo: { ...photo, url: plain.body.photo.url },
        papers: [{ ...papers[0], url: plain.body.papers[0].url }],
      },
      plain.body,
    )
    assert.ok(photo.url.startsWith(`${plain.body.photo.url}?_token=`))
    await servesPng(photo.url)
    assert.equal(await (await fetched(papers[0].url)).text(), 'one')
    const again = await read(`/notes/${one}?_sign=photo&fields=photo`, {
      token: ann.token,
      headers: { 'if-none-match': plain.headers.get('etag') ?? '' },
    })
    assert.notEqual(again.body.photo.url, photo.url)
    assert.deepEqual(Object.keys(again.body), ['id', 'photo'])
    const thumb = await read(`/notes/${one}?%5Fsign=photo.thumb`)
    assert.equal((await fetched(thumb.body.photo.url)).headers.get('content-type'), 'image/webp')
    const head = await service.ask('HEAD', `/api/v1/notes/${one}?_sign=photo`, { token: ann.token })
    assert.deepEqual([head.status, head.headers.get('cache-control')], [200, 'no-store'])
    // The usual answer is kept as it was.
    assert.equal((await service.ask('GET', `/api/v1/notes/${one}`, { token: ann.token })).text, plain.text)
  })

  it('has them in lists, and links to the next pages ask for the same', async () => {
    for (const title of ['listed', 'listed', 'listed']) await note(title)
    const first = await read('/notes?title=listed&limit=2&_sign=photo.thumb')
    assert.equal(first.body.data.length, 2)
    for (const { photo } of first.body.data) assert.equal((await fetched(photo.url)).status, 200)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await read(next.slice('/api/v1'.length))
    assert.match(second.body.data[0].photo.url, /_token=/)
    const query = await fetch(`${service.url}/api/v1/notes?_sign=photo`, {
      method: 'QUERY',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'listed' }),
    })
    const queried = (await query.json()) as { data: { photo: { url: string } }[] }
    assert.deepEqual([query.status, queried.data.length], [200, 3])
    for (const { photo } of queried.data) await servesPng(photo.url)
    const inBody = await fetch(`${service.url}/api/v1/notes`, {
      method: 'QUERY',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ _sign: 'photo' }),
    })
    assert.deepEqual(
      [inBody.status, await inBody.json()],
      [400, { error: '_sign does not go into the body; send it in the address' }],
    )
  })

  it('has them below a record, in lists by cursor, and in whole lists', async () => {
    const at = await note('above')
    const made = await service.ask('POST', `/api/v1/notes/${at}/leaves`, { body: {}, token: ann.token })
    await service.ask('PUT', `/api/v1/leaves/${made.body.id}/scan`, { raw: png, type: 'image/png', token: ann.token })
    const { body } = await read(`/notes/${at}/leaves?_sign=scan`)
    await servesPng(body.data[0].scan.url)
    const page = await service.ask('POST', '/api/v1/pages', { body: {} })
    await service.ask('PUT', `/api/v1/pages/${page.body.id}/photo`, { raw: png, type: 'image/png' })
    const whole = await read('/pages?_sign=photo', {})
    assert.equal(whole.body.count, 1)
    await servesPng(whole.body.data[0].photo.url)
  })

  it('signs what the caller sees: a hidden file has no address, and neither has a deleted record', async () => {
    const one = await note('hidden')
    const { body } = await read(`/notes/${one}?_sign=photo,papers`, { token: ben.token })
    assert.equal(body.photo, undefined)
    assert.match(body.papers[0].url, /_token=/)
    await service.ask('DELETE', `/api/v1/notes/${one}`, { token: ann.token })
    const answer = await service.ask('GET', `/api/v1/notes/${one}?_sign=photo`, { token: ann.token })
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Note not found' }])
    assert.equal((await service.ask('GET', '/api/v1/notes?_sign=photo', {})).status, 401)
  })

  it('refuses other names, and other reads', async () => {
    const one = await note('refused')
    for (const [query, error] of [
      [`/notes/${one}?_sign=title`, '_sign names no file of notes: title'],
      [`/notes/${one}?_sign=`, '_sign names no file of notes: '],
      [`/notes/${one}?_sign=secret`, '_sign names no file of notes: secret'],
      [`/notes/${one}?_sign=nothing`, '_sign names no file of notes: nothing'],
      [`/notes?_sign=photo,photo.thumb`, '_sign names photo twice'],
      [`/notes?_sign=photo.large`, 'variant must be one of thumb'],
      [`/notes?_sign=papers.thumb`, 'variant is of images that declare variants'],
      [`/notes?_sign=photo&_sign=papers`, 'The query parameter _sign occurs twice'],
      [`/notes?_sign=photo&nothing=1`, 'Unknown query parameter nothing'],
      [`/notes/summary?_sign=photo`, 'Unknown query parameter _sign'],
      ['/entries?_sign=photo', 'Unknown query parameter _sign'],
    ] as const) {
      const token = query.startsWith('/users') ? (await service.admin()).token : ann.token
      const answer = await service.ask('GET', `/api/v1${query}`, { token })
      assert.deepEqual([answer.status, answer.body], [400, { error }], query)
    }
  })
})
