/**
 * Every fact that rules read distinguishes callers, and nothing else does: in sets of visible
 * fields, in cached responses, and in responses stored for retries. An API key and a token of one
 * role are two callers.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestService } from 'bindery-server/test'
import fc from 'fast-check'
import {
  anyOf,
  anyone,
  apiKey,
  defineAction,
  defineResource,
  id,
  integer,
  onlyWhen,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { callerKey, wholeCallerKey } from '../../src/resource/caller-facts.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { anonymous, type Principal } from '../../src/resource/principal.ts'
import type { Rule } from '../../src/resource/rule.ts'
import { resources } from '../application/resources/index.ts'

const byMachine = apiKey(role('USER'))
const crates = defineResource({
  name: 'crate',
  path: '/crates',
  fields: {
    id: id(),
    label: text({ required: true }),
    seal: text({ read: byMachine, write: byMachine, default: 'closed' }),
    weight: integer({ write: byMachine, default: 1 }),
    ownerId: reference('member', { onDelete: 'clear' }),
  },
  list: { style: 'page', filterable: ['label', 'seal'], sortable: ['seal'], bulk: true },
  access: { list: anyone, get: anyone, create: user, update: user, replace: user, empty: user },
  actions: {
    empty: defineAction({
      input: {},
      returns: 'vault',
      run: async ({ record, records }) =>
        (await records(vaults).create({ crateId: (record as { id: string }).id, word: 'made' })).id as string,
    }),
  },
  children: { vaults: { resource: 'vault', by: 'crateId', operations: ['list'] } },
})
const vaults = defineResource({
  name: 'vault',
  path: '/vaults',
  fields: {
    id: id(),
    crateId: reference('crate', { required: true, onDelete: 'delete' }),
    word: text({ required: true }),
    code: integer({ read: role('ADMIN'), default: 7 }),
  },
  list: { style: 'page', filterable: ['word', 'code'] },
  access: { list: user, get: user, create: user },
})

let service: TestService
let byToken: AskOptions
let byKey: AskOptions
let path: string
before(async () => {
  service = await startService([...resources, crates, vaults])
  const person = await service.person()
  byToken = { token: person.token }
  byKey = { key: await service.key(person) }
  const crate = await service.make('crate', { label: 'a' })
  path = `/api/v1/crates/${crate.id}`
  await service.make('vault', { crateId: crate.id, word: 'hush' })
})
after(() => service.stop())

/**
 * Whether the token and the key of one user see the field. Requests alternate, because the cached
 * response of one must not go to the other.
 */
async function seenBy(ask: (by: AskOptions) => Promise<{ text: string }>, part = '"seal"') {
  const seen: boolean[] = []
  for (const by of [byToken, byKey, byToken, byKey, byKey, byToken]) seen.push((await ask(by)).text.includes(part))
  return seen
}
const byTurns = [false, true, false, true, true, false]

test('a field for machines is shown to the key of a user and not to the token, at every door', async () => {
  const { ask } = service
  assert.deepEqual(await seenBy((by) => ask('GET', path, by)), byTurns)
  assert.deepEqual(await seenBy((by) => ask('GET', '/api/v1/crates', by)), byTurns)
  assert.deepEqual(await seenBy((by) => ask('GET', `${path}/vaults?expand=crate`, by)), byTurns)
  const filtered = (by: AskOptions) => ask('GET', '/api/v1/crates?seal=closed', by)
  assert.deepEqual(await seenBy(filtered, '"success":true'), byTurns)
  const sorted = (by: AskOptions) => ask('GET', '/api/v1/crates?sort=seal', by)
  assert.deepEqual(await seenBy(sorted, '"success":true'), byTurns)
  const grouped = (by: AskOptions) => ask('GET', '/api/v1/crates/summary?group=seal', by)
  assert.deepEqual(await seenBy(grouped, '"groups":1'), byTurns)
  const query = '{ crates { data { label seal } } }'
  assert.deepEqual(await seenBy((by) => ask('POST', '/graphql', { ...by, body: { query } }), '"closed"'), byTurns)
})

test('a field that machines write is written by the key alone, whoever was asked first', async () => {
  const { ask } = service
  const write = async (by: AskOptions, weight: number) => (await ask('PATCH', path, { ...by, body: { weight } })).status
  assert.deepEqual([await write(byToken, 2), await write(byKey, 3), await write(byToken, 4)], [403, 200, 403])
  const many = async (by: AskOptions, weight: number) =>
    (await ask('PATCH', '/api/v1/crates?label=a&limit=1', { ...by, body: { weight } })).status
  assert.deepEqual([await many(byToken, 5), await many(byKey, 6), await many(byToken, 7)], [403, 200, 403])
})

test('a retry is answered as the first request was, unless another credential sees other fields', async () => {
  const { ask } = service
  const retry = (key: string, by: AskOptions) =>
    ask('PATCH', path, { ...by, body: { label: 'a' }, headers: { 'idempotency-key': key } })
  assert.match((await retry('facts-one', byKey)).text, /"seal"/)
  const other = await retry('facts-one', byToken)
  assert.deepEqual([other.status, other.text.includes('seal')], [409, false])
  assert.equal((await retry('facts-one', byKey)).headers.get('idempotency-replayed'), 'true')
  const batch = (key: string, by: AskOptions) =>
    ask('POST', '/api/v1/batch', {
      ...by,
      body: { operations: [{ method: 'PATCH', path: path.replace('/api/v1', ''), body: { label: 'a' } }] },
      headers: { 'idempotency-key': key },
    })
  assert.match((await batch('facts-two', byKey)).text, /"seal"/)
  assert.equal((await batch('facts-two', byToken)).status, 409)
})

test('what a key with few scopes was shown of other records is kept for that key alone', async () => {
  const { ask } = service
  const key = await service.key(await service.person(), { scopes: ['vaults:read'] })
  const asked = `${path}?expand=vaults`
  for (let i = 0; i < 3; i += 1) assert.match((await ask('GET', asked, { key })).text, /"hush"/)
  for (let i = 0; i < 3; i += 1) assert.doesNotMatch((await ask('GET', asked)).text, /"hush"/)
  const list = '/api/v1/crates?expand=vaults'
  assert.match((await ask('GET', list, { key })).text, /"hush"/)
  assert.doesNotMatch((await ask('GET', list)).text, /"hush"/)
})

test('an action that answers with another resource shows what the caller may see of it', async () => {
  const reply = await service.ask('POST', `${path}/empty`, byToken)
  assert.deepEqual([reply.status, reply.body.word, reply.body.code], [200, 'made', undefined])
  const { token } = await service.admin()
  assert.equal((await service.ask('POST', `${path}/empty`, { token })).body.code, 7)
})

const catalog = makeCatalog([...resources, crates, vaults])
const settings = { currency: 'USD', signUp: 'open' } as const
const roles = catalog.roles.names
const principals: readonly Principal[] = [
  anonymous,
  ...roles.flatMap((role) =>
    (['token', 'key', 'console'] as const).flatMap((via) =>
      ['me', 'you'].map((userId) => ({ kind: 'user', userId, role, via, scopes: null }) as const),
    ),
  ),
]
const simple: readonly Rule[] = [anyone, user, ...roles.map(role), owner('ownerId'), where({ label: 'a' })]
const { rule } = fc.letrec<{ rule: Rule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...simple),
    tie('rule').map((one) => apiKey(one as Rule<never, never>)),
    fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => anyOf([a, b])),
    fc.tuple(fc.boolean(), tie('rule'), tie('rule')).map(([is, a, b]) => onlyWhen(() => is, a, b)),
  ),
}))
const below = rule.map((one): Rule => through('crateId', one as Rule<never, never>))

test('callers who are the same by the facts that a rule names get the same verdict from it', () => {
  const place = { catalog, settings, resource: catalog.get('vault') }
  fc.assert(
    fc.property(fc.oneof(rule, below, fc.tuple(rule, below).map(anyOf)), (one) => {
      const facts = one.type.judgesBy(one, place)
      const verdicts = new Map<string, string>()
      for (const principal of principals) {
        const key = callerKey(principal, facts)
        const verdict = JSON.stringify(
          one.type.where(one, { ...place, principal, now: () => '2026-01-01T00:00:00.000Z' }),
        )
        assert.equal(verdict, verdicts.get(key) ?? verdict)
        verdicts.set(key, verdict)
      }
    }),
    { numRuns: 300 },
  )
})

test('a key names what differs, and nothing where no fact is asked for', () => {
  const keys = principals.map(wholeCallerKey)
  assert.equal(new Set(keys).size, principals.length)
  assert.deepEqual(new Set(principals.map((one) => callerKey(one, []))), new Set(['']))
})
