/** UUIDs, URLs and texts of a pattern by every door: stored in one form, and refused alike. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, defineResource, id, text, url, uuid } from '../../src/index.ts'
import { type Ask, startService, type TestService } from '../../src/testing/index.ts'

const sites = defineResource({
  name: 'site',
  path: '/sites',
  fields: {
    id: id(),
    code: text({ required: true, unique: true, pattern: /[A-Z]{2}\d{2}/, description: 'Two letters, two digits.' }),
    key: uuid({ default: 'random', unique: true }),
    other: uuid(),
    home: url({ unique: true }),
  },
  list: {
    style: 'page',
    sortable: ['key', 'home'],
    filterable: ['code', 'key', 'other', 'home'],
    defaultSort: 'home',
  },
  upsert: ['code'],
  access: {
    list: anyone,
    get: anyone,
    create: anyone,
    update: anyone,
    replace: anyone,
    import: anyone,
    export: anyone,
  },
  graphql: { query: { sites: 'list' }, mutation: { createSite: 'create' } },
})

let service: TestService
let ask: Ask
before(async () => {
  service = await startService([sites])
  ask = service.ask
})
after(() => service.stop())

const path = '/api/v1/sites'
const given = '01987C5E-7c1f-4a3b-9d42-3f5a6b7c8d9e'
const canonical = given.toLowerCase()

describe('text types', () => {
  it('store one form, whichever was sent', async () => {
    const made = await ask('POST', path, { body: { code: 'AB01', other: given, home: 'HTTPS://Müller.example' } })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.other, made.body.home], [canonical, 'https://xn--mller-kva.example/'])
    assert.match(made.body.key, /^[\da-f-]{14}4/)
    const same = await ask('POST', path, { body: { code: 'AB02', home: 'https://xn--mller-kva.example' } })
    assert.equal(same.status, 409, same.text)
    const put = await ask('PUT', `${path}/${made.body.id}`, { body: { code: 'AB01' } })
    assert.deepEqual([put.status, put.body.key, put.body.home], [200, made.body.key, null], put.text)
  })

  it('refuse by each door with the same sentence', async () => {
    const sentence = 'code must match [A-Z]{2}\\d{2}, such as AA00: Two letters, two digits.'
    const [found] = (await ask('GET', path)).body.data
    const answers = [
      await ask('POST', path, { body: { code: 'ab01' } }),
      await ask('PATCH', `${path}/${found.id}`, { body: { code: 'ab01' } }),
    ]
    for (const one of answers) assert.deepEqual([one.status, one.body.error], [400, sentence])
    const raw = ['{"code":"ab01"}', '{"code":"AB03","home":"/page"}', '{"code":"AB04","other":"{x}"}'].join('\n')
    const imported = await ask('POST', `${path}/import`, { raw, type: 'application/x-ndjson' })
    assert.ok(imported.text.includes(JSON.stringify(sentence).slice(1, -1)), imported.text)
    assert.match(imported.text, /home must be an absolute URL/)
    assert.match(imported.text, /other must be a UUID without braces/)
    const query = 'mutation ($code: String!) { createSite(input: { code: $code, home: "x" }) { id } }'
    const asked = await ask('POST', '/graphql', { body: { query, variables: { code: 'AB05' } } })
    assert.match(asked.text, /home must be an absolute URL/)
  })

  it('are found by filters in any form, in pages, and in files', async () => {
    for (const [code, home] of [
      ['CD01', 'https://a.example/x'],
      ['CD02', 'https://a.example/X'],
      ['CD03', 'https://b.example/'],
    ])
      assert.equal((await ask('POST', path, { body: { code, home, other: canonical } })).status, 201)
    const codes = async (query: string) =>
      (await ask('GET', `${path}?${query}`)).body.data.map(({ code }: { code: string }) => code)
    assert.deepEqual(await codes('home=HTTPS://A.example/x'), ['CD01'])
    assert.deepEqual(await codes('home[contains]=a.example/&sort=home'), ['CD02', 'CD01'])
    assert.deepEqual(await codes(`other[in]=${given}&sort=-home`), ['CD03', 'CD01', 'CD02'])
    assert.deepEqual(await codes(`filter=${encodeURIComponent(JSON.stringify({ other: { eq: given } }))}&limit=1`), [
      'CD02',
    ])
    assert.deepEqual(await codes('code=zz'), [])
    assert.equal((await codes('sort=key')).length, 4)
    const refused = await ask('GET', `${path}?other=x`)
    assert.equal(refused.body.error, 'other must be a UUID such as 01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e')
    assert.equal((await ask('GET', `${path}?other[gt]=${given}`)).status, 400)
    const query = '{ sites(filter: { home: { eq: "https://B.example" } }) { data { code other } } }'
    const asked = await ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(asked.body.data?.sites.data, [{ code: 'CD03', other: canonical }], asked.text)
    const exported = await ask('GET', `${path}/export`)
    assert.match(exported.text, /CD02.*https:\/\/a\.example\/X/)
  })

  it('are in OpenAPI', async () => {
    const { body } = await ask('GET', '/openapi.json')
    const { SiteCode, SiteHome, SiteKey } = body.components.schemas
    assert.equal(SiteCode.pattern, '^(?:[A-Z]{2}\\d{2})$')
    assert.match(JSON.stringify(SiteHome), /"format":"uri"/)
    assert.match(JSON.stringify(SiteKey), /"format":"uuid"/)
  })
})
