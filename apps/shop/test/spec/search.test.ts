/**
 * `q`: every word must begin a word of some searched field, ignoring case and accents by Unicode;
 * no character in it is special.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, queryOf } from '../helpers/catalogue.ts'
import {
  check,
  checkReply,
  type Scenario,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
const at = '/api/v1/products'

/** name, description, category */
const rows: [string, string | null, string | null][] = [
  ['Crème Brûlée', 'A dessert with burnt sugar', 'Sweets'],
  ['Straße map', null, null],
  ['ΣΊΣΥΦΟΣ stone', 'Ὀδυσσεύς', null],
  ['İstanbul guide', null, 'Travel'],
  ['Чай чёрный', 'байховый', 'Ёлка'],
  ['東京タワー 模型', null, null],
  ['한국 인삼', null, null],
  ['100% cotton_shirt', 'size "L" * special', 'a\\b'],
  ['Wi-Fi router', 'fast, cheap; (new)', "O'Neil"],
  ['ﬁne ＡＢＣ', null, null],
  ['🛋️ sofa', 'x', null],
  ['Ångström Ørsted', null, null],
  ['C++ and C#', 'AND OR NOT NEAR', null],
  ['naı̈ve', 'e\u0301clair', null],
]

before(async () => {
  service = await startService()
  admin = await service.admin()
  await importProducts(
    service,
    rows.map(([name, description, category]) => ({ name, description, category, price: 1 })),
  )
})
after(() => service.stop())

async function namesBy(q: string): Promise<string[]> {
  const reply = await service.ask('GET', `${at}${queryOf({ q, sort: 'createdAt', limit: '100' })}`)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.meta.total, reply.body.data.length)
  return reply.body.data.map((product: { name: string }) => product.name)
}

const all = rows.map(([name]) => name)
const cases: [string, string[]][] = [
  ['creme', ['Crème Brûlée']],
  ['CRÈME', ['Crème Brûlée']],
  ['cre\u0300me', ['Crème Brûlée']],
  ['cr', ['Crème Brûlée']],
  ['c', ['Crème Brûlée', '100% cotton_shirt', 'Wi-Fi router', 'C++ and C#']],
  ['reme', []],
  ['rème', []],
  ['brulee creme', ['Crème Brûlée']],
  ['creme sweets', ['Crème Brûlée']],
  ['creme burnt sweets sugar', ['Crème Brûlée']],
  ['creme nothing', []],
  ['  creme \t\n brulee  ', ['Crème Brûlée']],
  ['creme\u00a0brulee', ['Crème Brûlée']],
  ['brûléé', ['Crème Brûlée']],
  ['crèmebrûlée', []],
  ['strasse', ['Straße map']],
  ['STRASSE', ['Straße map']],
  ['straße', ['Straße map']],
  ['straẞe', ['Straße map']],
  ['stras', ['Straße map']],
  ['σίσυφος', ['ΣΊΣΥΦΟΣ stone']],
  ['ΣΙΣΥΦΟΣ', ['ΣΊΣΥΦΟΣ stone']],
  ['σισυφοσ', ['ΣΊΣΥΦΟΣ stone']],
  ['σισ', ['ΣΊΣΥΦΟΣ stone']],
  ['οδυσσευς', ['ΣΊΣΥΦΟΣ stone']],
  ['istanbul', ['İstanbul guide']],
  ['ISTANBUL', ['İstanbul guide']],
  ['İSTANBUL', ['İstanbul guide']],
  ['i̇stanbul', ['İstanbul guide']],
  ['чай', ['Чай чёрный']],
  ['ЧАЙ', ['Чай чёрный']],
  ['ЧЕРНЫЙ', ['Чай чёрный']],
  ['чёр', ['Чай чёрный']],
  ['елка', ['Чай чёрный']],
  ['айховый', []],
  ['東', ['東京タワー 模型']],
  ['東京', ['東京タワー 模型']],
  ['東京タワー', ['東京タワー 模型']],
  ['模', ['東京タワー 模型']],
  ['京', []],
  ['한국', ['한국 인삼']],
  ['인', ['한국 인삼']],
  ['국', []],
  ['100%', ['100% cotton_shirt']],
  ['%', ['100% cotton_shirt']],
  ['%%', []],
  ['_', ['100% cotton_shirt']],
  ['cotton_', ['100% cotton_shirt']],
  ['cotton_shirt', ['100% cotton_shirt']],
  ['cotton%shirt', []],
  ['c_tton', []],
  ['cotton*', []],
  ['*', ['100% cotton_shirt']],
  ['"', ['100% cotton_shirt']],
  ['"l"', ['100% cotton_shirt']],
  ['"creme', []],
  ['\\', ['100% cotton_shirt']],
  ['a\\b', ['100% cotton_shirt']],
  ['wi-fi', ['Wi-Fi router']],
  ['fi', ['Wi-Fi router', 'ﬁne ＡＢＣ']],
  ['-fi', ['Wi-Fi router']],
  ['(new)', ['Wi-Fi router']],
  ["o'n", ['Wi-Fi router']],
  ["'", ['Wi-Fi router']],
  ['fine abc', ['ﬁne ＡＢＣ']],
  ['🛋️', ['🛋️ sofa']],
  ['🛋', ['🛋️ sofa']],
  ['angstrom', ['Ångström Ørsted']],
  ['ångström', ['Ångström Ørsted']],
  ['c++', ['C++ and C#']],
  ['c#', ['C++ and C#']],
  ['AND', ['C++ and C#']],
  ['OR', ['C++ and C#']],
  ['not near', ['C++ and C#']],
  ['creme OR strasse', []],
  ['name:creme', []],
  ['eclair', ['naı̈ve']],
  ['éclair', ['naı̈ve']],
  ['search', []],
  ["' OR 1=1 --", []],
  ['', all],
  ['   ', all],
]

test('what each q finds', async (t) => {
  for (const [q, found] of cases) {
    await t.test(JSON.stringify(q), async () => assert.deepEqual(await namesBy(q), found))
  }
})

test('q combines with filters, sort and pages, and follows changes', async () => {
  const { ask } = service
  const editor = await service.person('EDITOR')
  const made = await ask('POST', at, {
    body: { name: 'Quill pen', price: 900, category: 'Office' },
    token: editor.token,
  })
  const path = `${at}/${made.body.id}`
  const total = async (query: string) => (await ask('GET', `${at}?${query}`)).body.meta.total
  assert.equal(await total('q=quill&minPrice=900'), 1)
  assert.equal(await total('q=quill&minPrice=901'), 0)
  assert.equal(await total('q=quill&category=Office&inStock=true'), 1)
  assert.equal(await total('q=c&limit=2&page=2'), 4)
  await ask('PATCH', path, { body: { name: 'Feather' }, token: editor.token })
  assert.equal(await total('q=quill'), 0)
  assert.equal(await total('q=feather+office'), 1)
  await ask('PATCH', path, { body: { category: null, description: 'Goose' }, token: editor.token })
  assert.equal(await total('q=office'), 0)
  assert.equal(await total('q=goose'), 1)
  await ask('PATCH', path, { body: { price: 5 }, token: editor.token })
  assert.equal(await total('q=goose'), 1)
  await ask('DELETE', path, { token: editor.token })
  assert.equal(await total('q=goose'), 0)
})

test('its length: 256 characters', async (t) => {
  const scenario = (it: string, q: string, status: number): Scenario => ({
    it,
    ask: `GET ${at}${queryOf({ q })}`,
    status,
    ...(status === 400 ? { says: 'q must be at most 256 characters' } : {}),
  })
  await check(t, service.ask, [
    scenario('256', 'x'.repeat(256), 200),
    scenario('257', 'x'.repeat(257), 400),
    scenario('256 outside the first plane', '𝒳'.repeat(256), 200),
    scenario('257 outside the first plane', '𝒳'.repeat(257), 400),
    scenario('128 words', 'x '.repeat(128), 200),
    scenario('256 blanks', ' '.repeat(256), 200),
    scenario('257 blanks', ' '.repeat(257), 400),
    { it: 'NUL', ask: `GET ${at}?q=a%00b`, status: 400 },
    { it: 'half a surrogate pair', ask: `GET ${at}?q=%ED%A0%BD`, status: 400 },
    { it: 'twice', ask: `GET ${at}?q=a&q=b`, status: 400, says: 'q' },
  ])
  const long = 'ß'.repeat(200)
  assert.deepEqual(await namesBy(long), [])
})

test('q looks into nothing that is hidden, and exists only where something is searched', async () => {
  const { ask } = service
  const total = async (q: string) => (await ask('GET', `/api/v1/users?q=${q}`, { token: admin.token })).body.meta.total
  await service.person()
  assert.equal(await total('admin'), 1)
  for (const secret of ['argon2', '%24argon2id', 'ADMIN%20ACTIVE', 'EDITOR', 'correct'])
    assert.equal(await total(secret), 0, secret)
  for (const path of ['/api/v1/api-keys', '/api/v1/sessions', '/api/v1/orders']) {
    checkReply(
      { status: 400, error: 'Unknown query parameter q' },
      await ask('GET', `${path}?q=x`, { token: admin.token }),
    )
  }
  checkReply({ status: 400, error: 'Unknown query parameter q' }, await ask('GET', '/books?q=x'))
})

test('q on what only some may see', async () => {
  const { ask } = service
  const [a, b, c] = [await service.person(), await service.person(), await service.person()]
  await ask('POST', '/messages', { body: { recipientId: b.id, text: 'Geheimnis über Käse' }, token: a.token })
  await ask('POST', '/api/v1/posts', { body: { title: 'Geheimnis', published: false }, token: a.token })
  const count = async (path: string, token?: string) =>
    (await ask('GET', `${path}?q=geheim`, { token })).body.data.length
  assert.equal(await count('/messages', a.token), 1)
  assert.equal(await count('/messages', b.token), 1)
  assert.equal(await count('/messages', c.token), 0)
  assert.equal(await count('/api/v1/posts', a.token), 1)
  assert.equal(await count('/api/v1/posts', b.token), 0)
  assert.equal(await count('/api/v1/posts'), 0)
})
