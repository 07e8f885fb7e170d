/**
 * Derived fields that follow a stored one: an age sorts and filters as the birth date does, at the
 * time of the request. The test sets the clock.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  accounts,
  anyone,
  boolean,
  type DeclaredResource,
  date,
  defineResource,
  derived,
  integer,
  integerId,
  reference,
  role,
  text,
  timestamp,
} from '../../src/index.ts'
import { type Ask, startService, type TestService } from '../../src/testing/index.ts'

/** The years between two days. */
function yearsBetween(from: string, to: string): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4))
  return to.slice(5, 10) < from.slice(5, 10) ? years - 1 : years
}
/** The latest birth date of that age: those born on February 29 have their birthday on March 1. */
function yearsBefore(years: number, now: string): string {
  const day = `${String(Number(now.slice(0, 4)) - years).padStart(4, '0')}${now.slice(4, 10)}`
  const isLeap = new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day
  return isLeap ? day : `${day.slice(0, 4)}-02-28`
}

const members = defineResource({
  name: 'member',
  path: '/members',
  fields: {
    id: integerId(),
    name: text({ required: true, maxLength: 40 }),
    birthDate: date(),
    dueAt: timestamp(),
    hiredOn: date({ read: role('ADMIN') }),
    groupId: reference('group', { onDelete: 'clear' }),
    age: derived(integer(), ({ birthDate }, { now }) => (birthDate ? yearsBetween(birthDate, now) : null), {
      clock: true,
      follows: 'birthDate',
      direction: 'desc',
      bounds: (age, { now }) => (age > 9000 ? 'never' : yearsBefore(age, now)),
    }),
    overdue: derived(boolean(), ({ dueAt }, { now }) => (dueAt ? dueAt < now : null), {
      clock: true,
      follows: 'dueAt',
      direction: 'desc',
      bounds: (is, { now }) => (is ? new Date(Date.parse(now) - 1).toISOString() : '9999-12-31T23:59:59.999Z'),
    }),
    service: derived(integer(), ({ hiredOn }, { now }) => (hiredOn ? yearsBetween(hiredOn, now) : 0), {
      clock: true,
      follows: 'hiredOn',
      direction: 'desc',
    }),
  },
  list: { style: 'page', sortable: ['name', 'birthDate', 'dueAt', 'hiredOn'], bulk: true },
  access: { read: anyone, write: anyone, export: anyone },
})
const groups = defineResource({
  name: 'group',
  path: '/groups',
  fields: { id: integerId() },
  list: { style: 'page' },
  access: { read: anyone, write: anyone },
  children: { members: { resource: 'member', by: 'groupId' } },
})

let nowMs = Date.parse('2026-11-27T12:00:00.000Z')
let service: TestService
let ask: Ask
const born = { ann: '2008-11-27', ben: '2008-11-28', cid: '1990-02-28', dea: '2008-02-29', eve: undefined }
before(async () => {
  service = await startService(
    [...accounts({ roles: ['USER', 'ADMIN'] }), groups, members] as readonly DeclaredResource[],
    {
      env: { RATE_LIMIT: '' },
      clock: () => nowMs,
    },
  )
  ask = service.ask
  await ask('POST', '/api/v1/groups', { body: {} })
  for (const [name, birthDate] of Object.entries(born)) {
    const made = await ask('POST', '/api/v1/members', {
      body: { name, birthDate, groupId: 1, dueAt: name === 'eve' ? undefined : '2026-11-28T00:00:00.000Z' },
    })
    assert.equal(made.status, 201, made.text)
  }
})
after(() => service.stop())

type Shown = { readonly name: string }
async function names(query: string): Promise<string> {
  const found = await ask('GET', `/api/v1/members?${query}`)
  assert.equal(found.status, 200, found.text)
  return found.body.data.map(({ name }: Shown) => name[0]).join('')
}
async function refusal(query: string): Promise<string> {
  const refused = await ask('GET', `/api/v1/members?${query}`)
  assert.equal(refused.status, 400, refused.text)
  return refused.body.error
}

it('sorts as the field that it follows, by pages and cursors', async () => {
  assert.equal(await names('sort=age'), await names('sort=-birthDate'))
  assert.equal(await names('sort=-age&birthDate[null]=false'), 'cdab')
  let walked = ''
  for (let query = 'sort=age&limit=2&birthDate[null]=false&cursor='; query; ) {
    const { body } = await ask('GET', `/api/v1/members?${query}`)
    walked += body.data.map(({ name }: Shown) => name[0]).join('')
    nowMs += 86_400_000 * 365
    const { nextCursor } = body.meta
    query = nextCursor ? `sort=age&limit=2&birthDate[null]=false&cursor=${nextCursor}` : ''
  }
  nowMs = Date.parse('2026-11-27T12:00:00.000Z')
  assert.equal(walked, 'badc')
  assert.equal(await refusal('sort=age,name'), 'age sorts as birthDate, so it is the last field of sort')
  assert.equal(await refusal('sort=birthDate,age'), 'sort names age twice')
  assert.match(
    await refusal('sort=service'),
    /^Cannot sort by service; sortable: name, birthDate, dueAt, age, overdue$/,
  )
})

it('filters at the time of the request, and keeps no answer longer than it holds', async () => {
  const asked = 'age[gte]=18&sort=name'
  assert.equal(await names(asked), 'acd')
  assert.equal(await names(asked), 'acd')
  nowMs = Date.parse('2026-11-28T00:00:00.000Z')
  assert.equal(await names(asked), 'abcd')
  for (const [query, found] of [
    ['age=18', 'abd'],
    ['age[ne]=18', 'ce'],
    ['age[in]=18,36', 'abcd'],
    ['age[gt]=18', 'c'],
    ['age[lte]=18', 'abd'],
    ['age[lt]=18', ''],
    ['age[null]=true', 'e'],
    ['filter={"age":{"gte":18,"lt":30}}', 'abd'],
    ['overdue=true', ''],
    ['overdue=false', 'abcd'],
  ] as const)
    assert.equal(await names(`${query}&sort=name`), found, query)
  nowMs += 1
  assert.equal(await names('overdue=true&sort=name'), 'abcd')
  assert.equal(await names('overdue=false'), '')
})

it('every filter finds the records that show its value', async () => {
  for (const at of ['2026-02-28T23:00:00Z', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z', '2026-11-27T00:00:00Z']) {
    nowMs = Date.parse(at)
    const all = (await ask('GET', '/api/v1/members?sort=name')).body.data as { name: string; age: number | null }[]
    for (const age of [16, 17, 18, 19, 35, 36, 37])
      for (const [operator, holds] of [
        ['gte', (one: number) => one >= age],
        ['lt', (one: number) => one < age],
        ['eq', (one: number) => one === age],
      ] as const) {
        const expected = all.filter((one) => one.age !== null && holds(one.age)).map(({ name }) => name[0])
        assert.equal(await names(`age[${operator}]=${age}&sort=name`), expected.join(''), `${at} ${operator} ${age}`)
      }
  }
})

it('in summaries, GraphQL, exports, writes to many, and below another record', async () => {
  nowMs = Date.parse('2026-11-27T12:00:00.000Z')
  assert.equal((await ask('GET', '/api/v1/members/summary?age[gte]=18')).body.data[0].count, 3)
  const query =
    '{ members(sort: "-age", filter: { age: { gte: 18 } }) { data { name age } } groups { data { members(filter: { age: { lt: 18 } }) { name } } } }'
  const found = await ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(
    found.body.data?.members.data.map(({ name }: Shown) => name),
    ['cid', 'dea', 'ann'],
    found.text,
  )
  assert.deepEqual(found.body.data.groups.data[0].members, [{ name: 'ben' }])
  assert.equal((await ask('GET', '/api/v1/members/export?age[lt]=18')).text.trim().split('\n').length, 1)
  assert.equal(await names('groupId=1&age[lt]=18'), 'b')
  const changed = await ask('PATCH', '/api/v1/members?age[lt]=18&limit=5', { body: { name: 'bob' } })
  assert.equal(changed.body.updated, 1, changed.text)
})

it('refuses what no condition says', async () => {
  assert.equal(await refusal('service[gte]=1'), 'service is computed at each read, and no filter; filter by hiredOn')
  assert.equal(
    await refusal('filter={"service":{"gte":1}}'),
    'service is computed at each read, and no filter; filter by hiredOn',
  )
  assert.equal(await refusal('age[gte]=9001'), 'age[gte] is beyond the values of birthDate')
  assert.equal(await refusal('age[gte]=x'), 'age[gte] must be an integer')
  assert.match(await refusal('age[contains]=1'), /age\[contains\] is no filter; age takes /)
})
