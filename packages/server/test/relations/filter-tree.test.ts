/**
 * `filter=`: random trees in REST and in GraphQL, compared with a plain evaluation of the same
 * rows, for each role; and refusals.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'

type Row = Record<string, unknown>
type Tree = { [name: string]: unknown }

let service: TestService
let people: Record<'EDITOR' | 'USER' | 'ADMIN', TestPerson>
let editions: Row[]
let opinions: Row[]
const subjects = ['Maps', 'Kitchen, and more', null, 'straße']

before(async () => {
  service = await startService()
  people = { ADMIN: await service.admin(), EDITOR: await service.person('EDITOR'), USER: await service.person() }
  const { token } = people.EDITOR
  const make = async (path: string, body: object, as = token) => {
    const reply = await service.ask('POST', path, { body, token: as })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const body = {
      title: `Edition ${n}`,
      price: n * 1.5,
      copies: n % 3 === 0 ? null : n,
      cost: n,
      subject: subjects[n % 4],
    }
    ids.push((await make('/api/v1/editions', body)).id)
  }
  for (const [n, id] of ids.entries())
    for (const person of Object.values(people).slice(0, (n % 3) + 1))
      await make(
        `/api/v1/editions/${id}/opinions`,
        { stars: (n % 5) + 1, headline: n % 2 ? `H, ${n}` : null },
        person.token,
      )
  editions = (await service.ask('GET', '/api/v1/editions?limit=100', { token })).body.data
  opinions = (await service.ask('GET', '/api/v1/opinions?limit=100')).body.data
  assert.ok(editions.length === 6 && opinions.length > 8)
})
after(() => service.stop())

const order = (a: unknown, b: unknown) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1)
const operators: Record<string, (own: unknown, value: unknown) => boolean> = {
  eq: (own, value) => own === value,
  ne: (own, value) => own !== value,
  gt: (own, value) => own !== null && order(own, value) > 0,
  gte: (own, value) => own !== null && order(own, value) >= 0,
  lt: (own, value) => own !== null && order(own, value) < 0,
  lte: (own, value) => own !== null && order(own, value) <= 0,
  in: (own, value) => (value as unknown[]).includes(own),
  null: (own, value) => (own === null) === value,
  contains: (own, value) => typeof own === 'string' && own.toLowerCase().includes(String(value).toLowerCase()),
}

/**
 * A second, plain implementation of filters. `related`: the record that the reference names, where
 * the caller may see it.
 */
function passes(row: Row, tree: Tree, related: (row: Row, name: string) => Row | undefined): boolean {
  return Object.entries(tree).every(([name, value]) => {
    if (name === 'and') return (value as Tree[]).every((one) => passes(row, one, related))
    if (name === 'or') return (value as Tree[]).some((one) => passes(row, one, related))
    if (name === 'not') return !passes(row, value as Tree, related)
    if (Object.hasOwn(row, name))
      return Object.entries(value as Tree).every(([operator, operand]) => operators[operator]?.(row[name], operand))
    const found = related(row, name)
    return found !== undefined && passes(found, value as Tree, related)
  })
}

const number = fc.constantFrom(0, 1, 2, 3, 4.5)
const text = fc.constantFrom('Maps', 'Kitchen, and more', 'Edition 3', 'H, 1', 'straße', 'E', ',')
function compared(value: fc.Arbitrary<unknown>, more: readonly string[] = []): fc.Arbitrary<Tree> {
  return fc.oneof(
    fc.tuple(fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', ...more), value).map(([op, one]) => ({ [op]: one })),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((some) => ({ in: some })),
    fc.boolean().map((isNull) => ({ null: isNull })),
    fc.tuple(value, value).map(([from, to]) => ({ gte: from, lt: to })),
  )
}
const whole = fc.constantFrom(0, 1, 2, 3, 4)
function joined(one: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> {
  const some = fc.array(one, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    some.map((and) => ({ and })),
    some.map((or) => ({ or })),
    one.map((not) => ({ not })),
  )
}
function editionTree(depth: number): fc.Arbitrary<Tree> {
  const leaves = [
    fc.record({ title: compared(text, ['contains']), price: compared(number) }, { requiredKeys: [] }),
    compared(text, ['contains']).map((subject) => ({ subject })),
    compared(whole).map((copies) => ({ copies })),
  ]
  return depth === 0 ? fc.oneof(...leaves) : fc.oneof(...leaves, joined(editionTree(depth - 1)))
}
function opinionTree(depth: number): fc.Arbitrary<Tree> {
  const leaves = [
    compared(whole).map((stars) => ({ stars })),
    compared(text, ['contains']).map((headline) => ({ headline })),
    editionTree(1).map((edition) => ({ edition })),
    fc.constant({ member: { role: { eq: 'EDITOR' } } }),
  ]
  return depth === 0
    ? fc.oneof(...leaves)
    : fc.oneof(...leaves, joined(opinionTree(depth - 1)), joined(opinionTree(depth - 1)))
}

const query = 'query ($filter: OpinionFilter) { opinions(filter: $filter, limit: 100) { data { id } } }'
test('a random tree finds what a plain evaluation finds, in REST and in GraphQL, for each role', async () => {
  const seenBy = async (token: string | undefined) => {
    const seen = new Map<unknown, Row>()
    for (const { id } of Object.values(people)) {
      const reply = await service.ask('GET', `/api/v1/members/${id}`, token ? { token } : {})
      if (reply.status === 200) seen.set(id, reply.body)
    }
    return seen
  }
  for (const person of [undefined, people.USER, people.EDITOR, people.ADMIN]) {
    const sent = person ? { token: person.token } : {}
    const members = await seenBy(person?.token)
    const related = (row: Row, name: string) =>
      name === 'edition' ? editions.find(({ id }) => id === row.editionId) : members.get(row.memberId)
    let found = 0
    await fc.assert(
      fc.asyncProperty(opinionTree(2), async (filter) => {
        const expected = opinions.filter((row) => passes(row, filter, related)).map(({ id }) => id)
        found += expected.length
        const path = `/api/v1/opinions?limit=100&filter=${encodeURIComponent(JSON.stringify(filter))}`
        const rest = await service.ask('GET', path, sent)
        assert.equal(rest.status, 200, rest.text)
        assert.deepEqual(
          rest.body.data.map(({ id }: Row) => id),
          expected,
        )
        assert.equal(rest.body.meta.total, expected.length)
        const asked = await service.ask('POST', '/graphql', { body: { query, variables: { filter } }, ...sent })
        assert.deepEqual(
          asked.body.data?.opinions.data.map(({ id }: Row) => id),
          expected,
          asked.text,
        )
      }),
      { numRuns: 40, endOnFailure: true },
    )
    assert.ok(found > 40)
  }
})

const get = (path: string, person?: TestPerson) => service.ask('GET', path, person ? { token: person.token } : {})
const filtered = (filter: unknown, resource = 'opinions') =>
  `/api/v1/${resource}?filter=${encodeURIComponent(typeof filter === 'string' ? filter : JSON.stringify(filter))}`
const nested = (levels: number): Tree => (levels === 0 ? {} : { not: nested(levels - 1) })

test('what is no filter is refused, and says what is wrong', async () => {
  const refused: readonly (readonly [unknown, string])[] = [
    ['', 'filter: is not valid JSON'],
    ['{"stars":{"eq":1},"stars":{"eq":2}}', 'filter: The key stars occurs twice'],
    ['[]', 'filter must be a JSON object'],
    [{ colour: { eq: 'red' } }, 'Unknown field colour in filter'],
    [{ edition: { colour: { eq: 'red' } } }, 'Unknown field edition.colour in filter'],
    [{ __proto: {} }, 'Unknown field __proto in filter'],
    [{ stars: 5 }, 'stars in filter must be an object with operators, such as {"eq":…}'],
    [{ stars: null }, 'stars in filter must be an object with operators, such as {"eq":…}'],
    [{ stars: { eq: '5' } }, 'stars[eq] must be a number'],
    [{ stars: { eq: null } }, 'stars[eq] must not be null'],
    [{ stars: { like: 5 } }, 'stars[like] is no filter; stars takes eq, ne, gt, gte, lt, lte, in and null'],
    [{ stars: { in: [] } }, 'stars[in] needs at least one value'],
    [{ stars: { in: 5 } }, 'stars[in] must be a list of values'],
    [{ stars: { in: Array.from({ length: 101 }, () => 1) } }, 'stars[in] takes at most 100 values'],
    [{ headline: { eq: 5 } }, 'headline[eq] must be a string'],
    [{ headline: { null: 'true' } }, 'headline[null] must be true or false'],
    [{ edition: { price: { gte: 'x' } } }, 'edition.price[gte] must be a number'],
    [{ or: [] }, 'or in filter must be a list of one filter or more'],
    [{ and: {} }, 'and in filter must be a list of one filter or more'],
    [{ not: [] }, 'not in filter must be a JSON object'],
    [nested(8), 'filter is deeper than 8 levels'],
    [{ or: Array.from({ length: 200 }, () => ({})) }, 'filter has more than 200 parts'],
  ]
  for (const [filter, error] of refused) {
    const { status, body } = await get(filtered(filter))
    assert.deepEqual([status, body], [400, { error }], JSON.stringify(filter).slice(0, 80))
  }
  assert.equal((await get(filtered(nested(7)))).status, 200)
})

test('a field that the caller may not read is unknown, also in another record; a record that the caller may not see matches nothing', async () => {
  const byCost = { edition: { cost: { gte: 0 } } }
  assert.deepEqual((await get(filtered(byCost), people.USER)).body, { error: 'Unknown field edition.cost in filter' })
  assert.equal((await get(filtered(byCost), people.EDITOR)).body.meta.total, opinions.length)
  const byMail = { member: { email: { contains: '@' } } }
  assert.equal((await get(filtered(byMail))).body.meta.total, 0)
  const own = opinions.filter(({ memberId }) => memberId === people.USER.id).length
  assert.equal((await get(filtered(byMail), people.USER)).body.meta.total, own)
  assert.equal((await get(filtered(byMail), people.ADMIN)).body.meta.total, opinions.length)
  const key = await service.key(people.USER, { name: 'narrow', scopes: ['opinions:read'] })
  assert.equal((await service.ask('GET', filtered(byMail), { key })).body.meta.total, 0)
})

test('it combines with the other filters by AND, walks by cursor, and an export takes it', async () => {
  const cheap = { or: [{ stars: { eq: 1 } }, { edition: { price: { lt: 4 } } }] }
  const both = (await get(`${filtered(cheap)}&stars[gte]=2&limit=100`)).body
  const isCheap = ({ stars, editionId }: Row) =>
    stars === 1 || Number(editions.find(({ id }) => id === editionId)?.price) < 4
  assert.equal(both.meta.total, opinions.filter((row) => isCheap(row) && Number(row.stars) >= 2).length)
  const first = (await get(`${filtered(cheap)}&limit=2&cursor=`)).body
  const second = await get(`${filtered(cheap)}&limit=2&cursor=${first.meta.nextCursor}`)
  assert.equal(second.status, 200)
  assert.equal((await get(`${filtered({ stars: { eq: 1 } })}&cursor=${first.meta.nextCursor}`)).status, 400)
  const key = await service.key(people.EDITOR, { name: 'machine' })
  const exported = await service.ask('GET', filtered({ price: { gt: 6 } }, 'editions/export'), { key })
  assert.equal(exported.text.trim().split('\n').length, editions.filter(({ price }) => Number(price) > 6).length)
})

test('a list among the parameters may be sent piece by piece; any other parameter only once', async () => {
  const { token } = people.EDITOR
  const same = async (one: string, other: string) => {
    const [a, b] = await Promise.all(
      [one, other].map((path) => service.ask('GET', `/api/v1/editions?${path}`, { token })),
    )
    assert.deepEqual([a?.status, a?.body], [200, b?.body], one)
  }
  await same('sort=subject&sort=-price', 'sort=subject,-price')
  await same('fields=title&fields=price&fields=cost', 'fields=title,price,cost')
  await same('price[in]=1.5&price%5Bin%5D=3', 'price[in]=1.5,3')
  for (const name of ['page', 'limit', 'price', 'price[gte]', 'subject', 'q', 'filter', 'cursor', 'colour']) {
    const { status, body } = await service.ask('GET', `/api/v1/editions?${name}=1&${name}=1`)
    assert.deepEqual([status, body], [400, { error: `The query parameter ${name} occurs twice` }])
  }
})

test('brackets without a word, as axios and PHP write lists, are refused with the right form', async () => {
  const cases = [
    ['sort[]=price', 'Write sort=a,b or sort=a&sort=b instead of sort[]'],
    ['sort[]=price&sort[]=title', 'Write sort=a,b or sort=a&sort=b instead of sort[]'],
    ['sort%5B0%5D=price', 'Write sort=a,b or sort=a&sort=b instead of sort[0]'],
    ['price[]=1&price[]=2', 'Write price[in]=a,b instead of price[]'],
  ] as const
  for (const [query, error] of cases) {
    const { status, body } = await service.ask('GET', `/api/v1/editions?${query}`)
    assert.deepEqual([status, body], [400, { error }], query)
  }
})

test('what is kept follows the records that a filter asks about', async () => {
  const { token } = people.EDITOR
  const target = editions.find(({ title }) => title === 'Edition 5') as Row
  const path = filtered({ edition: { price: { gte: 500 } } })
  for (let n = 0; n < 3; n += 1) assert.equal((await get(path)).body.meta.total, 0)
  await service.ask('PATCH', `/api/v1/editions/${target.id}`, { body: { price: 500 }, token })
  const expected = opinions.filter(({ editionId }) => editionId === target.id).length
  for (let n = 0; n < 3; n += 1) assert.equal((await get(path)).body.meta.total, expected)
  await service.ask('PATCH', `/api/v1/editions/${target.id}`, { body: { price: 7.5 }, token })
  assert.equal((await get(path)).body.meta.total, 0)
})
