/**
 * The difference of two versions: what a caller sees of both, in REST, GraphQL, the tools of agents
 * and the documents.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  type DeclaredResource,
  decimal,
  defineResource,
  id,
  integer,
  json,
  list,
  manyToMany,
  owner,
  reference,
  role,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'] })
const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text() },
  list: { style: 'page' },
  access: { read: where({ name: 'open' }), create: user },
})
const plans = defineResource({
  name: 'plan',
  path: '/plans',
  fields: {
    id: id(),
    title: text({ required: true }),
    cost: decimal({ precision: 9, scale: 2 }),
    steps: list(text()),
    facts: json(),
    tags: manyToMany('tag', { ordered: true, fields: { why: text() } }),
    salary: integer({ read: role('EDITOR'), write: role('EDITOR') }),
    secretTo: text({ read: owner('ownerId') }),
    note: text({ hidden: true, default: 'x' }),
    ownerId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page' },
  history: { keep: 3 },
  trash: { days: 3 },
  access: { read: user, create: user, update: user, delete: user, restore: user },
})
const closed = defineResource({
  name: 'vault',
  path: '/vaults',
  fields: { id: id(), title: text() },
  list: { style: 'page' },
  history: { read: role('EDITOR') },
  access: { read: user, create: user, update: user },
})
const service = await startService([...people, tags, plans, closed] as readonly DeclaredResource[], {
  env: { MCP: 'read' },
})
after(() => service.stop())
const [ann, ben, editor] = [await service.person(), await service.person(), await service.person('EDITOR')]

type Asked = { readonly as?: TestPerson; readonly body?: unknown }
const ask = (method: string, path: string, { as = ann, body }: Asked = {}) =>
  service.ask(method, `/api/v1${path}`, { token: as.token, ...(body !== undefined && { body }) })
async function made(path: string, body: object, as: TestPerson = ann): Promise<string> {
  const answer = await ask('POST', path, { as, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.id
}
async function change(of: string, body: object, as: TestPerson = ann): Promise<void> {
  const answer = await ask('PATCH', of, { as, body })
  assert.equal(answer.status, 200, answer.text)
}
const difference = (of: string, query: string, as: TestPerson = ann) =>
  ask('GET', `/plans/${of}/history/difference?${query}`, { as })
/** The members of a side that are not about the version. */
const valuesOf = (side: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(side).filter(([name]) => !name.startsWith('history')))

const [open, shut] = [await made('/tags', { name: 'open' }), await made('/tags', { name: 'shut' })]
const plan = await made('/plans', {
  ...{ title: 'A', cost: '1.50', steps: ['one', 'two'], facts: { a: 1, b: [1] } },
  ...{ secretTo: 'mine', tags: [{ id: open, why: 'first' }] },
})
await change(`/plans/${plan}`, { title: 'B', facts: { b: [1], a: 1 }, steps: ['two', 'one'] })
await change(`/plans/${plan}`, { cost: '2.00', secretTo: 'still', tags: { set: [{ id: open, why: 'more' }] } })

describe('a difference', () => {
  it('names the fields that differ, with both values, in both orders', async () => {
    const there = await difference(plan, 'from=1&to=2')
    assert.equal(there.status, 200, there.text)
    const { fields, from, to } = there.body
    assert.deepEqual(fields, ['title', 'steps'])
    assert.deepEqual(valuesOf(from), { title: 'A', steps: ['one', 'two'] })
    assert.deepEqual(valuesOf(to), { title: 'B', steps: ['two', 'one'] })
    const version = (await ask('GET', `/plans/${plan}/history/${to.historyId}`)).body
    const own = Object.entries(version).filter(([name]) => name.startsWith('history'))
    assert.deepEqual(Object.fromEntries(Object.entries(to).filter(([name]) => name.startsWith('history'))), {
      ...Object.fromEntries(own),
    })
    const back = await difference(plan, 'from=2&to=1')
    assert.deepEqual([back.body.fields, back.body.from, back.body.to], [fields, to, from])
    assert.deepEqual((await difference(plan, 'from=2&to=2')).body.fields, [])
  })

  it('is to the newest version unless another is named, and has links, lists and exact numbers', async () => {
    const { body } = await difference(plan, 'from=1')
    assert.deepEqual(body.fields, ['title', 'cost', 'steps', 'tags', 'secretTo'])
    assert.deepEqual([body.from.historyVersion, body.to.historyVersion], [1, 3])
    assert.deepEqual([body.from.cost, body.to.cost], ['1.50', '2.00'])
    assert.deepEqual([body.from.tags, body.to.tags], [[{ id: open, why: 'first' }], [{ id: open, why: 'more' }]])
  })

  it('has nothing that the caller may not read', async () => {
    const of = await made('/plans', { title: 'Read', secretTo: 'one', tags: [{ id: open }] })
    await change(`/plans/${of}`, { salary: 7 }, editor)
    await change(`/plans/${of}`, { secretTo: 'two' })
    assert.deepEqual((await difference(of, 'from=1')).body.fields, ['secretTo'])
    const byEditor = (await difference(of, 'from=1', editor)).body
    assert.deepEqual([byEditor.fields, valuesOf(byEditor.to)], [['salary'], { salary: 7 }])
    assert.deepEqual((await difference(of, 'from=1', ben)).body.fields, [])
    // A link to a record that the caller may not get is in neither version.
    const hidden = { set: [{ id: open }, { id: shut }] }
    await service.service.engine.records.transaction({ userId: null, role: null, credential: 'console' }, (tx) =>
      tx
        .lock(tx.catalog.get('plan'), { kind: 'compare', field: 'id', operator: 'eq', value: of })
        .then(async (found) => {
          if (found) await tx.change(tx.catalog.get('plan'), found.row, { tags: hidden })
        }),
    )
    assert.equal((await difference(of, 'from=3')).body.to.historyVersion, 4)
    assert.deepEqual((await difference(of, 'from=3')).body.fields, [])
  })

  it('of a version that is gone, or of no readable record, is 404', async () => {
    const of = await made('/plans', { title: '1' })
    for (const title of ['2', '3', '4']) await change(`/plans/${of}`, { title })
    const gone = await difference(of, 'from=1&to=4')
    const words = 'Version 1 of this plan is not kept; its history lists those that are'
    assert.deepEqual([gone.status, gone.body], [404, { error: words }])
    assert.equal((await difference(of, 'from=4&to=9')).status, 404)
    assert.equal((await difference(open, 'from=1')).body.error, 'Plan not found')
    const vault = await made('/vaults', { title: 'x' })
    const refused = await ask('GET', `/vaults/${vault}/history/difference?from=1`)
    assert.equal(refused.status, (await ask('GET', `/vaults/${vault}/history`)).status)
    assert.equal((await ask('GET', `/vaults/${vault}/history/difference?from=1`, { as: editor })).status, 200)
    await ask('DELETE', `/plans/${of}`)
    assert.equal((await difference(of, 'from=4')).status, 404)
  })

  it('refuses what is no version', async () => {
    const cases: readonly [string, RegExp][] = [
      ['', /from is required/],
      ['to=1', /from is required/],
      ['from=0', /from must be the number of a version/],
      ['from=1.5', /from must be/],
      ['from=1&to=x', /to must be/],
      ['from=1&fields=title', /Unknown query parameter fields/],
      ['from=1&from=2', /occurs twice/],
      ['from=1&_trash=only', /Unknown query parameter _trash/],
      ['from=99999999999999999999', /from must be/],
    ]
    for (const [query, words] of cases) {
      const answer = await difference(plan, query)
      assert.equal(answer.status, 400, query)
      assert.match(answer.body.error, words)
    }
    assert.equal((await ask('POST', `/plans/${plan}/history/difference?from=1`)).status, 405)
    assert.equal((await service.ask('GET', `/api/v1/plans/${plan}/history/difference?from=1`)).status, 401)
  })

  it('has an ETag, and is new after a write', async () => {
    const path = `/api/v1/plans/${plan}/history/difference?from=1`
    const first = await service.ask('GET', path, { token: ann.token })
    const headers = { 'if-none-match': first.headers.get('etag') as string }
    assert.equal((await service.ask('GET', path, { token: ann.token, headers })).status, 304)
    const of = await made('/plans', { title: 'old' })
    assert.deepEqual((await difference(of, 'from=1')).body.fields, [])
    await change(`/plans/${of}`, { title: 'new' })
    assert.deepEqual((await difference(of, 'from=1')).body.fields, ['title'])
  })
})

describe('a difference in other protocols', () => {
  const graphql = (query: string, as: TestPerson = ann) =>
    service.ask('POST', '/graphql', { token: as.token, body: { query } })

  it('is a field of GraphQL beside the history', async () => {
    const side = '{ historyVersion title cost tags { name } salary }'
    const asked = `{ planHistoryDifference(planId: "${plan}", from: 1, to: 3) { fields from ${side} to ${side} } }`
    const answer = await graphql(asked)
    const { planHistoryDifference: found } = answer.body.data ?? {}
    assert.deepEqual(found?.fields, ['title', 'cost', 'steps', 'tags', 'secretTo'], answer.text)
    assert.deepEqual(found.from, {
      historyVersion: 1,
      title: 'A',
      cost: '1.50',
      tags: [{ name: 'open' }],
      salary: null,
    })
    const gone = await graphql(`{ planHistoryDifference(planId: "${plan}", from: 44) { fields } }`)
    assert.match(gone.body.errors[0].message, /Version 44 of this plan is not kept/)
  })

  it('is in the OpenAPI document, and a batch', async () => {
    const { paths, components } = (await service.ask('GET', '/openapi.json')).body
    const { get } = paths['/api/v1/plans/{id}/history/difference']
    assert.equal(get.operationId, 'comparePlanVersions')
    assert.equal(paths['/api/v1/tags/{id}/history/difference'], undefined)
    const { properties, required } = components.schemas.PlanVersionDiffering
    assert.ok(properties.title && !required.includes('title') && required.includes('historyVersion'))
    const operations = [{ method: 'GET', path: `/plans/${plan}/history/difference?from=1&to=2` }]
    const batch = await ask('POST', '/batch', { body: { operations } })
    assert.ok(batch.status < 500, batch.text)
  })

  it('is told to agents', async () => {
    const call = (name: string, args: object) =>
      service.ask('POST', '/mcp', {
        token: ann.token,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      })
    const path = `plans/${plan}/history/difference`
    const found = await call('list', { path, query: { from: 1, to: 2 } })
    assert.deepEqual(JSON.parse(found.body.result.content[0].text).fields, ['title', 'steps'], found.text)
    const told = await call('describe', { resource: 'plan-versions' })
    assert.match(told.text, /difference/)
  })
})
