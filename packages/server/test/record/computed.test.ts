/**
 * Computed fields: every way of a write keeps them, and lists filter and sort by them. Random
 * writes end as a computation of each record does.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  boolean,
  computed,
  count,
  defineAction,
  defineResource,
  id,
  integer,
  reference,
  role,
  slug,
  text,
  timestamp,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

const everything = {
  list: anyone,
  get: anyone,
  create: anyone,
  replace: anyone,
  update: anyone,
  delete: anyone,
  import: anyone,
} as const

const groups = defineResource({
  name: 'group',
  path: '/groups',
  fields: { id: id(), label: text() },
  list: { style: 'page' },
  access: everything,
})

const given = {
  id: id(),
  first: text({ required: true }),
  last: text({ default: 'L' }),
  size: integer({ default: 1, increment: true }),
  groupId: reference('group', { onDelete: 'clear' }),
  code: text({ unique: true }),
}
const fullName = computed(text({ maxLength: 40 }), ({ first, last }) => `${first} ${last}`, { fields: given })
const people = defineResource({
  name: 'person',
  plural: 'people',
  path: '/people',
  fields: {
    ...given,
    fullName,
    isAlone: computed(boolean(), ({ groupId }) => groupId === null, { fields: given }),
    shout: computed(text(), (one) => (one.size < 0 ? 3 : one.size > 5 ? one.fullName.toUpperCase() : null)),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: {
    style: 'page',
    sortable: ['fullName', 'shout'],
    filterable: ['fullName', 'isAlone', 'shout'],
    search: ['fullName'],
    defaultSort: 'fullName',
    bulk: true,
  },
  upsert: ['code'],
  trash: { days: 30 },
  history: { keep: 5, days: 30 },
  access: { ...everything, grow: anyone },
  actions: {
    grow: defineAction(given, {
      async run({ record, records }) {
        await records(people).update(record.id, { size: record.size + 5 })
        return record.id
      },
    }),
  },
  graphql: { query: { person: 'get', people: 'list' } },
})

let own: TestService
before(async () => {
  own = await startService([groups, people], { env: { MCP: 'write' } })
})
after(() => own.stop())

const send = async (method: string, path: string, body?: object) => {
  const answer = await own.ask(method, `/api/v1${path}`, body === undefined ? {} : { body })
  assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`)
  return answer.body
}
const person = async (values: object): Promise<string> =>
  (await send('POST', '/people', { first: 'A', ...values })).id as string
const namesAt = async (query: string) =>
  (await send('GET', `/people?${query}`)).data.map((one: { fullName: string }) => one.fullName)

async function assertExact(): Promise<void> {
  const { storage, catalog } = own.service.engine
  for (const row of await storage.list(catalog.get('person'), { where: always, sort: [], limit: 100_000 })) {
    const name = `${row.first} ${row.last}`
    assert.deepEqual(
      [row.fullName, row.isAlone, row.shout],
      [name, row.groupId === null, (row.size as number) > 5 ? name.toUpperCase() : null],
    )
  }
}

describe('computed fields', () => {
  it('follow every way of a write', async () => {
    const groupId = (await send('POST', '/groups', { label: 'g' })).id
    const one = await person({ first: 'Ada', groupId })
    const shown = async () => {
      const { fullName: name, isAlone, shout } = await send('GET', `/people/${one}`)
      return [name, isAlone, shout]
    }
    assert.deepEqual(await shown(), ['Ada L', false, null])
    await send('PATCH', `/people/${one}`, { last: 'B', size: { increment: 7 } })
    assert.deepEqual(await shown(), ['Ada B', false, 'ADA B'])
    await send('DELETE', `/groups/${groupId}`)
    assert.deepEqual(await shown(), ['Ada B', true, 'ADA B'])
    await send('PUT', `/people/${one}`, { first: 'Eve', fullName: 'Ada B' })
    assert.deepEqual(await shown(), ['Eve L', true, null])
    await send('POST', `/people/${one}/grow`)
    assert.deepEqual(await shown(), ['Eve L', true, 'EVE L'])
    await send('DELETE', `/people/${one}`)
    await send('POST', `/people/${one}/restore`)
    assert.deepEqual(await shown(), ['Eve L', true, 'EVE L'])
    await send('PATCH', '/people?fullName=Eve L&limit=10', { last: 'M' })
    assert.deepEqual(await shown(), ['Eve M', true, 'EVE M'])
    const raw = ['x', 'y'].map((first) => JSON.stringify({ first, size: 9 })).join('\n')
    await own.ask('POST', '/api/v1/people/import', { raw, type: 'application/x-ndjson' })
    const body = { first: 'b' }
    await send('POST', '/batch', { operations: [{ method: 'POST', path: '/people', body }] })
    await assertExact()
  })

  it('lists filter, sort, search and go on by them, and GraphQL shows them', async () => {
    for (const last of ['c', 'a', 'b']) await person({ first: 'Sorted', last, size: 9 })
    const query = 'fullName[startsWith]=Sorted&sort=-fullName'
    assert.deepEqual(await namesAt(query), ['Sorted c', 'Sorted b', 'Sorted a'])
    assert.deepEqual(await namesAt(`${query}&limit=1&page=2`), ['Sorted b'])
    assert.deepEqual(await namesAt('shout=SORTED B'), ['Sorted b'])
    assert.deepEqual(await namesAt('q=sorted&sort=fullName&limit=1'), ['Sorted a'])
    const answer = await own.ask('POST', '/graphql', {
      body: { query: '{ people(limit: 1) { data { fullName isAlone } } }' },
    })
    assert.equal(answer.body.errors, undefined, answer.text)
    const { body } = await own.ask('GET', '/openapi.json')
    assert.equal(body.components.schemas.Person.properties.fullName.readOnly, true)
    assert.equal(body.components.schemas.PersonCreate?.properties.fullName, undefined)
  })

  it('a cursor goes on by them in both directions', async () => {
    const all = ['c', null, 'a', 'b', 'A', 'é']
    for (const last of all) await person({ first: 'Cursor', last: last ?? 'none' })
    const within = 'fullName[startsWith]=Cursor&'
    const path = `/people?${within}`
    for (const sort of ['fullName', '-fullName']) {
      const { data: whole } = await send('GET', `${path}sort=${sort}&limit=50`)
      const seen: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const step = await send('GET', `${path}sort=${sort}&limit=2&cursor=${encodeURIComponent(cursor)}`)
        seen.push(...step.data)
        cursor = step.meta.nextCursor
      }
      assert.deepEqual([seen, seen.length], [whole, all.length])
    }
  })

  it('upserts, reverts and agents keep them', async () => {
    const put = (body: object) => send('PUT', '/people?on=code', { code: 'u', ...body })
    assert.equal((await put({ first: 'Up' })).fullName, 'Up L')
    const { id: one, fullName: second } = await put({ first: 'Down', size: 9 })
    assert.equal(second, 'Down L')
    const reverted = await send('POST', `/people/${one}/revert`, { historyVersion: 1 })
    assert.deepEqual([reverted.fullName, reverted.shout], ['Up L', null])
    const call = async (name: string, args: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const headers = { accept: 'application/json, text/event-stream' }
      return (await own.ask('POST', '/mcp', { body, headers })).body.result.content[0].text as string
    }
    const changed = await call('update', { path: `people/${one}`, values: { first: 'Agent', size: 9 } })
    assert.deepEqual([JSON.parse(changed).record.fullName, JSON.parse(changed).record.shout], ['Agent L', 'AGENT L'])
    assert.match(await call('update', { path: `people/${one}`, values: { shout: 'x' } }), /shout is read-only/)
  })

  it('no caller sets them, and they hold what their type takes', async () => {
    const made = await own.ask('POST', '/api/v1/people', { body: { first: 'x', fullName: 'y' } })
    assert.deepEqual([made.status, made.body.error], [400, 'fullName is read-only'])
    const long = await own.ask('POST', '/api/v1/people', { body: { first: 'x'.repeat(50) } })
    assert.deepEqual([long.status, long.body.error], [400, 'fullName must be at most 40 characters'])
    const other = await own.ask('POST', '/api/v1/people', { body: { first: 'x', size: -1 } })
    assert.deepEqual([other.status, other.body.error], [400, 'shout must be a string'])
  })

  it('end as a computation does after random writes at once', async () => {
    let seed = 11
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const kept = await Promise.all(Array.from({ length: 3 }, async () => (await send('POST', '/groups', {})).id))
    const made: string[] = []
    async function act(): Promise<void> {
      const body = { first: `r${random(9)}`, last: `l${random(9)}`, size: random(9), groupId: kept[random(4)] ?? null }
      const at = made.length === 0 ? -1 : random(made.length)
      const way = at < 0 ? 0 : random(6)
      if (way < 2) made.push(await person(body))
      else if (way < 4) await own.ask('PATCH', `/api/v1/people/${made[at]}`, { body })
      else if (way === 4) await own.ask('POST', `/api/v1/people/${made[at]}/grow`)
      else await own.ask('DELETE', `/api/v1/people/${made.splice(at, 1)[0]}`)
    }
    for (let round = 0; round < 4; round += 1) await Promise.all(Array.from({ length: 20 }, act))
    await send('DELETE', `/groups/${kept.pop()}`)
    await assertExact()
  })

  it('the start refuses what they cannot read', () => {
    const says = (fields: object, more: object = {}) => {
      const declared = defineResource({ name: 'thing', path: '/things', fields, access: {}, ...more } as never)
      try {
        makeCatalog([declared] as never)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    const of = (compute: (record: Record<string, unknown>) => unknown) => computed(text(), compute as never)
    const base = { id: id(), name: text(), secret: text({ read: role('ADMIN') }) }
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ ...base, full: of(({ full }) => full) }, /field "full": is computed from itself/],
      [{ ...base, full: of(({ nmae }) => nmae) }, /reads "nmae": no field "nmae"; did you mean "name"/],
      [{ ...base, full: of(({ all }) => all), all: of(({ name }) => name) }, /"all", which is computed after it/],
      [{ ...base, upId: reference('thing'), all: count('things'), full: of(({ all }) => all) }, /follows from other/],
      [{ ...base, at: slug({ from: 'name' }), full: of(({ at }) => at) }, /"at", which is made when/],
      [{ ...base, full: of(({ secret }) => secret) }, /"secret", which not all callers may read/],
      [{ ...base, full: of(() => `${Date.now()}`) }, /reads the clock by Date.now/],
      [{ ...base, full: computed(text({ required: true }), () => 'x') }, /required means nothing for a computed field/],
    ]
    for (const [fields, message] of cases) assert.match(says(fields), message)
    const full = of(({ name }) => name)
    assert.match(says({ ...base, full }, { onWrite: { full: () => '' } }), /onWrite: "full" is computed from/)
  })
})
