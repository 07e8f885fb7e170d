/**
 * Writes that reach for another tenant: actions that return its records, paths that lead through
 * two tenants, and batches that mix them. Each is refused as where the record does not exist.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { defineAction, defineResource, id, member, reference, text } from '../../src/index.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import { closedClubhouse } from './closed-clubhouse.ts'

/** Their actions return the record that the caller names. */
const pointers = defineResource({
  name: 'pointer',
  path: '/pointers',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { onDelete: 'delete' }), note: text() },
  list: { style: 'page' },
  access: { read: member(), create: member(), show: member(), showPointer: member() },
  actions: {
    show: defineAction({ input: { to: text({ required: true }) }, returns: 'event', run: ({ input }) => input.to }),
    showPointer: defineAction({ input: { to: text({ required: true }) }, run: ({ input }) => input.to }),
  },
})
const service = await startService([...closedClubhouse, pointers] as readonly Declared[])
after(() => service.stop())
const nothing = '01926e0f-0000-7000-8000-000000000000'
const ask = (method: string, path: string, { token }: TestPerson, body?: object, tenant?: string) =>
  service.ask(method, `/api/v1${path}`, {
    token,
    ...(body && { body }),
    headers: tenant === undefined ? {} : { 'x-tenant': tenant },
  })
async function made(path: string, by: TestPerson, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const [ann, bob] = [await service.person(), await service.person()]
const [rowing, both, chess] = [
  await made('/clubs', ann, { name: 'Rowing' }),
  await made('/clubs', ann, { name: 'Both' }),
  await made('/clubs', bob, { name: 'Chess' }),
]
const knights = await made('/teams', bob, { clubId: chess, name: 'Knights' })
const [regatta, ball, gambit] = [
  await made('/events', ann, { clubId: rowing, title: 'Regatta' }),
  await made('/events', ann, { clubId: both, title: 'Ball' }),
  await made('/events', bob, { clubId: chess, title: 'Gambit', teamId: knights }),
]
const own = await made('/pointers', ann, { clubId: rowing })
const theirs = await made('/pointers', bob, { clubId: chess })

describe('an action that returns a record', () => {
  const cases = [
    { to: regatta, tenant: undefined, status: 200 },
    { to: ball, tenant: undefined, status: 200 },
    { to: ball, tenant: rowing, status: 404 },
    { to: gambit, tenant: undefined, status: 404 },
    { to: gambit, tenant: rowing, status: 404 },
    { to: nothing, tenant: undefined, status: 404 },
  ]

  it('returns it where it is of a tenant of the caller, through REST', async () => {
    for (const { to, tenant, status } of cases) {
      const reply = await ask('POST', `/pointers/${own}/show`, ann, { to }, tenant)
      assert.equal(reply.status, status, `${to} in ${tenant}: ${reply.text}`)
    }
    const [one, other] = [
      await ask('POST', `/pointers/${own}/showPointer`, ann, { to: theirs }),
      await ask('POST', `/pointers/${own}/showPointer`, ann, { to: nothing }),
    ]
    assert.deepEqual([one.status, one.text], [404, other.text])
  })

  it('answers the same through GraphQL, and in a batch', async () => {
    for (const { to, tenant, status } of cases) {
      const headers: Record<string, string> = tenant === undefined ? {} : { 'x-tenant': tenant }
      const query = `mutation { showPointer(id: "${own}", input: { to: "${to}" }) { id } }`
      const { body } = await service.ask('POST', '/graphql', { token: ann.token, headers, body: { query } })
      assert.equal(body.errors?.[0].extensions.code, status === 200 ? undefined : 'NOT_FOUND', JSON.stringify(body))
      const operations = [{ method: 'POST', path: `/pointers/${own}/show`, body: { to } }]
      const batch = await ask('POST', '/batch', ann, { operations }, tenant)
      assert.equal(batch.text.includes('Gambit'), false)
      assert.equal(batch.text.includes(`"id":"${to}"`), status === 200, batch.text)
    }
  })
})

describe('paths and batches that mix tenants', () => {
  it('find nothing of the other tenant', async () => {
    const asked: readonly (readonly [string, string, object?, string?])[] = [
      ['POST', `/clubs/${rowing}/events/${gambit}/attendances`, {}],
      ['PATCH', `/clubs/${rowing}/events/${gambit}`, { title: 'Mine' }],
      ['POST', `/teams/${knights}/events`, { title: 'Mine' }],
      ['POST', `/teams/${knights}/events`, { title: 'Mine', clubId: rowing }],
      ['POST', `/events/${gambit}/attendances`, {}],
      ['POST', `/events/${ball}/attendances`, {}, rowing],
      ['GET', `/events/${gambit}/attendances`],
      ['PATCH', `/events/${ball}`, { title: 'Mine' }, rowing],
      ['DELETE', `/events/${ball}`, undefined, rowing],
    ]
    for (const [method, path, body, tenant] of asked) {
      const reply = await ask(method, path, ann, body, tenant)
      assert.equal(reply.status, 404, `${method} ${path} in ${tenant}: ${reply.status} ${reply.text}`)
    }
  })

  it('of a batch change nothing, whichever tenant each operation is about', async () => {
    const batch = (operations: object[], tenant?: string) => ask('POST', '/batch', ann, { operations }, tenant)
    const patch = (one: string) => ({ method: 'PATCH', path: `/events/${one}`, body: { title: 'Mine' } })
    for (const [operations, tenant] of [
      [[patch(regatta), patch(gambit)], undefined],
      [[patch(regatta), patch(ball)], rowing],
      [[patch(regatta), { method: 'POST', path: '/events', body: { clubId: chess, title: 'Mine' } }], undefined],
      [[patch(regatta), { method: 'POST', path: '/events', body: { clubId: both, title: 'Mine' } }], rowing],
    ] as const) {
      const reply = await batch([...operations], tenant)
      assert.ok(reply.status >= 400 || reply.text.includes('404') || reply.text.includes('400'), reply.text)
    }
    const titles = async (by: TestPerson) =>
      (await ask('GET', '/events?sort=title', by)).body.data.map((one: { title: string }) => one.title)
    assert.deepEqual(await titles(bob), ['Gambit'])
    const left: string[] = await titles(ann)
    assert.ok(left.includes('Ball'), left.join())
    assert.deepEqual((await batch([patch(regatta), patch(ball)])).status, 200)
    assert.deepEqual(await titles(ann), ['Mine', 'Mine'])
  })
})
