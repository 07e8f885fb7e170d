/**
 * `expand=` and GraphQL's children return the same as separate requests for each record and list,
 * for each role. Also: their cost, and refusals.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'
import { countReads } from '../response-cache/counted-reads.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of several resources
type Shown = Record<string, any>
/**
 * A relation, where the records that it names are found one by one, and what is expanded of them.
 */
type Way =
  | { readonly kind: 'one'; readonly path: (row: Shown) => string | null; readonly expand?: Ways }
  | { readonly kind: 'many'; readonly path: (row: Shown) => string; readonly expand?: Ways }
  | { readonly kind: 'own'; readonly expand: Ways }
type Ways = Readonly<Record<string, Way>>

let service: TestService
let ann: TestPerson
let ben: TestPerson
let editor: TestPerson
let admin: TestPerson
let reads: () => number
const api = (path: string) => `/api/v1/${path}`

before(async () => {
  service = await startService()
  ;[ann, ben, editor, admin] = [
    await service.person(),
    await service.person(),
    await service.person('EDITOR'),
    await service.admin(),
  ]
  const { make } = service
  const shelf = await make('shelf', { label: 'North' })
  const editions: Shown[] = []
  for (let n = 0; n < 4; n += 1)
    editions.push(
      await make('edition', {
        title: `Edition ${n}`,
        price: n,
        cost: n,
        shelfId: n % 2 ? shelf.id : null,
        copies: null,
      }),
    )
  for (const [n, edition] of editions.entries())
    for (const member of [ann, ben, editor].slice(0, n))
      await make('opinion', { editionId: edition.id, memberId: member.id, stars: n + 1 })
  for (const [n, member] of [ann, ann, ann, ben, editor].entries()) {
    const loan = await make('loan', { memberId: member.id })
    for (const edition of editions.slice(n % 4))
      await make('loanLine', { loanId: loan.id, editionId: edition.id, title: `L${n}` })
  }
  await make('letter', { senderId: ann.id, recipientId: ben.id })
  await make('letter', { senderId: ben.id, recipientId: editor.id })
  const opinions = await service.ask('GET', api('opinions'), { token: admin.token })
  assert.equal(opinions.body.meta.total, 6)
  reads = countReads(service.service.engine)
})
after(() => service.stop())

const get = (path: string, person?: TestPerson) => service.ask('GET', path, person ? { token: person.token } : {})

/** The expected response, from one request for each record and list. */
async function asked(row: Shown, ways: Ways, person: TestPerson | undefined): Promise<Shown> {
  const shown: Shown = { ...row }
  for (const [name, way] of Object.entries(ways)) {
    const { expand = {} } = way
    if (way.kind === 'own') {
      shown[name] = await Promise.all(row[name].map((part: Shown) => asked(part, expand, person)))
      continue
    }
    const path = way.path(row)
    const reply = path === null ? undefined : await get(path, person)
    if (way.kind === 'one') shown[name] = reply?.status === 200 ? await asked(reply.body, expand, person) : null
    else {
      const below = reply?.status === 200 ? reply.body.data : []
      shown[name] = await Promise.all(below.map((one: Shown) => asked(one, expand, person)))
    }
  }
  return shown
}

const one = (path: string, field: string, expand?: Ways): Way => ({
  kind: 'one',
  path: (row) => (row[field] === null ? null : api(`${path}/${row[field]}`)),
  ...(expand && { expand }),
})
const many = (path: (row: Shown) => string, expand?: Ways): Way => ({
  kind: 'many',
  path: (row) => api(path(row)),
  ...(expand && { expand }),
})
const member = one('members', 'memberId')
const edition = one('editions', 'editionId')
const basket: Way = { kind: 'one', path: ({ id }) => api(`members/${id}/basket`) }
const opinionsOf = (limit: number, expand?: Ways) => many(({ id }) => `editions/${id}/opinions?limit=${limit}`, expand)
const loansOf = (limit: number, expand?: Ways) => many(({ id }) => `members/${id}/loans?limit=${limit}`, expand)

const cases: readonly (readonly [string, string, Ways])[] = [
  ['opinions?', 'edition,member', { edition, member }],
  ['opinions?cursor=&limit=3&', 'edition.shelf', { edition: one('editions', 'editionId', { shelf: { kind: 'one', path: ({ shelfId }) => shelfId && `/shelves/${shelfId}` } }) }],
  ['editions?', 'opinions(limit:2).member', { opinions: opinionsOf(2, { member }) }],
  ['editions?sort=title&', 'opinions.edition.opinions(limit:1)', { opinions: opinionsOf(20, { edition: one('editions', 'editionId', { opinions: opinionsOf(1) }) }) }],
  ['loans?', 'member,lines.edition', { member, lines: { kind: 'own', expand: { edition } } }],
  ['members?', 'loans(limit:2).lines.edition,basket', { loans: loansOf(2, { lines: { kind: 'own', expand: { edition } } }), basket }],
  ['letters?', 'sender.loans,recipient', { sender: one('members', 'senderId', { loans: loansOf(20) }), recipient: one('members', 'recipientId') }],
] // biome-ignore format: a table

test('a list with relations shows what separate requests show, for each role', async () => {
  let shown = 0
  for (const person of [undefined, ann, editor, admin])
    for (const [path, expand, ways] of cases) {
      const plain = await get(api(path), person)
      const reply = await get(api(`${path}expand=${expand}`), person)
      assert.equal(reply.status, plain.status, `${path}${expand} ${reply.text}`)
      if (plain.status !== 200) continue
      shown += 1
      const data = await Promise.all(plain.body.data.map((row: Shown) => asked(row, ways, person)))
      assert.deepEqual(reply.body, { ...plain.body, data }, `${path}${expand}`)
    }
  assert.ok(shown >= 20, String(shown))
})

test('a record and a list below a record show relations too', async () => {
  for (const [person, path, expand, ways] of [
    [ann, `members/${ann.id}`, 'loans(limit:1),basket', { loans: loansOf(1), basket }],
    [
      admin,
      `members/${ben.id}`,
      'loans.lines.edition',
      { loans: loansOf(20, { lines: { kind: 'own', expand: { edition } } }) },
    ],
    [editor, `members/${ann.id}/loans`, 'member', { member }],
    [ann, `members/${ann.id}/loans`, 'member', { member }],
  ] as const) {
    const plain = await get(api(path), person)
    const reply = await get(api(`${path}?expand=${expand}`), person)
    assert.equal(reply.status, plain.status)
    if (plain.status !== 200) continue
    const rows: Shown[] = plain.body.data ?? [plain.body]
    const data = await Promise.all(rows.map((row) => asked(row, ways, person)))
    assert.deepEqual(reply.body.data ?? [reply.body], data, path)
  }
})

test('a record that was read with relations and is put back: the refusal says what to leave out', async () => {
  const [before] = (await get(api(`editions?expand=shelf,opinions&limit=1`), editor)).body.data
  const { shelf, opinions, ...edition } = before
  const put = (body: object) => service.ask('PUT', api(`editions/${edition.id}`), { body, token: editor.token })
  assert.deepEqual([shelf === undefined, opinions === undefined], [false, false])
  const refusals = [
    [{ ...edition, shelf }, 'shelf is a relation, shown by expand; leave it out and send shelfId'],
    [{ ...edition, opinions }, 'opinions is a relation, shown by expand; leave it out'],
  ] as const
  for (const [body, error] of refusals) {
    const reply = await put(body)
    assert.deepEqual([reply.status, reply.body], [400, { error }])
  }
  assert.equal((await put(edition)).status, 200)
})

test('fields pick what is shown of each relation, and name relations by themselves', async () => {
  const [first] = (await get(api('loans?fields=count,member.email,lines.edition.title,lines.count'), admin)).body.data
  assert.deepEqual(Object.keys(first), ['id', 'count', 'member', 'lines'])
  assert.deepEqual(Object.keys(first.member), ['id', 'email'])
  assert.deepEqual(Object.keys(first.lines[0]), ['id', 'count', 'edition'])
  assert.deepEqual(Object.keys(first.lines[0].edition), ['id', 'title'])
  const [other] = (
    await get(api('editions?title=Edition%203&expand=opinions(limit:1,fields:stars,headline)&fields=title,opinions'))
  ).body.data
  assert.deepEqual(Object.keys(other), ['id', 'title', 'opinions'])
  assert.deepEqual(Object.keys(other.opinions[0]), ['id', 'stars', 'headline'])
  const [whole] = (await get(api('opinions?fields=stars&expand=edition'), ann)).body.data
  assert.deepEqual(Object.keys(whole), ['id', 'stars', 'edition'])
  assert.ok('price' in whole.edition && !('cost' in whole.edition))
})

test('one query a level, however many records there are', async () => {
  const readsOf = async (path: string) => {
    const before = reads()
    assert.equal((await get(path, admin)).status, 200)
    return reads() - before
  }
  for (const [path, expand, sort] of [
    ['loans', 'member,lines.edition', '-askedAt'],
    ['editions', 'opinions.member', '-title&title[startsWith]=Edition'],
  ]) {
    const few = await readsOf(api(`${path}?limit=1&sort=${sort}&expand=${expand}`))
    const many = await readsOf(api(`${path}?limit=50&sort=${sort}&expand=${expand}`))
    assert.equal(many, few)
    assert.ok(many <= 4, `${path}: ${many}`)
  }
})

test('what cannot be expanded is refused, and says what can', async () => {
  const refused: readonly (readonly [string, string])[] = [
    ['opinions?expand=none', 'Cannot expand none; relations: edition, member, can'],
    ['opinions?expand=stars', 'Cannot expand stars; relations: edition, member, can'],
    ['opinions?expand=edition.none', 'Cannot expand edition.none; relations: shelf, opinions, can'],
    ['opinions?expand=edition.opinions.edition.opinions', 'expand goes at most 3 levels deep'],
    ['opinions?expand=edition(limit:2)', 'edition is one record, so it takes no limit in expand'],
    ['editions?expand=opinions(limit:2),opinions(limit:3)', 'expand gives opinions two limits'],
    ['editions?expand=opinions(first:2)', 'first:2 is no option of expand; there are limit:10 and fields:name,price'],
    ['editions?expand=opinions(', 'expand is paths of relations with commas: items(limit:10).product,user'],
    ['editions?expand=opinions.', 'expand ends within a path'],
    ['editions?expand=opinions(fields:secret)', 'Unknown field opinions.secret in fields'],
    ['opinions?fields=edition.cost', 'Unknown field edition.cost in fields'],
    ['opinions?fields=none.title', 'Unknown field none in fields'],
    ['opinions?fields=edition', 'Unknown field edition in fields'],
  ]
  for (const [path, error] of refused) {
    const { status, body } = await get(api(path), ann)
    assert.deepEqual([status, body], [400, { error }], path)
  }
  const { text: usual } = await get(api('editions?expand=opinions(limit:20)'))
  for (const limit of ['abc', '0', '-1', '+20', '20.5'])
    assert.equal(
      (await get(api(`editions?expand=opinions(limit:${encodeURIComponent(limit)})`))).text,
      usual,
      `limit:${limit} is read as limit=${limit} is`,
    )
  const key = await service.key(editor, { name: 'machine' })
  const exported = await service.ask('GET', api('editions/export?expand=opinions'), { key })
  assert.deepEqual([exported.status, exported.body], [400, { error: 'An export shows no relations; leave expand out' }])
  assert.equal(
    (await service.ask('POST', api('editions?expand=opinions'), { body: {}, token: editor.token })).status,
    400,
  )
  assert.deepEqual(
    (await get(api('opinions?expand=edition&expand=member&limit=1'))).body,
    (await get(api('opinions?expand=edition,member&limit=1'))).body,
  )
})

test('a key sees of relations what its scopes allow', async () => {
  const key = await service.key(ann, { name: 'narrow', scopes: ['opinions:read'] })
  const [shown] = (await service.ask('GET', api(`opinions?memberId=${ann.id}&expand=member,edition`), { key })).body
    .data
  assert.deepEqual([shown.member, typeof shown.edition], [null, 'object'])
  const wide = await service.key(ann, { name: 'wide', scopes: ['members:read'] })
  const [other] = (await service.ask('GET', api(`opinions?memberId=${ann.id}&expand=member`), { key: wide })).body.data
  assert.equal(other.member.id, ann.id)
})

test('a record with relations is never 304, and what is kept follows them', async () => {
  const made = await service.make('edition', { title: 'Followed', price: 1, cost: 1, copies: null })
  const opinion = await service.make('opinion', { editionId: made.id, memberId: ann.id, stars: 1 })
  for (const path of [api(`editions/${made.id}?expand=opinions`), api(`editions/${made.id}?%65xpand=opinions`)]) {
    for (let n = 0; n < 3; n += 1) await get(path)
    const { headers } = await get(path)
    const again = await service.ask('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    assert.equal(again.status, 200)
  }
  const path = api(`editions?title=Followed&expand=opinions`)
  const starsOf = async () => (await get(path)).body.data[0].opinions.map(({ stars }: Shown) => stars)
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await starsOf(), [1])
  const body = { stars: 5 }
  assert.equal((await service.ask('PATCH', api(`opinions/${opinion.id}`), { body, token: ann.token })).status, 200)
  assert.deepEqual(await starsOf(), [5])
  await service.make('opinion', { editionId: made.id, memberId: ben.id, stars: 2 })
  assert.deepEqual(await starsOf(), [2, 5])
})

test('more than it may add is refused', async () => {
  const { id } = await service.make('edition', { title: 'A long one', price: 1, cost: 1, copies: null })
  for (let n = 0; n < 20; n += 1) {
    const loan = await service.make('loan', { memberId: ben.id })
    for (let line = 0; line < 13; line += 1) await service.make('loanLine', { loanId: loan.id, editionId: id })
  }
  assert.equal((await get(api('loans?limit=100&expand=member,lines.edition'), admin)).status, 200)
  // 20 loans, each with its member, who has 20 loans with 13 lines each
  const { status, body } = await get(api('loans?limit=100&expand=member.loans(limit:100)'), admin)
  const error =
    'expand adds more than 5000 records or 4000000 characters of text; ask for fewer records, fields or a smaller limit'
  assert.deepEqual([status, body.error], [400, error])
})

test('GraphQL has children as fields, the same as their lists', async () => {
  const query = `{
    members { id loans(limit: 2, sort: "-count") { id lines { edition { title } } } basket { id } }
    editions(limit: 50, sort: "title") { data { id opinions(limit: 2, filter: { stars: { gte: 2 } }) { id stars member { email } } } }
  }`
  const { body } = await service.ask('POST', '/graphql', { body: { query }, token: admin.token })
  assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  for (const row of body.data.members) {
    const loans = (await get(api(`members/${row.id}/loans?limit=2&sort=-count`), admin)).body.data
    assert.deepEqual(
      row.loans.map(({ id }: Shown) => id),
      loans.map(({ id }: Shown) => id),
    )
    assert.equal(row.basket.id, (await get(api(`members/${row.id}/basket`), admin)).body.id)
  }
  for (const row of body.data.editions.data) {
    const { data } = (await get(api(`editions/${row.id}/opinions?limit=2&stars[gte]=2&fields=stars`))).body
    assert.deepEqual(
      row.opinions.map(({ id, stars }: Shown) => ({ id, stars })),
      data,
    )
  }
  const me = '{ me { loans(limit: 1) { id } basket { lines { count } } } }'
  const own = await service.ask('POST', '/graphql', { body: { query: me }, token: ann.token })
  assert.equal(own.body.data.me.loans.length, 1)
  assert.deepEqual(own.body.data.me.basket, { lines: [] })
  const foreign = '{ opinions(limit: 50) { data { memberId member { id loans { id } } } } }'
  const seen = await service.ask('POST', '/graphql', { body: { query: foreign }, token: ann.token })
  for (const { memberId, member: shown } of seen.body.data.opinions.data)
    assert.equal(shown !== null, memberId === ann.id)
  const costly = '{ editions(limit: 100) { data { opinions(limit: 100) { stars } } } }'
  const refused = await service.ask('POST', '/graphql', { body: { query: costly } })
  assert.match(refused.body.errors[0].message, /may read more than 10000 fields/)
  const wrong = await service.ask('POST', '/graphql', {
    body: { query: '{ editions { data { opinions(sort: "body") { id } } } }' },
  })
  assert.match(wrong.body.errors[0].message, /^Cannot sort by body/)
})
