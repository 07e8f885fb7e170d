/**
 * Endpoints know no more than their owners: the other tenant does not exist, fields have their
 * rules, and rights that end are no rights.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { member, webhooks } from '../../src/index.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import { library } from '../events/library.ts'
import { type FeedEvent, makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { type Answer, startReceiver } from './receiver.ts'

const dayMs = 24 * 3_600_000
const operators = await startReceiver()
operators.state.secret = 'whsec_c2l4dGVlbiBieXRlcyBvZiBrZXk='
const declared = [
  ...library(),
  ...webhooks({
    ...{ users: 'user', tenant: 'club', create: member(), manage: member('OWNER') },
    waits: Array.from({ length: 40 }, () => 0.05),
    endpoints: {
      audit: { url: operators.url, secret: () => operators.state.secret, resources: ['posts'], events: ['enter'] },
    },
  }),
] as unknown as readonly Declared[]
const service = await startService(declared, { env: { OUTGOING_ALLOW: '127.0.0.1' } })
const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []
after(async () => {
  await service.stop()
  for (const one of [operators, ...receivers]) await one.stop()
})
const { ask } = service
const admin = await service.admin()
const settle = makeSettle(ask, { token: admin.token })

async function write(method: string, path: string, body?: object, by: TestPerson = admin): Promise<string> {
  const reply = await ask(method, `/api/v1${path}`, { ...(body && { body }), token: by.token })
  assert.ok(reply.status < 300, `${method} ${path} ${reply.text}`)
  return reply.body?.id
}
const clubOf = (name: string) => write('POST', '/clubs', { name })
const [chess, rowing] = [await clubOf('Chess'), await clubOf('Rowing')]
const join = (clubId: string, userId: string, role = 'PLAYER') =>
  write('POST', '/memberships', { clubId, userId, role })
const [ann, bob] = [await service.person(), await service.person()]
const mine = await join(chess, ann.id)
await join(rowing, ann.id)
await join(rowing, bob.id, 'OWNER')
const post = (values: object) => write('POST', '/posts', { clubId: chess, state: 'OPEN', title: 'x', ...values })

/** An endpoint of a person with a receiver of its own. */
async function endpoint(owner: TestPerson, body: object, answer?: Answer) {
  const receiver = await startReceiver()
  receivers.push(receiver)
  if (answer) receiver.state.answer = answer
  await settle()
  const sent = { url: receiver.url, resources: ['posts'], clubId: chess, ...body }
  const made = await ask('POST', '/api/v1/webhook-endpoints', { body: sent, token: owner.token })
  assert.equal(made.status, 201, made.text)
  receiver.state.secret = made.body.secret
  const path = `/webhook-endpoints/${made.body.id}`
  const read = async () => (await ask('GET', `/api/v1${path}`, { token: admin.token })).body
  return {
    id: made.body.id as string,
    path,
    receiver,
    read,
    isOff: () => until(async () => (await read()).active === false, 'it is off'),
    has: (count: number) =>
      until(
        () => receiver.received.length >= count,
        () => `${receiver.received.length} of ${count} are received`,
      ),
    end: () => write('DELETE', path),
  }
}
const toldOf = ({ received }: (typeof receivers)[number]) => received.map(({ type, data }) => `${type} ${data.id}`)

describe('An endpoint in a tenant', () => {
  it('is told of that tenant alone, and of what its owner may see there', async () => {
    const { receiver, has, end } = await endpoint(ann, {})
    await post({ clubId: rowing })
    await post({ state: 'DRAFT' })
    const seen = await post({})
    await has(1)
    await service.runEffects()
    assert.deepEqual(toldOf(receiver), [`posts.enter ${seen}`])
    await until(() => operators.received.length === 3, 'that of the application is told of all tenants')
    await end()
  })

  it('that the application declares is there for operators alone, where no tenant is named', async () => {
    const at = '/api/v1/webhook-endpoints'
    const shown = async ({ token }: TestPerson, headers = {}) => {
      const { data } = (await ask('GET', at, { token, headers })).body
      return (data as { id: string; declaredAs: string | null }[]).find(({ declaredAs }) => declaredAs === 'audit')
    }
    const found = await shown(admin)
    assert.ok(found, 'an operator lists it, who manages those of no club')
    const inChess = { 'x-tenant': `club:${chess}` }
    const bobs = { 'x-tenant': `club:${rowing}` }
    assert.equal(await shown(bob), undefined)
    assert.equal(await shown(bob, bobs), undefined)
    const path = `${at}/${found.id}`
    const ping = await ask('POST', `${path}/ping`, { token: admin.token })
    assert.equal(ping.status, 201, ping.text)
    await until(() => operators.received.at(-1)?.type === 'ping', 'it is sent')
    const doors: [string, string, object?][] = [
      ['GET', path],
      ['PATCH', path, { active: false }],
      ['POST', `${path}/ping`],
      ['GET', `/api/v1/webhook-deliveries/${ping.body.id}`],
      ['POST', `/api/v1/webhook-deliveries/${ping.body.id}/replay`],
    ]
    for (const [method, door, body] of doors) {
      const answer = async ({ token }: TestPerson, headers = {}) =>
        (await ask(method, door, { token, headers, ...(body && { body }) })).status
      const statuses = [await answer(bob), await answer(bob, bobs), await answer(admin, inChess)]
      assert.deepEqual(statuses, [404, 404, 404], `${method} ${door}`)
      assert.ok((await answer(admin)) < 300, `${method} ${door}`)
      if (method === 'PATCH') await ask(method, door, { body: { active: true }, token: admin.token })
    }
    const tried = await ask('GET', `/api/v1/webhook-attempts?endpointId=${found.id}`, { token: admin.token })
    assert.ok(tried.body.data.length > 0)
    const theirs = await ask('GET', `/api/v1/webhook-attempts?endpointId=${found.id}`, { token: bob.token })
    assert.deepEqual(theirs.body.data, [])
  })

  it('does not exist in another tenant, and neither do its deliveries and tries', async () => {
    const { id, path, has, end } = await endpoint(ann, {})
    await post({})
    await has(1)
    const of = `?endpointId=${id}`
    const tried = async () => (await ask('GET', `/api/v1/webhook-attempts${of}`, { token: ann.token })).body.data
    await until(async () => (await tried()).length === 1, 'the try is stored')
    const [delivery] = (await ask('GET', `/api/v1/webhook-deliveries${of}`, { token: ann.token })).body.data
    const [attempt] = await tried()
    const since = '2020-01-01T00:00:00.000Z'
    const doors: [string, string, object?][] = [
      ['GET', path],
      ['PATCH', path, { url: 'https://example.com/' }],
      ['DELETE', path],
      ['POST', `${path}/rotate`, {}],
      ['POST', `${path}/ping`],
      ['POST', `${path}/replay`, { since }],
      ['GET', `/webhook-deliveries/${delivery.id}`],
      ['POST', `/webhook-deliveries/${delivery.id}/replay`],
      ['GET', `/webhook-attempts/${attempt.id}`],
    ]
    for (const [method, door, body] of doors) {
      const reply = await ask(method, `/api/v1${door}`, { ...(body && { body }), token: bob.token })
      assert.equal(reply.status, 404, `${method} ${door} ${reply.text}`)
    }
    for (const list of ['webhook-endpoints', 'webhook-deliveries', 'webhook-attempts']) {
      const reply = await ask('GET', `/api/v1/${list}`, { token: bob.token })
      assert.deepEqual([reply.status, reply.body.data], [200, []], list)
    }
    const put = await ask('POST', '/api/v1/webhook-endpoints', {
      body: { url: 'https://example.com/', resources: ['posts'], clubId: chess },
      token: bob.token,
    })
    assert.ok(put.status === 403 || put.status === 404 || put.status === 400, put.text)
    const forAnother = await ask('POST', '/api/v1/webhook-endpoints', {
      body: { url: 'https://example.com/', resources: ['posts'], clubId: rowing, userId: ann.id },
      token: bob.token,
    })
    assert.equal(forAnother.status, 400, forAnother.text)
    for (const clubId of [null, undefined]) {
      const body = { url: 'https://example.com/', resources: ['posts'], clubId }
      const bare = await ask('POST', '/api/v1/webhook-endpoints', { body, token: bob.token })
      assert.equal(bare.status, 400, bare.text)
    }
    await end()
  })

  it('ends when its owner is no member any more, and sends nothing that waits', async () => {
    let isBroken = true
    const { id, receiver, has, isOff, read } = await endpoint(ann, {}, (_, response) =>
      response.writeHead(isBroken ? 500 : 204).end(),
    )
    await post({})
    await has(1)
    await write('DELETE', `/memberships/${mine}`)
    await isOff()
    assert.match((await read()).disabledReason, /has left the tenant/)
    await service.runEffects()
    const [before] = [receiver.received.length]
    isBroken = false
    await post({})
    await service.runEffects()
    assert.equal(receiver.received.length, before)
    const hers = await ask('GET', `/api/v1/webhook-deliveries?endpointId=${id}`, { token: ann.token })
    assert.deepEqual(hers.body.data, [], 'she sees its deliveries no more')
    // The receiver gets what the log has since, once she is back: the others can be told again.
    const back = await join(chess, ann.id)
    await write('PATCH', `/webhook-endpoints/${id}`, { active: true })
    await has(before + 1)
    assert.ok(receiver.received.slice(before).every(({ type }) => /^posts\.|^lost$/.test(type)))
    await write('PATCH', `/memberships/${back}`, { state: 'PAUSED' })
    await post({})
    await isOff()
    await write('PATCH', `/memberships/${back}`, { state: 'ACTIVE' })
  })
})

/** Notes belong to no tenant. */
describe('A full body', () => {
  it('is the event of the feed, under the same rules for fields and filters', async () => {
    const { receiver, has, end } = await endpoint(ann, { resources: ['notes'], filters: { notes: 'rank[gte]=1' } })
    const as = { token: ann.token }
    const { position } = (await ask('GET', '/api/v1/_changes?resources=notes', as)).body.meta
    const values = { state: 'OPEN', rank: 1, title: 'Tea', inner: 'not for her', price: 7 }
    const foreign = String((await service.make('note', { ...values, ownerId: bob.id })).id)
    const own = String((await service.make('note', { ...values, ownerId: ann.id })).id)
    await service.make('note', { ...values, rank: 0, ownerId: ann.id })
    await write('PATCH', `/notes/${foreign}`, { title: 'Green tea' })
    await write('PATCH', `/notes/${own}`, { rank: 0 })
    await write('PATCH', `/notes/${foreign}`, { state: 'DRAFT' })
    await has(5)
    await settle()
    const feed = await ask('GET', `/api/v1/_changes?resources=notes&rank[gte]=1&after=${position}`, as)
    const named = ['type', 'resource', 'id', 'version', 'record', 'before'] as const
    const told = (feed.body.data as FeedEvent[]).map((one) =>
      Object.fromEntries(named.flatMap((name) => (one[name] === undefined ? [] : [[name, one[name]]]))),
    )
    assert.deepEqual(
      told.map(({ type, id }) => [type, id]),
      [
        ['enter', foreign],
        ['enter', own],
        ['change', foreign],
        ['leave', own],
        ['leave', foreign],
      ],
    )
    const inLog = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b))
    assert.deepEqual(receiver.received.map(({ data }) => data).toSorted(inLog), told.toSorted(inLog))
    for (const { type, data } of receiver.received) {
      const text = JSON.stringify(data)
      assert.doesNotMatch(text, /not for her|inner/)
      assert.equal(text.includes('"price":7'), type === 'notes.enter' && data.id === own, text)
      if (type === 'notes.leave') assert.deepEqual(Object.keys(data), ['type', 'resource', 'id'])
    }
    const hidden = await ask('POST', '/api/v1/webhook-endpoints', {
      body: { url: 'https://example.com/', resources: ['notes'], clubId: chess, filters: { notes: 'inner=x' } },
      ...as,
    })
    assert.equal(hidden.status, 400, hidden.text)
    await end()
  })

  it('has none of the chosen fields that its owner may not read when it is sent', async () => {
    const held: (() => void)[] = []
    const eve = await service.person()
    await join(chess, eve.id)
    await write('PATCH', `/users/${eve.id}`, { role: 'ADMIN' })
    const chosen = { resources: ['notes'], recordFields: { notes: ['price', 'rank'] }, events: ['enter'] }
    const { receiver, has, end } = await endpoint(eve, chosen, (_, response) =>
      held.push(() => response.writeHead(held.length === 1 ? 500 : 204).end()),
    )
    const id = String((await service.make('note', { state: 'OPEN', rank: 3, price: 7, ownerId: bob.id })).id)
    await has(1)
    assert.deepEqual(receiver.received[0]?.data.record, { id, price: 7, rank: 3 })
    await write('PATCH', `/users/${eve.id}`, { role: 'USER' })
    service.turn(2_000)
    held[0]?.()
    const again = () => receiver.received.slice(1).find(({ data }) => data.id === id)
    await until(() => again() !== undefined, 'it is sent again')
    assert.deepEqual([again()?.id, again()?.data.record], [receiver.received[0]?.id, { id, rank: 3 }])
    for (const answer of held.slice(1)) answer()
    receiver.state.answer = (_, response) => response.writeHead(204).end()
    await end()
    const hidden = await ask('POST', '/api/v1/webhook-endpoints', {
      body: { url: 'https://example.com/', clubId: chess, resources: ['notes'], recordFields: { notes: ['inner'] } },
      token: ann.token,
    })
    assert.equal(hidden.status, 400, hidden.text)
    assert.match(hidden.body.error, /no changes of "inner" of notes are told; there are /)
  })

  it('is not that of a thin one, which names its record', async () => {
    const { receiver, has, end } = await endpoint(ann, { resources: ['notes'], body: 'thin', events: ['enter'] })
    const id = await write('POST', '/notes', { ownerId: ann.id, title: 'Secret', state: 'OPEN' })
    await write('PATCH', `/notes/${id}`, { title: 'Another' })
    await has(1)
    await service.runEffects()
    assert.deepEqual(
      receiver.received.map(({ type, data }) => [type, data]),
      [['notes.enter', { resource: 'notes', id }]],
    )
    await end()
  })
})

describe('Changes that cannot be told', () => {
  it('are one event, where the role of the owner has changed', async () => {
    const { receiver, has, end } = await endpoint(ann, { resources: ['notes'] })
    await write('POST', '/notes', { ownerId: ann.id })
    await has(1)
    await write('PATCH', `/users/${ann.id}`, { role: 'SUPPORT' })
    await write('POST', '/notes', { ownerId: ann.id })
    await has(2)
    const [first, second] = receiver.received
    assert.deepEqual([first?.type, second?.type, second?.data], ['notes.enter', 'lost', {}])
    await settle()
    await write('POST', '/notes', { ownerId: ann.id })
    await until(() => receiver.received.some(({ type }, at) => at > 1 && type === 'notes.enter'), 'it goes on')
    await write('PATCH', `/users/${ann.id}`, { role: 'USER' })
    await end()
  })

  it('are one event, where the log does not have them any more, and no replay brings them back', async () => {
    const { id, path, receiver, has, end } = await endpoint(ann, { resources: ['notes'] }, (_, response) =>
      response.writeHead(410).end(),
    )
    const since = new Date(service.now() - 60_000).toISOString()
    await write('POST', '/notes', { ownerId: ann.id })
    await has(1)
    await until(
      async () => (await ask('GET', `/api/v1${path}`, { token: ann.token })).body.active === false,
      'it is off',
    )
    await write('POST', '/notes', { ownerId: ann.id })
    await settle()
    const { changes } = service.service.engine.storage
    while (await changes.sweep(Date.now() + 8 * dayMs));
    receiver.state.answer = (_, response) => response.writeHead(204).end()
    await write('PATCH', path, { active: true }, ann)
    await has(2)
    assert.deepEqual(
      receiver.received.map(({ type }) => type),
      ['notes.enter', 'lost'],
    )
    const again = await ask('POST', `/api/v1${path}/replay`, { body: { since, onlyFailed: true }, token: ann.token })
    assert.deepEqual([again.status, again.body], [200, { count: 1 }], again.text)
    const failed = async () =>
      (await ask('GET', `/api/v1/webhook-attempts?endpointId=${id}`, { token: ann.token })).body.data as {
        error: string | null
      }[]
    await until(async () => (await failed()).some(({ error }) => /does not have this change/.test(`${error}`)), 'it is')
    await end()
  })
})

describe('The document', () => {
  it('describes each request that an endpoint gets', async () => {
    const document = (await ask('GET', '/openapi.json')).body
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    assert.deepEqual(Object.keys(document.webhooks), [
      'projects',
      'folders',
      'notes',
      'remarks',
      'posts',
      'ping',
      'lost',
    ])
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
    ajv.addSchema({ ...document, $id: 'https://bindery.example/openapi.json' })
    const isRight = (name: string, body: unknown) => {
      const place = `webhooks/${name}/post/requestBody/content/application~1json/schema`
      const check = ajv.getSchema(`https://bindery.example/openapi.json#/${place}`)
      return check?.(body) === true || JSON.stringify([body, check?.errors])
    }
    const all = receivers.flatMap(({ received }) => received)
    const named = new Set<string>()
    for (const { type, timestamp, data } of all) {
      const [name = ''] = type.split('.')
      named.add(name)
      assert.equal(isRight(name, { type, timestamp, data }), true)
    }
    assert.deepEqual([...named].toSorted(), ['lost', 'notes', 'posts'])
    const [{ timestamp, data }] = all as [(typeof all)[number]]
    assert.notEqual(isRight('posts', { type: 'posts.made', timestamp, data }), true)
    assert.notEqual(isRight('posts', { type: 'posts.enter', timestamp, data: {} }), true)
  })
})
