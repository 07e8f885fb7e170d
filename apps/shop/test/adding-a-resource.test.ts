/**
 * One file and one line add a resource, with REST, GraphQL, documents, storage and policy: this
 * test adds one to a copy of the shop.
 */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  type Ask,
  adminEmail,
  makeAsk,
  password,
  program,
  removeFolder,
  type ServerProcess,
  spawnServer,
  temporaryFolder,
} from './helpers/service.ts'

const declaration = `/** Things that do something. */
import { anyone, boolean, defineAction, defineResource, id, integer, money, role, text, timestamp, user } from 'bindery-server'

const fields = {
  id: id(),
  name: text({ required: true }),
  color: text(),
  cost: money({ default: 9.5, read: role('EDITOR') }),
  supplier: text({ read: role('EDITOR') }),
  loud: boolean({ default: false }),
  createdAt: timestamp({ setOn: 'create' }),
}

export const paint = defineAction(fields, {
  summary: 'Paint a gadget.',
  input: { color: text({ required: true, maxLength: 10 }), coats: integer({ min: 1, default: 1 }) },
  async run({ record, input, records, refuse }) {
    if (input.color === 'plaid') refuse('plaid cannot be painted')
    await records(gadgets).update(record.id, { color: \`\${input.color} x\${input.coats}\` })
  },
})

export const gadgets = defineResource({
  name: 'gadget',
  path: '/gadgets',
  fields,
  list: { style: 'page', sortable: ['name', 'cost', 'createdAt'], defaultSort: 'name', search: ['name', 'color'] },
  access: { list: anyone, get: anyone, create: role('EDITOR'), update: role('EDITOR'), delete: role('ADMIN'), paint: user },
  actions: { paint },
})
`
/** Adds the one line, and its import. */
function addLine(index: string): string {
  return index
    .replace(/^import /m, "import { gadgets } from './gadgets.ts'\nimport ")
    .replace('defineResources([', 'defineResources([\n  gadgets,')
}

const shopFolder = join(import.meta.dirname, '..')
const copy = temporaryFolder()
let server: ServerProcess
let ask: Ask
let admin: string
let person: string

async function tokenOf(email: string): Promise<string> {
  return (await ask('POST', '/auth/login', { body: { email, password } })).body.accessToken
}

before(async () => {
  for (const part of ['resources', 'package.json'])
    cpSync(join(shopFolder, part), join(copy, part), { recursive: true })
  symlinkSync(join(shopFolder, '../../node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'resources/gadgets.ts'), declaration)
  const index = join(copy, 'resources/index.ts')
  writeFileSync(index, addLine(readFileSync(index, 'utf8')))
  server = spawnServer({ command: [process.execPath, program, 'start'], cwd: copy })
  ask = makeAsk(await server.ready())
  admin = await tokenOf(adminEmail)
  assert.equal((await ask('POST', '/api/v1/users', { body: { email: 'u@example.com', password } })).status, 201)
  person = await tokenOf('u@example.com')
  for (const [name, cost, supplier] of [
    ['drill', 50, 'Acme'],
    ['anvil', 120.25, 'Acme'],
    ['comb', 3, 'Bolt'],
    ['bell', undefined, 'Bolt'],
  ] as const) {
    const reply = await ask('POST', '/api/v1/gadgets', {
      body: { name, cost, supplier, loud: name === 'bell' },
      token: admin,
    })
    assert.equal(reply.status, 201, reply.text)
    assert.equal(reply.headers.get('location'), `/api/v1/gadgets/${reply.body.id}`)
  }
})
after(async () => {
  await server.stop()
  removeFolder(copy)
})

const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name).join()
const listed: readonly (readonly [string, string])[] = [
  ['', 'anvil,bell,comb,drill'],
  ['sort=-cost', 'anvil,drill,bell,comb'],
  ['cost[lt]=50', 'bell,comb'],
  ['loud=true', 'bell'],
  ['name[in]=comb,drill&sort=-name', 'drill,comb'],
  ['q=dri', 'drill'],
  ['q=acm', ''],
  ['limit=2&page=2', 'comb,drill'],
]
for (const [query, expected] of listed) {
  test(`list ?${query}`, async () => {
    const { status, body, text } = await ask('GET', `/api/v1/gadgets?${query}`, { token: admin })
    assert.equal(status, 200, text)
    assert.equal(names(body), expected)
  })
}

test('a default is what the caller would have written', async () => {
  const { body } = await ask('GET', '/api/v1/gadgets?name=bell', { token: admin })
  assert.equal(body.data[0].cost, 9.5)
})

test('it is walked by cursor', async () => {
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await ask('GET', `/api/v1/gadgets?limit=1&sort=-name&cursor=${encodeURIComponent(cursor)}`)
    seen.push(names(body))
    cursor = body.meta.nextCursor
  }
  assert.deepEqual(seen, ['drill', 'comb', 'bell', 'anvil'])
})

test('its actions take input, and are checked', async () => {
  const { id } = (await ask('GET', '/api/v1/gadgets?name=comb')).body.data[0]
  const paint = (body: unknown, token?: string) => ask('POST', `/api/v1/gadgets/${id}/paint`, { body, token })
  const painted = await paint({ color: 'red', coats: 2 }, person)
  assert.equal(painted.status, 200, painted.text)
  assert.equal(painted.body.color, 'red x2')
  assert.equal(painted.body.supplier, undefined)
  assert.equal(
    (await paint({ color: 'blue' }, person)).body.color,
    'blue x1',
    'an input that is left out takes its default',
  )
  for (const [body, status, error] of [
    [{}, 400, 'color is required'],
    [{ color: 'red', coats: 0 }, 400, 'coats must be at least 1'],
    [{ color: 'red', gloss: true }, 400, 'Unknown field gloss'],
    [{ color: 'plaid' }, 409, 'plaid cannot be painted'],
  ] as const) {
    const refused = await paint(body, person)
    assert.deepEqual([refused.status, refused.body], [status, { error }])
  }
  assert.equal((await paint({ color: 'red' })).status, 401)
})

test('a field that a USER may not read does not exist for one, anywhere', async () => {
  for (const token of [person, undefined]) {
    const { body } = await ask('GET', '/api/v1/gadgets', { token })
    assert.deepEqual(Object.keys(body.data[0]), ['id', 'name', 'color', 'loud', 'createdAt'])
    for (const query of [
      'fields=supplier',
      'supplier=Acme',
      'supplier[contains]=A',
      'cost[gt]=1',
      'sort=cost',
      'sort=-supplier',
      'nosuch=Acme',
      'fields=nosuch',
      'sort=nosuch',
    ]) {
      const hidden = await ask('GET', `/api/v1/gadgets?${query}`, { token })
      assert.equal(hidden.status, 400, query)
      const absent = await ask('GET', `/api/v1/gadgets?${query.replace(/supplier|cost/, 'nosuch')}`, { token })
      assert.equal(hidden.text.replace(/supplier|cost/g, 'nosuch'), absent.text)
      assert.doesNotMatch(absent.text, /supplier|cost/)
    }
    assert.equal(
      names((await ask('GET', '/api/v1/gadgets?q=acm', { token })).body),
      '',
      'q does not find by what is not seen',
    )
    assert.equal(names((await ask('GET', '/api/v1/gadgets?q=anv', { token })).body), 'anvil')
  }
})

test('it is in GraphQL, with the same rules', async () => {
  const run = (query: string, token?: string) => ask('POST', '/graphql', { body: { query }, token })
  const made = await run('mutation { createGadget(input: { name: "lamp", supplier: "Coil" }) { id name cost } }', admin)
  assert.equal(made.body.data?.createGadget?.cost, 9.5, made.text)
  const { id } = made.body.data.createGadget as { id: string }
  const one = await run(`{ gadget(id: "${id}") { name loud } }`)
  assert.deepEqual(one.body.data, { gadget: { name: 'lamp', loud: false } })
  const hidden = await run(`{ gadget(id: "${id}") { name supplier } }`, person)
  assert.doesNotMatch(hidden.text, /Coil/)
  assert.equal(hidden.body.data?.gadget?.supplier ?? null, null)
  const painted = await run(`mutation { paintGadget(id: "${id}", input: { color: "red" }) { color } }`, person)
  assert.deepEqual(painted.body.data, { paintGadget: { color: 'red x1' } }, painted.text)
  assert.equal(
    (await run(`mutation { deleteGadget(id: "${id}") { id } }`, person)).body.errors?.[0]?.extensions?.code,
    'FORBIDDEN',
  )
})

test('it is in the document of the interface', async () => {
  const { status, body } = await ask('GET', '/openapi.json')
  assert.equal(status, 200)
  for (const path of ['/api/v1/gadgets', '/api/v1/gadgets/{id}', '/api/v1/gadgets/{id}/paint'])
    assert.ok(body.paths[path], path)
  assert.ok(body.components.schemas.Gadget)
})
