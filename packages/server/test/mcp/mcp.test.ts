/**
 * `/mcp` with the official client over HTTP: the tools that each kind of caller gets and may call,
 * and the refused calls.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'

type Credential = Readonly<Record<string, string>>
type Answer = { readonly isError: boolean; readonly text: string; readonly value: ReturnType<typeof JSON.parse> }
type Agent = {
  readonly server: string | undefined
  readonly names: readonly string[]
  use(name: string, given?: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

async function connect({ url }: TestService, headers: Credential = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }) as never)
  const { tools } = await client.listTools()
  return {
    server: client.getServerVersion()?.name,
    names: tools.map(({ name }) => name),
    async use(name, given = {}) {
      const { content, isError } = await client.callTool({ name, arguments: given })
      const { text } = (content as { text: string }[])[0] as { text: string }
      return { isError: isError === true, text, value: JSON.parse(text) }
    },
    close: () => client.close(),
  }
}
const bearer = ({ token }: TestPerson): Credential => ({ authorization: `Bearer ${token}` })
const reading = ['describe', 'list', 'get']
const writing = ['create', 'update', 'delete', 'act', 'batch']
const all = [...reading, ...writing]

describe('/mcp', () => {
  let library: TestService
  let reader: TestService
  let member: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  const agents: Agent[] = []
  const agent = async (headers: Credential = {}, service = library) => {
    const made = await connect(service, headers)
    agents.push(made)
    return made
  }
  before(async () => {
    library = await startService({ MCP: 'write' })
    reader = await startService({ LOG_LEVEL: 'warn' })
    member = await library.person('USER')
    editor = await library.person('EDITOR')
    admin = await library.admin()
    for (let i = 0; i < 30; i += 1) await library.make('edition', { title: `Edition ${i}`, price: i })
    for (let i = 0; i < 30; i += 1) await library.make('shelf', { label: `Shelf ${i}`, room: 'A' })
    await library.make('letter', { text: 'for nobody here' })
  })
  after(async () => {
    await Promise.all(agents.map((one) => one.close()))
    await library.stop()
    await reader.stop()
  })

  test('anyone: what is open, and nothing else exists', async () => {
    const { names, use } = await agent()
    assert.deepEqual(
      names,
      all.filter((name) => name !== 'act'),
    ) // no action is open to anyone
    const { value: offered } = await use('describe')
    assert.ok(offered.shelves.includes('create shelves'))
    assert.deepEqual([offered.you, offered.editions], [null, ['list editions', 'get editions/{id}']])
    assert.equal(offered.letters, undefined)
    const { value: editions } = await use('describe', { resource: 'editions' })
    assert.ok(editions.fields.title && !editions.fields.cost && !editions.create)
    assert.ok(editions.list.filters.includes('minPrice') && !editions.list.sort.includes('cost'))
    const hidden = await use('describe', { resource: 'letters' })
    assert.deepEqual([hidden.isError, hidden.value.status], [true, 404])
    assert.deepEqual((await use('list', { path: 'letters' })).value, { status: 401, error: 'Token required' })
    assert.deepEqual((await use('create', { path: 'editions', values: { title: 'x', price: 1 } })).value.status, 401)
    assert.equal((await use('list', { path: 'editions', query: { sort: 'cost' } })).value.status, 400)
  })

  test('lists are bounded and take what REST takes', async () => {
    const { use } = await agent()
    assert.equal((await use('list', { path: 'editions' })).value.data.length, 20)
    assert.equal((await use('list', { path: '/shelves' })).value.data.length, 20)
    const query = { limit: 2, sort: '-price', 'price[lte]': 7, fields: 'price' }
    const { value } = await use('list', { path: 'editions', query })
    assert.deepEqual(
      value.data.map(({ price }: { price: number }) => price),
      [7, 6],
    )
    const lists = { ...query, sort: ['-price', 'title'], fields: ['price', 'title'] }
    const listed = await use('list', { path: 'editions', query: lists })
    assert.deepEqual(Object.keys(listed.value.data?.[0] ?? listed.value), ['id', 'title', 'price'])
    for (let i = 0; i < 100; i += 1)
      await library.make('edition', { title: 'Long', summary: 'x'.repeat(900), subject: 'long' })
    const long = await use('list', { path: 'editions', query: { limit: 100, subject: 'long' } })
    assert.match(long.value.error, /larger than 65536 bytes; ask for a smaller limit/)
  })

  test('a user writes what is the own, with versions', async () => {
    const { use } = await agent(bearer(member))
    const made = await use('create', { path: 'articles', values: { title: 'Mine' } })
    const { version, record } = made.value
    assert.deepEqual([version, record.title, record.authorId], [1, 'Mine', member.id])
    const path = `articles/${record.id}`
    assert.equal((await use('update', { path, values: { title: 'Ours' }, version: 1 })).value.version, 2)
    assert.equal((await use('update', { path, values: { title: 'No' }, version: 1 })).value.status, 412)
    assert.deepEqual((await use('get', { path })).value.record.title, 'Ours')
    assert.deepEqual((await (await agent(bearer(editor))).use('get', { path })).value.status, 404)
    assert.deepEqual((await use('delete', { path })).value, { done: true })
    assert.equal((await use('act', { path: `members/${member.id}/bar` })).value.status, 403)
    assert.equal((await use('get', { path: `members/${member.id}/basket` })).value.record.memberId, member.id)
  })

  test('an ADMIN acts', async () => {
    const { names, use } = await agent(bearer(admin))
    assert.deepEqual(names, all)
    const { value } = await use('describe', { resource: 'members' })
    assert.ok(
      value.paths.includes('act members/{id}/bar') && value.actions.bar && value.create.optional.includes('role'),
    )
    const other = await library.person('USER')
    assert.equal((await use('act', { path: `members/${other.id}/bar` })).value.record.status, 'BARRED')
  })

  test('an agent is told who it acts for, and all that lists, summaries and bodies take', async () => {
    const { use } = await agent(bearer(editor))
    const { you } = (await use('describe')).value
    assert.deepEqual(you, { id: editor.id, role: 'EDITOR' })
    const path = 'me'
    assert.equal((await use('get', { path })).value.record.id, editor.id)
    const { value } = await use('describe', { resource: 'editions' })
    assert.deepEqual(value.expand, ['shelf', 'opinions', 'can'])
    const ofPrice = Object.entries(value.list.operators).flatMap(([operators, fields]) =>
      fields === 'all' || (fields as string[]).includes('price') ? operators.split(' ') : [],
    )
    assert.deepEqual(ofPrice.sort(), ['eq', 'gt', 'gte', 'in', 'lt', 'lte', 'ne', 'null'])
    assert.ok(value.summary.group.includes('subject') && value.summary['sum average'].includes('price'))
    assert.deepEqual([value.create.required, value.create.optional.includes('cost')], [['title', 'price'], true])
    const filter = { or: [{ price: { lt: 2 } }, { shelf: { room: { eq: 'nowhere' } } }] }
    const found = await use('list', { path: 'editions', query: { filter, expand: 'shelf', sort: 'price', limit: 2 } })
    const shown = found.value.data.map((one: { price: number; shelf: object | null }) => [one.price, 'shelf' in one])
    assert.deepEqual(shown, [
      [0, true],
      [1, true],
    ])
    const query = { group: 'subject', sum: 'price', subject: 'sums' }
    await library.make('edition', { title: 'Sum', subject: 'sums', price: 4 })
    const sums = await use('list', { path: 'editions/summary', query })
    assert.deepEqual(sums.value.data, [{ subject: 'sums', count: 1, sum: { price: 4 } }])
  })

  test('all mistakes of a call are told at once', async () => {
    const { use } = await agent(bearer(editor))
    const values = { title: 5, price: -1, colour: 'red' }
    const { status, mistakes } = (await use('create', { path: 'editions', values })).value
    assert.deepEqual([status, mistakes.length], [400, 3])
  })

  test('a batch is done as a whole or not at all', async () => {
    const { use } = await agent(bearer(member))
    const operations = [
      { tool: 'create', id: 'a', path: 'articles', values: { title: 'First' } },
      { tool: 'update', path: 'articles/{a}', values: { title: 'Second' }, version: 1 },
      { tool: 'get', path: 'articles/{a}', query: { fields: 'title' } },
    ]
    const { value } = await use('batch', { operations })
    assert.deepEqual(
      value.data.map(({ status, body }: { status: number; body: { title: string } }) => [status, body.title]),
      [
        [201, 'First'],
        [200, 'Second'],
        [200, 'Second'],
      ],
    )
    const total = async () => (await use('list', { path: 'articles/summary' })).value.data[0].count
    const before = await total()
    const stale = { tool: 'update', path: 'articles/{a}', values: {}, version: 7 }
    const failed = await use('batch', { operations: [operations[0], stale] })
    assert.deepEqual([failed.isError, failed.value.status, await total()], [true, 412, before])
    const wrong: [unknown, string][] = [
      [[{ tool: 'list', path: 'articles' }], 'operations[0]: tool must be get, create, update, upsert, delete, act'],
      [[operations[0], { tool: 'update', path: 'articles/1' }], 'operations[1]: values is needed'],
      [{}, 'operations must be of type array'],
    ]
    for (const [given, error] of wrong) assert.equal((await use('batch', { operations: given })).value.error, error)
  })

  test('tools say what they may destroy, the server what it is called, in few words', async () => {
    const { body } = await library.ask('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      token: admin.token,
      headers: { accept: 'application/json, text/event-stream' },
    })
    type Listed = { name: string; annotations: { destructiveHint?: boolean } }
    const destructive = (body.result.tools as Listed[]).filter(({ annotations }) => annotations.destructiveHint)
    assert.deepEqual(
      destructive.map(({ name }) => name),
      ['update', 'delete', 'act', 'batch'],
    )
    // Four characters are a token of such text, roughly; 1,500 tokens are what an agent should pay
    // before it begins.
    const { text } = await (await agent(bearer(admin))).use('describe')
    assert.ok(JSON.stringify(body.result).length + text.length < 6_000)
    assert.equal((await agent()).server, 'bindery-shop')
  })

  test('a key has its scopes and no more, in the header or in the address', async () => {
    const key = await library.key(editor, { scopes: ['editions:read'] })
    const { use } = await agent({ 'x-api-key': key })
    const { value: offered } = await use('describe')
    assert.deepEqual([offered.editions, offered.letters], [['list editions', 'get editions/{id}'], undefined])
    assert.ok((await use('describe', { resource: 'editions' })).value.fields.cost)
    assert.equal((await use('create', { path: 'editions', values: { title: 'x', price: 1 } })).value.status, 403)
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe', arguments: {} } }
    const headers = { accept: 'application/json, text/event-stream' }
    const { body } = await library.ask('POST', `/mcp?api_key=${key}`, { body: message, headers })
    assert.deepEqual(JSON.parse(body.result.content[0].text), offered)
  })

  test('without MCP=write nothing is written, whoever asks', async () => {
    const { names, use } = await agent(bearer(await reader.admin()), reader)
    assert.deepEqual(names, reading)
    assert.ok(!(await use('describe')).text.includes('create'))
    for (const [name, given] of [
      ['create', { path: 'shelves', values: { label: 'x', room: 'y' } }],
      ['act', { path: 'members/1/bar' }],
    ] as const)
      assert.equal((await use(name, given)).value.status, 404)
    assert.equal((await reader.ask('GET', '/shelves')).body.count, 0)
  })

  test('what agents get wrong is said; paths lead nowhere else', async () => {
    const { use } = await agent(bearer(admin))
    const wrong: readonly (readonly [string, Record<string, unknown>, string])[] = [
      ['list', {}, 'path is needed'],
      ['list', { path: 3 }, 'path must be of type string'],
      ['list', { path: 'editions', limit: 3 }, 'Unknown argument limit; there are path, query'],
      [
        'update',
        { path: 3, values: [], of: 1 },
        'path must be of type string; values must be of type object; Unknown argument of; there are path, values, version',
      ],
      [
        'list',
        { path: 'editions?limit=3' },
        'There is nothing to list at editions?limit=3; describe lists what there is',
      ],
      ['get', { path: '../../livez' }, 'There is nothing to get at ../../livez; describe lists what there is'],
      ['list', { path: 'editions/export' }, 'Edition not found'],
      [
        'create',
        { path: 'editions/import', values: {} },
        'There is nothing to create at editions/import; describe lists what there is',
      ],
      ['update', { path: 'shelves/1', values: { label: 3 } }, 'label must be a string'],
      ['toString', {}, 'There is no tool toString'],
    ]
    for (const [name, given, error] of wrong) {
      const answer = await use(name, given)
      assert.equal(answer.isError, true)
      if (name !== 'list' || given.path !== 'editions/export') assert.equal(answer.value.error, error)
    }
  })

  test('over HTTP: bad credentials, other pages, batches and methods are refused as everywhere', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const accept = 'application/json, text/event-stream'
    const bad = await library.ask('POST', '/mcp', { body: message, token: 'bad', headers: { accept } })
    assert.deepEqual([bad.status, bad.body], [401, { error: 'Invalid token' }])
    assert.match(bad.headers.get('www-authenticate') ?? '', /^Bearer /)
    const key = await library.ask('POST', '/mcp', { body: message, key: 'bk_bad', headers: { accept } })
    assert.deepEqual([key.status, key.body], [401, { error: 'Invalid API key' }])
    const from = (origin: string) => library.ask('POST', '/mcp', { body: message, headers: { accept, origin } })
    for (const origin of ['https://evil.example', library.url.replace('127.0.0.1', 'rebound.example'), 'null'])
      assert.equal((await from(origin)).status, 403, origin)
    for (const origin of ['http://localhost:5173', 'http://app.localhost', 'http://[::1]:80'])
      assert.equal((await from(origin)).status, 200, origin)
    assert.equal((await library.ask('POST', '/mcp', { body: [message], headers: { accept } })).status, 400)
    assert.equal((await library.ask('GET', '/mcp')).status, 405)
    assert.equal((await library.ask('POST', '/mcp', { raw: '{', headers: { accept } })).status, 400)
    const good = await library.ask('POST', '/mcp', { body: message, headers: { accept } })
    assert.equal(good.headers.get('cache-control'), 'no-store')
  })

  test('MCP=off: there is none', async () => {
    const off = await startService({ MCP: 'off' })
    assert.equal((await off.ask('POST', '/mcp', { body: {} })).status, 404)
    await off.stop()
  })
})
