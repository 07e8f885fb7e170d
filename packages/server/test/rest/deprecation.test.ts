/**
 * Deprecations appear in headers and in both documents, and a wrong one in a declaration stops the
 * start. Also: headers of rate limits.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, defineResource, id, text } from 'bindery-server'
import { startService, type TestService } from 'bindery-server/test'
import { printSdl } from '../../src/graphql/schema/print-sdl.ts'
import { mistakesOf, thing } from '../mistakes/declaring.ts'

const page = { style: 'page', sortable: ['id'] } as const
const note = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    title: text({ required: true }),
    label: text({ deprecated: { since: '2026-01-01', use: 'title' } }),
    head: text({ required: true, default: 'none', deprecated: { since: '2026-02-01' } }),
  },
  list: page,
  access: { list: anyone, get: anyone, create: anyone, delete: anyone },
  deprecatedOperations: {
    list: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com/notes', use: 'get' },
    delete: { since: '2026-03-01' },
  },
})
const memo = defineResource({
  name: 'memo',
  path: '/memos',
  fields: { id: id() },
  list: page,
  access: { list: anyone },
  deprecated: { since: '2025-06-01', use: 'note' },
})

const pin = defineResource({
  name: 'pin',
  path: '/pins',
  fields: { id: id(), code: text({ required: true, unique: true }) },
  list: { style: 'page', bulk: true },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  upsert: ['code'],
  deprecated: { since: '2026-01-01', sunset: '2027-01-01', use: 'note' },
})

test('whatever is done to a resource on its way out says so, in the document and in its answers', async (t) => {
  const service = await startService([note, pin])
  t.after(() => service.stop())
  const { paths } = (await service.ask('GET', '/openapi.json')).body
  type Documented = { readonly deprecated?: boolean; readonly description: string }
  const operations = Object.entries(paths as Record<string, Record<string, Documented>>)
    .filter(([path]) => path.includes('/pins'))
    .flatMap(([path, item]) => Object.entries(item).map(([method, one]) => ({ at: `${method} ${path}`, one })))
    .filter(({ one }) => one.description !== undefined && !Array.isArray(one))
  assert.ok(operations.length >= 10, String(operations.length))
  for (const { at, one } of operations) {
    assert.equal(one.deprecated, true, at)
    assert.match(one.description, /Deprecated since 2026-01-01, gone from 2027-01-01; use note\./, at)
  }
  const put = await service.ask('PUT', '/api/v1/pins?on=code', { body: { code: 'a' } })
  const some = await service.ask('DELETE', '/api/v1/pins?code=b&limit=1')
  for (const { headers } of [put, some]) assert.equal(headers.get('deprecation'), '@1767225600')
  const operation = { method: 'GET', path: `/pins/${put.body.id}` }
  const batch = await service.ask('POST', '/api/v1/batch', { body: { operations: [operation] } })
  assert.deepEqual(batch.body.data[0].headers, {
    ETag: '"1"',
    Deprecation: '@1767225600',
    Sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
  })
})

describe('deprecation and rate limits', () => {
  let service: TestService
  before(async () => {
    service = await startService([note, memo], { env: { CORS_ORIGINS: 'https://app.example', RATE_LIMIT: '12/1m' } })
  })
  after(() => service.stop())

  test('headers, on refusals too, and beside the links of the answer', async () => {
    const list = await service.ask('GET', '/api/v1/notes', { headers: { origin: 'https://app.example' } })
    assert.equal(list.headers.get('deprecation'), '@1767225600')
    assert.equal(list.headers.get('sunset'), 'Fri, 01 Jan 2027 00:00:00 GMT')
    const link = list.headers.get('link') ?? ''
    assert.ok(link.startsWith('<https://example.com/notes>; rel="deprecation"; type="text/html", <'), link)
    assert.match(
      list.headers.get('access-control-expose-headers') ?? '',
      /RateLimit, RateLimit-Policy, Deprecation, Sunset/,
    )
    const refused = await service.ask('DELETE', '/api/v1/notes/1')
    assert.deepEqual([refused.status, refused.headers.get('deprecation')], [404, '@1772323200'])
    assert.equal((await service.ask('GET', '/api/v1/memos')).headers.get('deprecation'), '@1748736000')
    const other = await service.ask('POST', '/api/v1/notes', { body: { title: 'A', head: 'B' } })
    assert.deepEqual([other.status, other.headers.get('deprecation'), other.headers.get('sunset')], [201, null, null])
  })

  test('both documents', async () => {
    const { paths, components } = (await service.ask('GET', '/openapi.json')).body
    assert.equal(paths['/api/v1/notes'].get.deprecated, true)
    assert.match(paths['/api/v1/notes'].get.description, /Deprecated since 2026-01-01, gone from 2027-01-01; use get\./)
    assert.equal(paths['/api/v1/notes'].post.deprecated, undefined)
    assert.equal(paths['/api/v1/memos'].get.deprecated, true)
    assert.equal(components.schemas.Note.properties.label.deprecated, true)
    assert.equal(components.schemas.Note.properties.title.deprecated, undefined)
    assert.match(components.schemas.Note.properties.label.description, /Deprecated since 2026-01-01; use title\./)
    assert.equal(components.schemas.NoteCreate.properties.label.deprecated, true)
    const { catalog, settings } = service.service.engine
    const sdl = printSdl(catalog, settings)
    const reason = '@deprecated(reason: "Deprecated since 2026-01-01; use title.")'
    assert.equal(sdl.split(`label: String ${reason}`).length, 3)
    assert.match(sdl, /head: String! @deprecated/)
    assert.doesNotMatch(/input CreateNoteInput \{[^}]*\}/.exec(sdl)?.[0] ?? '', /head: \w+! @deprecated/)
    assert.match(sdl, /memos\([^)]*\): MemoList! @deprecated/)
  })

  test('what is left of a rate, until none is, with a bad credential too', async () => {
    const left: number[] = []
    for (let i = 0; i < 9; i += 1) {
      const { status, headers } = await service.ask('GET', '/api/v1/notes', i === 0 ? { token: 'bad' } : {})
      assert.equal(headers.get('ratelimit-policy'), '"rate";q=12;w=60')
      const [, remaining, seconds] = /^"rate";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
      left.push(Number(remaining))
      assert.ok(Number(seconds) > 0 && Number(seconds) <= 60)
      assert.equal(status, i === 0 ? 401 : i === 8 ? 429 : 200)
      if (status === 429) assert.equal(headers.get('retry-after'), seconds)
    }
    assert.deepEqual(left, [7, 6, 5, 4, 3, 2, 1, 0, 0])
  })
})

test('mistakes in a declaration are found at start', () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ deprecated: { sunset: '2027-01-01' } }, 'thing: deprecated: needs since'],
    [
      { deprecated: { since: '2026-02-30' } },
      'thing: deprecated.since: must be a day such as 2026-01-01, and is "2026-02-30"',
    ],
    [
      { deprecated: { since: '2026-02-01', sunset: '2026-01-01' } },
      'thing: deprecated: sunset 2026-01-01 is before since 2026-02-01',
    ],
    [
      { deprecated: { since: '2026-02-01', until: '2027-01-01' } },
      'thing: deprecated: no member "until"; there are since, sunset, link, use',
    ],
    [
      { deprecated: { since: '2026-02-01', link: 'javascript:x' } },
      'thing: deprecated.link: must be an address such as https://example.com/changes, and is "javascript:x"',
    ],
    [
      { deprecated: { since: '2026-02-01', use: 'thin' } },
      'thing: deprecated.use: "thin", which is not in the list of resources; did you mean "thing"?',
    ],
    [
      { deprecatedOperations: { lst: { since: '2026-02-01' } } },
      'thing: deprecatedOperations.lst: access has no "lst"; did you mean "list"?',
    ],
    [
      { fields: { old: text({ deprecated: { since: '2026-02-01', use: 'nam' } }) } },
      'thing: field "old": deprecated.use: no field "nam"; did you mean "name"?',
    ],
  ]
  for (const [change, mistake] of wrong) assert.deepEqual(mistakesOf([thing(change as never)]), [mistake])
})
