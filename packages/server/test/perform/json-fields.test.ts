/** JSON values through every door: the same bytes go in and come out, on both databases. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, defineResource, id, json, text } from '../../src/index.ts'
import type { StandardSchema } from '../../src/resource/fields/nested/standard-schema.ts'

type Address = { readonly zip: string; readonly city?: string }

/** As a library would make it. */
const address: StandardSchema<unknown, Address> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const { zip, city } = value as Record<string, unknown>
      const issues = [
        ...(typeof zip === 'string' && /^\d{5}$/.test(zip) ? [] : [{ message: 'must have 5 digits', path: ['zip'] }]),
        ...(city === undefined || typeof city === 'string'
          ? []
          : [{ message: 'Invalid input', path: [{ key: 'city' }] }]),
      ]
      if (issues.length > 0) return { issues }
      return { value: { zip: String(zip), ...(city === undefined ? {} : { city: String(city).trim() }) } }
    },
    jsonSchema: {
      input: () => ({ $schema: 'x', type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] }),
    },
  },
}

const members = defineResource({
  name: 'member',
  plural: 'members',
  path: '/members',
  fields: {
    id: id(),
    name: text({ required: true, unique: true }),
    settings: json({ default: { theme: 'light' } }),
    address: json({ schema: address }),
    zip: text({ readOnly: true }),
    extra: json({ bytesMax: 20 }),
    made: json({ readOnly: true }),
  },
  onWrite: { made: ({ name }) => ({ n: name, a: -0 }), zip: ({ address }) => address?.zip ?? null },
  list: { style: 'page', sortable: ['name'], filterable: ['settings', 'name'], defaultSort: 'name', bulk: true },
  upsert: ['name'],
  access: {
    ...{ list: anyone, get: anyone, create: anyone, replace: anyone, import: anyone, export: anyone },
    ...{ update: anyone, delete: anyone },
  },
})

const at = '/api/v1/members'
let service: TestService
before(async () => {
  service = await startService([members])
})
after(() => service.stop())

async function make(body: Record<string, unknown>): Promise<{ id: string; settings: unknown }> {
  const made = await service.ask('POST', at, { body })
  assert.equal(made.status, 201, made.text)
  return made.body
}

const values = [
  '{"b":1,"a":{"d":null,"c":[1,2.5,-0.001]}}',
  '"text"',
  '7',
  '1.0',
  '-0',
  '1e-300',
  '9007199254740991',
  '0.30000000000000004',
  'true',
  '[]',
  '{}',
  '[null,{"":"é😀\\u2028\\"\\\\"}]',
  `${'['.repeat(30)}1${']'.repeat(30)}`,
]
const canonical = (text: string) =>
  JSON.stringify(JSON.parse(text), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )

test('a value comes back in its canonical form, at once and later', async () => {
  for (const [n, sent] of values.entries()) {
    const made = await service.ask('POST', at, { raw: `{"name":"v${n}","settings":${sent}}`, type: 'application/json' })
    assert.equal(made.status, 201, made.text)
    for (const { text: shown } of [made, await service.ask('GET', `${at}/${made.body.id}`)])
      assert.ok(shown.includes(`"settings":${canonical(sent)},`), `${sent}: ${shown}`)
  }
})

test('a PATCH replaces the whole value', async () => {
  const made = await make({ name: 'p', settings: { b: { c: 2 }, a: 1 } })
  const shown = await service.ask('GET', `${at}/${made.id}`)
  assert.equal(JSON.stringify(shown.body.made), '{"a":0,"n":"p"}')
  const changed = await service.ask('PATCH', `${at}/${made.id}`, { body: { settings: { b: { d: 4 } } } })
  assert.deepEqual(changed.body.settings, { b: { d: 4 } })
  const cleared = await service.ask('PATCH', `${at}/${made.id}`, { body: { settings: null } })
  assert.deepEqual(cleared.body.settings, { theme: 'light' })
})

test('a schema says what is wrong, each with its path, and its value is stored', async () => {
  const wrong = await service.ask('POST', at, {
    body: { name: 's', address: { zip: 'x', city: 1 } },
    headers: { accept: 'application/problem+json' },
  })
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.detail, 'address.zip must have 5 digits')
  assert.deepEqual(wrong.body.errors, [
    { pointer: '#/address/zip', detail: 'address.zip must have 5 digits' },
    { pointer: '#/address/city', detail: 'address.city: Invalid input' },
  ])
  const made = await service.ask('POST', at, { body: { name: 's', address: { zip: '12345', city: ' Ulm ', x: 1 } } })
  assert.deepEqual([made.body.address, made.body.zip], [{ city: 'Ulm', zip: '12345' }, '12345'])
  assert.equal(made.body.extra, null)
  const { body } = await service.ask('GET', '/openapi.json')
  const shown = JSON.stringify(body.components.schemas)
  assert.match(shown, /"required":\["zip"\]/)
})

test('GraphQL has the scalar JSON, in variables and in the document', async () => {
  const ask = async (query: string, variables = {}) =>
    (await service.ask('POST', '/graphql', { body: { query, variables } })).body
  const mutation = 'mutation ($of: JSON) { createMember(input: { name: "g1", settings: $of }) { settings } }'
  const byVariable = await ask(mutation, { of: { b: [1], a: 'x' } })
  assert.equal(JSON.stringify(byVariable.data), '{"createMember":{"settings":{"a":"x","b":[1]}}}')
  const literal = await ask(
    'mutation ($n: JSON) { createMember(input: { name: "g2", settings: { b: $n, a: [1.5, null] } }) { settings } }',
    { n: 3 },
  )
  assert.equal(JSON.stringify(literal.data), '{"createMember":{"settings":{"a":[1.5,null],"b":3}}}')
  const big = await ask('mutation { createMember(input: { name: "g3", settings: [1e400] }) { id } }')
  assert.match(big.errors[0].message, /1e400 is too large a number/)
  const found = await ask('{ members(filter: { settings: { null: true } }) { data { name } } }')
  assert.deepEqual(found.data.members.data, [])
})

test('what is exported is imported again, and a filter asks for null', async () => {
  const file = (await service.ask('GET', `${at}/export`)).text
  const lines = file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const raw = lines.map(({ name, settings }) => JSON.stringify({ name: `${name}-2`, settings })).join('\n')
  const reply = await service.ask('POST', `${at}/import`, { raw, type: 'application/x-ndjson' })
  assert.equal(reply.body.created, lines.length, reply.text)
  const none = await service.ask('GET', `${at}?settings[null]=true`)
  assert.equal(none.body.data.length, 0)
  const all = await service.ask('GET', `${at}?settings[null]=false&limit=1`)
  assert.equal(all.body.meta.total, 2 * lines.length)
})

test('a value that is no JSON is refused', async () => {
  for (const [settings, error] of [
    ['1e400', /1e400 is too large a number/],
    ['12345678901234567890', /beyond what a JSON number holds exactly/],
    ['{"__proto__":1}', /The key __proto__ is not allowed/],
    ['{"a":1,"a":2}', /The key a occurs twice/],
    [`${'['.repeat(40)}${']'.repeat(40)}`, /nested deeper than 32 levels/],
    [JSON.stringify('x'.repeat(65_536)), /settings must be at most 65536 bytes as JSON/],
  ] as const) {
    const reply = await service.ask('POST', at, {
      raw: `{"name":"r","settings":${settings}}`,
      type: 'application/json',
    })
    assert.equal(reply.status, 400, settings)
    assert.match(reply.body.error, error)
  }
})
