/**
 * Fields that are returned on request. At every door an answer has them exactly where the request
 * names them. All others have the bytes of an application without the field.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  apiKey,
  defineAction,
  defineResource,
  defineResources,
  id,
  image,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { png } from '../files/sample-files.ts'

const people = accounts({ roles: ['USER', 'ADMIN'], keys: true })
const all = { list: anyone, get: anyone, create: user, replace: user, update: user, delete: user }
const kitFields = {
  id: id(),
  title: text({ required: true, maxLength: 80 }),
  price: text({ maxLength: 9, returned: 'request', read: role('ADMIN') }),
}
const kits = defineResource({
  name: 'kit',
  path: '/kits',
  fields: kitFields,
  list: { style: 'page' },
  access: { ...all, take: user },
  children: { parts: { resource: 'part', by: 'kitId' } },
  actions: {
    take: defineAction(kitFields, {
      summary: 'Take a part',
      returns: 'part',
      input: {},
      run: async ({ records, record }) =>
        (await records(parts).create({ title: 'taken', kitId: record.id, note: 'of code' } as never)).id,
    }),
  },
})

/** `onRequest`: the two members that the tests are about, or none. */
const makeParts = (onRequest: object) =>
  defineResource({
    name: 'part',
    path: '/parts',
    fields: {
      id: id(),
      title: text({ required: true, maxLength: 80, unique: true }),
      kitId: reference('kit', { onDelete: 'clear' }),
      ...(onRequest as { note: ReturnType<typeof text> }),
    },
    list: { style: 'page', filterable: ['title'], bulk: true },
    upsert: ['title'],
    history: { keep: 5 },
    trash: { days: 30 },
    changes: true,
    access: { ...all, import: apiKey(user), export: apiKey(user), restore: user },
  })
const parts = makeParts({
  note: text({ maxLength: 80, returned: 'request' }),
  photo: image({ returned: 'request', variants: { thumb: { width: 20 } } }),
})
const listed = (own: typeof parts) => defineResources([...people, kits, own])

let service: TestService
let bare: TestService
let ann: TestPerson
let kit: string
let part: string
let key: string
before(async () => {
  service = await startService(listed(parts))
  ann = await service.person()
  key = await service.key(ann)
  kit = (await ask('POST', '/kits', { body: { title: 'kit' } })).body.id
  const { body } = await ask('POST', '/parts', { body: { title: 'lamp', kitId: kit } })
  part = body.id
  const put = await ask('PUT', `/parts/${part}/photo`, { raw: png, type: 'image/png' })
  assert.equal(put.body.photo.width, 1, 'the request names it by its path')
  const set = await ask('PATCH', `/parts/${part}`, { body: { note: 'kept' } })
  assert.deepEqual(Object.keys(set.body), ['id', 'title', 'kitId', 'note'])
})
after(async () => {
  await service.stop()
  await bare?.stop()
})

const ask = (method: string, path: string, options: AskOptions = {}) =>
  service.ask(method, `/api/v1${path}`, { token: ann.token, ...options })
const usual = () => ({ id: part, title: 'lamp', kitId: kit })
const query = async (text: string) => {
  const { body } = await service.ask('POST', '/graphql', { token: ann.token, body: { query: text } })
  assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  return body.data
}

describe('An answer to a request that names no such field', () => {
  it('is without them: records, lists, children, expanded records, lines, batches', async () => {
    const get = await ask('GET', `/parts/${part}`)
    assert.deepEqual(get.body, usual())
    assert.equal(get.headers.get('etag'), '"3"')
    assert.deepEqual((await ask('GET', '/parts?title=lamp')).body.data, [usual()])
    assert.deepEqual((await ask('GET', `/kits/${kit}/parts`)).body.data, [usual()])
    assert.deepEqual((await ask('GET', `/kits/${kit}?expand=parts`)).body.parts, [usual()])
    const lines = await service.ask('GET', '/api/v1/parts/export', { key })
    assert.deepEqual(JSON.parse(lines.text), usual())
    const operations = [{ method: 'GET', path: `/parts/${part}` }]
    assert.deepEqual((await ask('POST', '/batch', { body: { operations } })).body.data[0].body, usual())
    assert.deepEqual((await ask('GET', '/parts?title=lamp&cursor=')).body.data, [usual()])
  })

  it('is the same for all callers where a rule hides the field alone, also when it is kept', async () => {
    for (const path of [`/kits/${kit}`, '/kits'])
      for (const again of [false, true]) {
        const [named, plain] = [await ask('GET', `${path}?fields=title`), await ask('GET', path)]
        assert.equal(plain.status, 200)
        assert.doesNotMatch(plain.headers.get('vary') ?? '', /authorization/i, `${path} ${again}`)
        assert.match(named.headers.get('vary') ?? '', /authorization/i, 'the same path may name it')
        const headers = { 'if-none-match': plain.headers.get('etag') ?? '' }
        const known = await ask('GET', path, { headers })
        assert.equal(known.status, 304)
        assert.doesNotMatch(known.headers.get('vary') ?? '', /authorization/i)
        const other = await service.ask('GET', `/api/v1${path}`)
        assert.deepEqual(other.body, plain.body, 'a caller without a credential gets it, too')
      }
    assert.equal((await ask('GET', `/kits/${kit}?fields=price`)).status, 400)
  })

  it('is without them after a write of other fields, and where an action returns the record', async () => {
    const patched = await ask('PATCH', `/parts/${part}`, { body: { title: 'lamp' } })
    assert.deepEqual(patched.body, usual())
    const taken = await ask('POST', `/kits/${kit}/take`, { body: {} })
    assert.deepEqual(Object.keys(taken.body), ['id', 'title', 'kitId'], taken.text)
    const whole = await ask('GET', `/parts/${taken.body.id}?fields=note`)
    assert.equal(whole.body.note, 'of code', 'code has and sets every field')
    assert.equal((await ask('DELETE', `/parts/${taken.body.id}`)).status, 204)
    const { data } = (await ask('GET', '/parts?_trash=only')).body
    assert.ok(data.length === 1 && !('note' in data[0]) && !('photo' in data[0]))
    assert.equal((await ask('GET', '/parts?_trash=only&fields=note')).body.data[0].note, 'of code')
  })

  it('is without them in events, and a change of them alone is none', async () => {
    const { position } = (await ask('GET', '/_changes?resources=parts')).body.meta
    const other = (await ask('POST', '/parts', { body: { title: 'event', note: 'one' } })).body.id
    await ask('PATCH', `/parts/${other}`, { body: { note: 'two' } })
    await ask('PATCH', `/parts/${other}`, { body: { title: 'last event' } })
    const seen: { type: string; record: object }[] = []
    for (let after = position; seen.length < 2; ) {
      const page = (await ask('GET', `/_changes?resources=parts&after=${after}&wait=20`)).body
      seen.push(...page.data)
      after = page.meta.position
    }
    const names = ['id', 'title', 'kitId']
    assert.deepEqual(
      seen.map(({ type, record }) => [type, Object.keys(record)]),
      [
        ['enter', names],
        ['change', names],
      ],
    )
    await ask('DELETE', `/parts/${other}`)
  })
})

describe('A request that names the field has it', () => {
  it('by fields, with an ETag of its own; below relations, in lines, in versions and differences', async () => {
    const get = await ask('GET', `/parts/${part}?fields=title,note`)
    assert.deepEqual(get.body, { id: part, title: 'lamp', note: 'kept' })
    assert.match(get.headers.get('etag') ?? '', /^"\d\..{16}"$/)
    const again = { 'if-none-match': get.headers.get('etag') ?? '' }
    assert.equal((await ask('GET', `/parts/${part}?fields=title,note`, { headers: again })).status, 304)
    assert.equal((await ask('GET', `/parts/${part}`, { headers: again })).status, 200)
    assert.equal((await ask('GET', '/parts?title=lamp&fields=photo')).body.data[0].photo.type, 'image/png')
    assert.equal((await ask('GET', `/kits/${kit}?fields=parts.note`)).body.parts[0].note, 'kept')
    assert.equal((await ask('GET', `/kits/${kit}?expand=parts(fields:note)`)).body.parts[0].note, 'kept')
    const lines = await service.ask('GET', '/api/v1/parts/export?fields=note', { key })
    assert.deepEqual(JSON.parse(lines.text), { id: part, note: 'kept' })
    const versions = (await ask('GET', `/parts/${part}/history?fields=historyVersion,note`)).body.data
    assert.equal(versions[0].note, 'kept')
    assert.ok(!('note' in (await ask('GET', `/parts/${part}/history`)).body.data[0]))
    const { fields } = (await ask('GET', `/parts/${part}/history/difference?from=2&to=3`)).body
    assert.deepEqual(fields, ['note'])
  })

  it('by GraphQL, by its own address, and by _sign', async () => {
    const { part: found } = await query(`{ part(id: "${part}") { title note photo { type } } }`)
    assert.deepEqual(found, { title: 'lamp', note: 'kept', photo: { type: 'image/png' } })
    assert.equal((await ask('GET', `/parts/${part}/photo`)).status, 200)
    const signed = await ask('GET', `/parts/${part}?_sign=photo`)
    assert.deepEqual(Object.keys(signed.body), ['id', 'title', 'kitId', 'photo'])
    assert.match(signed.body.photo.url, /token=|_token|\?/)
    assert.deepEqual(Object.keys((await ask('GET', `/parts/${part}?_sign=photo&fields=title`)).body), ['id', 'title'])
  })

  it('by a body, of a create, an upsert and a multipart form too', async () => {
    const made = await ask('POST', '/parts', { body: { title: 'made', note: 'sent' } })
    assert.deepEqual(Object.keys(made.body), ['id', 'title', 'kitId', 'note'])
    const put = await ask('PUT', '/parts?on=title', { body: { title: 'made', note: 'again' } })
    assert.equal(put.body.note, 'again')
    const form = new FormData()
    form.set('title', 'formed')
    form.set('photo', new Blob([png], { type: 'image/png' }), 'a.png')
    const reply = await fetch(`${service.url}/api/v1/parts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}` },
      body: form,
    })
    const formed = (await reply.json()) as { id: string }
    assert.deepEqual(Object.keys(formed), ['id', 'title', 'kitId', 'photo'])
    for (const one of [made.body, formed]) assert.equal((await ask('DELETE', `/parts/${one.id}`)).status, 204)
  })

  it('only where the caller may read it', async () => {
    const at = `/kits/${kit}`
    assert.equal((await ask('GET', `${at}?fields=price`)).status, 400)
    assert.equal((await ask('PATCH', at, { body: { price: '1' } })).status, 400)
    const { token } = await service.admin()
    assert.equal((await ask('PATCH', at, { body: { price: '1' }, token })).body.price, '1')
    const usual = await ask('GET', at, { token })
    assert.deepEqual([Object.keys(usual.body), usual.headers.get('etag')], [['id', 'title'], '"2"'])
  })
})

describe('A client that knows nothing of the field', () => {
  it('puts back what it was shown, imports an export, and the value stays', async () => {
    const { body } = await ask('GET', `/parts/${part}`)
    assert.equal((await ask('PUT', `/parts/${part}`, { body })).status, 200)
    const { text: lines } = await service.ask('GET', '/api/v1/parts/export', { key })
    const imported = await service.ask('POST', '/api/v1/parts/import', {
      key,
      raw: lines,
      type: 'application/x-ndjson',
    })
    assert.equal(imported.body.rejected, 0)
    const kept = (await ask('GET', `/parts/${part}?fields=note,photo`)).body
    assert.equal(kept.note, 'kept')
    assert.equal(kept.photo.width, 1)
    const cleared = await ask('PUT', `/parts/${part}`, { body: { ...body, note: null } })
    assert.equal(cleared.body.note, null)
    await ask('PATCH', `/parts/${part}`, { body: { note: 'kept' } })
  })

  it('gets the bytes of an application without it', async () => {
    bare = await startService(listed(makeParts({})))
    const ben = await bare.person()
    const asked = async ({ ask: send }: TestService, { token }: TestPerson) => {
      const made = await send('POST', '/api/v1/parts', { token, body: { title: 'same' } })
      const path = `/api/v1/parts/${made.body.id}`
      const replies = [
        made,
        await send('GET', path),
        await send('GET', '/api/v1/parts?title=same'),
        await send('PATCH', path, { token, body: { title: 'other' } }),
        await send('PUT', path, { token, body: { title: 'other', colour: 1 } }),
        await send('GET', '/api/v1/parts?fields=nothing'),
        await send('GET', '/api/v1/parts?sort=nothing'),
        await send('POST', '/api/v1/parts', { token, body: { title: 'a' }, type: 'text/plain' }),
        await send('DELETE', path, { token }),
      ]
      // Each start has its own word in the ETags of lists.
      const told = (name: string, headers: Headers) =>
        name === 'etag' ? headers.get(name)?.replace(/^"[\w-]{20}/, '"…') : headers.get(name)
      return replies.map(({ status, text, headers }) => [
        status,
        text.replaceAll(made.body.id, 'ID'),
        ...['etag', 'allow', 'accept-post', 'accept-patch', 'vary', 'cache-control', 'link'].map((name) =>
          told(name, headers),
        ),
      ])
    }
    assert.deepEqual(await asked(service, ann), await asked(bare, ben))
  })
})
