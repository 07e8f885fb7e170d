/**
 * The record with a slug: the same answer, rule and version as by its id, at every door. In each
 * tenant a slug names another record.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  anyone,
  boolean,
  defineResource,
  id,
  member,
  operator,
  reference,
  role,
  slug,
  text,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestResponse } from '../../src/testing/index.ts'
import { memberships, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'

const club = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true }), slug: slug({ from: 'name' }) },
  list: { style: 'page' },
  access: { read: user, create: user, write: member('OWNER') },
})
const titled = { id: id(), title: text({ required: true }), slug: slug({ from: 'title' }) }
const notes = defineResource({
  name: 'note',
  path: '/notes',
  tenant: 'clubId',
  fields: { ...titled, clubId: reference('club'), isPublic: boolean({ default: false }) },
  list: { style: 'page' },
  access: { read: anyOf([member(), role('SUPPORT')]), write: member(), create: member() },
})
const notices = defineResource({
  name: 'notice',
  path: '/notices',
  tenant: { by: 'clubId', public: true },
  fields: { ...titled, clubId: reference('club') },
  list: { style: 'page' },
  access: { read: anyone, write: member(), create: member() },
})
/** Some records hide their slug, and some are hidden themselves. */
const posts = defineResource({
  name: 'post',
  path: '/posts',
  fields: {
    ...titled,
    slug: slug({ from: 'title', read: where({ isNamed: true }) }),
    pageName: slug({ from: 'title', read: operator }),
    isOpen: boolean({ default: true }),
    isNamed: boolean({ default: true }),
    clubId: reference('club'),
  },
  list: { style: 'page' },
  access: { read: where({ isOpen: true }), create: anyone, write: anyone },
})
const service = await startService([
  club,
  memberships,
  teams,
  teamMembers,
  notes,
  notices,
  posts,
  tenancy,
  ...accounts({ roles: ['USER', 'SUPPORT', 'ADMIN'], operator: 'ADMIN', users }),
])
after(() => service.stop())

type Caller = { readonly token?: string; readonly key?: string; readonly tenant?: string }
const nobody: Caller = {}
const inTenant = (tenant: string | undefined): Record<string, string> =>
  tenant === undefined ? {} : { 'x-tenant': tenant }
function send(path: string, { tenant, ...by }: Caller, headers: Record<string, string> = {}): Promise<TestResponse> {
  return service.ask('GET', `/api/v1${path}`, { ...by, headers: { ...inTenant(tenant), ...headers } })
}
async function made(path: string, by: Caller, body: object): Promise<Record<string, string>> {
  const reply = await service.ask('POST', `/api/v1${path}`, { body, ...by })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
async function query(text: string, { tenant, ...by }: Caller): Promise<unknown> {
  const { body } = await service.ask('POST', '/graphql', { body: { query: text }, ...by, headers: inTenant(tenant) })
  return body.errors ? body.errors[0].message : body.data
}

const [admin, support, ann, bob, cleo] = [
  await service.person('ADMIN'),
  await service.person('SUPPORT'),
  await service.person(),
  await service.person(),
  await service.person(),
]
const rowing = (await made('/clubs', ann, { name: 'Rowing Club' })).id as string
const chess = (await made('/clubs', bob, { name: 'Chess Club' })).id as string
for (const [clubId, by] of [
  [rowing, ann],
  [chess, bob],
] as const)
  await made('/memberships', by, { clubId, userId: cleo.id, role: 'PLAYER' })

describe('the record with a slug', async () => {
  const open = await made('/posts', ann, { title: 'An Open Post', clubId: rowing })
  await made('/posts', admin, { title: 'A closed post', isOpen: false })
  await made('/posts', nobody, { title: 'Without a name', isNamed: false })

  it('is that of its id: with its ETag, fields and relations', async () => {
    for (const more of ['', '?fields=id,title', '?expand=club', '?fields=slug&expand=club']) {
      const [own, found] = [
        await send(`/posts/${open.id}${more}`, ann),
        await send(`/posts/by-slug/${open.slug}${more}`, ann),
      ]
      assert.equal(found.status, 200, found.text)
      assert.deepEqual([found.text, found.headers.get('etag')], [own.text, own.headers.get('etag')])
    }
    const etag = (await send(`/posts/${open.id}`, ann)).headers.get('etag') as string
    const same = await send(`/posts/by-slug/${open.slug}`, ann, { 'if-none-match': etag })
    assert.equal(same.status, 304)
    const bad = await send(`/posts/by-slug/${open.slug}?page=1`, ann)
    assert.deepEqual([bad.status, bad.body.error], [400, (await send(`/posts/${open.id}?page=1`, ann)).body.error])
  })

  it('changes with it, also where responses are kept', async () => {
    const { id: key, slug: name } = await made('/posts', nobody, { title: 'To be renamed' })
    const get = async () => (await send(`/posts/by-slug/${name}`, nobody)).body.title
    assert.deepEqual([await get(), await get()], ['To be renamed', 'To be renamed'])
    await service.ask('PATCH', `/api/v1/posts/${key}`, { body: { title: 'Renamed' } })
    assert.equal(await get(), 'Renamed')
    await service.ask('PATCH', `/api/v1/posts/${key}`, { body: { slug: 'of-another-name' } })
    assert.equal((await send(`/posts/by-slug/${name}`, nobody)).status, 404)
    assert.equal((await send('/posts/by-slug/of-another-name', nobody)).body.id, key)
    const other = await made('/posts', nobody, { title: 'To be renamed' })
    assert.equal((await send(`/posts/by-slug/${name}`, nobody)).body.id, other.id)
  })

  it('is absent where it is hidden, where it hides its slug, and where no text is a slug', async () => {
    const missing = (await send('/posts/by-slug/none', nobody)).text
    for (const name of [
      'a-closed-post',
      'without-a-name',
      'An-Open-Post',
      '%00',
      '%F0%9F%98%80',
      'x'.repeat(500),
      "'",
    ]) {
      const { status, text } = await send(`/posts/by-slug/${name}`, nobody)
      assert.deepEqual([status, text], [404, missing], name)
    }
    assert.equal((await send('/posts/by-slug/', nobody)).status, 404)
    assert.equal((await send('/posts/by-slug/%', nobody)).status, 400)
    assert.equal((await send('/posts/by-page-name/an-open-post', nobody)).text, missing)
    assert.equal((await send('/posts/by-page-name/an-open-post', admin)).body.id, open.id)
  })

  it('is found by GraphQL, an agent, and explained', async () => {
    const data = { post: { id: open.id } }
    assert.deepEqual(await query(`{ post(slug: "${open.slug}") { id } }`, nobody), data)
    assert.deepEqual(await query(`{ post(id: "${open.id}") { id } }`, nobody), data)
    assert.equal(await query('{ post { id } }', nobody), 'Give one of id and slug and pageName')
    assert.equal(
      await query(`{ post(id: "${open.id}", slug: "a") { id } }`, nobody),
      'Give one of id and slug and pageName',
    )
    assert.deepEqual(await query('{ post(slug: "without-a-name") { id } }', nobody), 'Post not found')
    const headers = { accept: 'application/json, text/event-stream' }
    const call = async (name: string, args: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      return JSON.parse((await service.ask('POST', '/mcp', { body, headers })).body.result.content[0].text)
    }
    assert.ok((await call('describe', {})).posts.includes('get posts/by-slug/{slug}'))
    assert.equal((await call('get', { path: `posts/by-slug/${open.slug}` })).record?.id ?? open.id, open.id)
    const why = async (path: string) => (await send(`${path}?_explain=access`, admin)).text
    assert.equal(await why(`/posts/by-slug/${open.slug}`), await why(`/posts/${open.id}`))
  })

  it('is in the document', async () => {
    const { body } = await service.ask('GET', '/openapi.json')
    const { get } = body.paths['/api/v1/posts/by-page-name/{pageName}']
    assert.deepEqual([get.operationId, get.summary], ['getPostByPageName', 'Get one post by its page name'])
    assert.equal(body.paths['/api/v1/posts/{id}'].get.operationId, 'getPost')
  })
})

describe('a slug of tenants', async () => {
  const inRowing = await made('/notes', ann, { title: 'Same title', clubId: rowing })
  const inChess = await made('/notes', bob, { title: 'Same title', clubId: chess })
  const path = `/notes/by-slug/${inRowing.slug}`

  it('is free in each', () => {
    assert.deepEqual([inRowing.slug, inChess.slug], ['same-title', 'same-title'])
  })

  it('names the record of the named tenant, or of the only one', async () => {
    assert.equal((await send(path, ann)).body.id, inRowing.id)
    assert.equal((await send(path, bob)).body.id, inChess.id)
    for (const by of [cleo, support])
      for (const { id: key, clubId } of [inRowing, inChess]) {
        const { body, text: answer } = await send(path, { ...by, tenant: clubId as string })
        assert.equal(body.id, key, answer)
      }
    const sentence = 'Name the club with X-Tenant: each has its own slug'
    for (const by of [cleo, support]) {
      const refused = await send(path, by)
      assert.deepEqual([refused.status, refused.body.error], [400, sentence])
      assert.equal(await query('{ note(slug: "same-title") { id } }', by), sentence)
    }
    const data = await query('{ note(slug: "same-title") { id } }', { ...cleo, tenant: chess })
    assert.deepEqual(data, { note: { id: inChess.id } })
  })

  it('says nothing of another tenant', async () => {
    await made('/notes', bob, { title: 'Only chess', clubId: chess })
    const found = [await send('/notes/by-slug/only-chess', ann), await send('/notes/by-slug/no-such', ann)]
    assert.deepEqual(
      found.map(({ status }) => status),
      [404, 404],
    )
    assert.equal(found[0]?.text, found[1]?.text)
    assert.equal((await made('/notes', ann, { title: 'Only chess', clubId: rowing })).slug, 'only-chess')
    assert.equal((await send('/notes/by-slug/only-chess', { ...ann, tenant: chess })).status, 404)
    assert.equal((await send(path, nobody)).status, 401)
  })

  it('of public records is found in the named tenant by all', async () => {
    const notice = await made('/notices', ann, { title: 'Welcome', clubId: rowing })
    await made('/notices', bob, { title: 'Welcome', clubId: chess })
    assert.equal((await send('/notices/by-slug/welcome', { tenant: rowing })).body.id, notice.id)
    assert.equal((await send('/notices/by-slug/welcome', { ...bob, tenant: rowing })).body.id, notice.id)
    assert.equal((await send('/notices/by-slug/welcome', ann)).body.id, notice.id)
    assert.equal((await send('/notices/by-slug/welcome', cleo)).status, 400)
    assert.equal((await send('/notices/by-slug/welcome', nobody)).text, (await send('/notices', nobody)).text)
  })
})
