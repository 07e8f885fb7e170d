/**
 * Fields whose rule depends on the record, at every door: random callers and records against the
 * same rules as plain code. A filter finds what it would find in a world where the field is null on
 * the records that hide it. REST equals GraphQL, and responses that are cached equal new ones.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type AskOptions,
  removeDatabase,
  removeFolder,
  startService,
  type TestResponse,
  type TestService,
  temporaryFolder,
} from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { shortOr } from '../helpers/long.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { tester } from '../storage/library.ts'
import { type Caller, declarations, ruled, type Stored, shows } from './carded-people.ts'

type Asking = Caller & { readonly asked: AskOptions }
type Shown = Readonly<Record<string, unknown>>

const folder = temporaryFolder()
const random = makeRandom(Number(process.env.FIELD_RULES_SEED ?? 40))
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const rounds = shortOr(5, 150)
const cardCount = 14

let kept: TestService
let bare: TestService
let callers: readonly Asking[]

const storage = () => kept.service.engine.storage
const rowsOf = async (name: string): Promise<readonly Stored[]> => {
  const resource = kept.service.engine.catalog.get(name)
  return storage().list(resource, { where: always, sort: [{ field: 'id', descending: false }], limit: 1000 })
}

before(async () => {
  // With WORKERS above 1, reads share no snapshot: each service sees at once what another wrote.
  const env = { DATA_DIR: folder, WORKERS: '2', RATE_LIMIT: '', MCP: 'off' }
  kept = await startService(declarations, { env })
  bare = await startService(declarations, { env: { ...env, KEEP_ANSWERS: 'false' } })
  const [ann, ben, eve] = [await kept.person(), await kept.person(), await kept.person('EDITOR')]
  const admin = await kept.admin()
  callers = [
    { name: 'anonymous', id: null, isAdmin: false, asked: {} },
    { name: 'ann', id: ann.id, isAdmin: false, asked: { token: ann.token } },
    { name: 'ben', id: ben.id, isAdmin: false, asked: { token: ben.token } },
    { name: 'eve', id: eve.id, isAdmin: false, asked: { key: await kept.key(eve) } },
    { name: 'admin', id: admin.id, isAdmin: true, asked: { token: admin.token } },
  ]
  const people = callers.flatMap(({ id }) => id ?? [])
  const teams = []
  for (let i = 0; i < 3; i += 1)
    teams.push((await kept.make('team', { name: `Team ${i}`, leadId: i === 2 ? null : people[i + 1] })).id)
  for (let i = 0; i < cardCount; i += 1) {
    const card = await kept.make('card', {
      ownerId: pick([...people, null]),
      teamId: pick([...teams, null]),
      isOpen: random() < 0.5,
      name: pick(['Ann', 'Ben', 'Eve']),
      email: pick(['a@x.y', 'b@x.y', 'c@x.y', null]),
      code: `code ${i}`,
      phone: pick(['1', '2', '3']),
      salary: pick([1, 2, 3, null]),
      homeId: pick([...teams, null]),
      tags: pick([['a'], ['b', 'a'], []]),
      rank: 1,
    })
    if (i % 3 === 0) await kept.make('note', { cardId: card.id, body: `Note ${i}` })
  }
})
after(async () => {
  await kept.stop()
  await bare.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})

/** The world of one moment: the stored records, and what a card shows to a caller by plain code. */
async function lookAround() {
  const [cards, teams, notes] = [await rowsOf('card'), await rowsOf('team'), await rowsOf('note')]
  const teamOf = (card: Stored): Stored => teams.find(({ id }) => id === card.teamId) ?? {}
  function shown(caller: Caller, card: Stored): Shown {
    const isShown = shows(caller, card, teamOf(card))
    const { version: _, ...values } = card
    const home = isShown('homeId') ? teams.find(({ id }) => id === card.homeId) : undefined
    const all: Stored = {
      ...values,
      homeName: home?.name ?? null,
      line: `${card.name} <${card.email}>`,
      label: `${card.name}, ${card.email === null ? 'no mail' : 'a mail'}`,
    }
    return Object.fromEntries(Object.entries(all).filter(([name]) => isShown(name)))
  }
  return { cards, teams, notes, shown }
}
type World = Awaited<ReturnType<typeof lookAround>>

/** The same request of both services, the caching one twice. Each response has the same bytes. */
async function read({ asked, name }: Asking, method: string, path: string, body?: unknown): Promise<TestResponse> {
  const replies = []
  for (const service of [kept, kept, bare]) replies.push(await service.ask(method, path, { ...asked, body }))
  const [first, ...others] = replies as [TestResponse, TestResponse, TestResponse]
  for (const other of others) {
    assert.equal(other.text, first.text, `${name}: ${method} ${path}`)
    assert.equal(other.headers.get('etag'), first.headers.get('etag'), `${name}: ${path}`)
  }
  return first
}

async function graphql(caller: Asking, query: string, variables: object = {}) {
  const { body } = await read(caller, 'POST', '/graphql', { query, variables })
  assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  return body.data
}

const graphqlFields = 'id ownerId teamId isOpen name email code phone salary homeId tags rank homeName line label'
/** Fields that GraphQL shows as null where REST leaves them out. */
function withNulls(record: Shown): Shown {
  return Object.fromEntries(graphqlFields.split(' ').map((name) => [name, record[name] ?? null]))
}
const byId = (some: readonly Shown[]) => some.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))

/** Every door that shows cards: what it shows to a caller, and what it should. */
type Door = (
  caller: Asking,
  world: World,
) => Promise<{ readonly found: readonly Shown[]; readonly expected: readonly Shown[] }>

const everyCard = (caller: Asking, { cards, shown }: World) => cards.map((card) => shown(caller, card))

const doors: Readonly<Record<string, Door>> = {
  async list(caller, world) {
    const { body } = await read(caller, 'GET', '/api/v1/cards?limit=100')
    return { found: body.data, expected: everyCard(caller, world) }
  },
  async get(caller, world) {
    const found = []
    for (const { id } of world.cards) found.push((await read(caller, 'GET', `/api/v1/cards/${id}`)).body)
    return { found, expected: everyCard(caller, world) }
  },
  async 'selected fields'(caller, world) {
    const names = ['id', 'email', 'salary', 'homeName', 'line'].filter(
      (name) => caller.id !== null || !['email', 'salary', 'line'].includes(name),
    )
    const { body } = await read(caller, 'GET', `/api/v1/cards?limit=100&fields=${names.join()}`)
    const some = (card: Shown) => Object.fromEntries(Object.entries(card).filter(([name]) => names.includes(name)))
    return { found: body.data, expected: everyCard(caller, world).map(some) }
  },
  async children(caller, world) {
    const found = []
    for (const { id } of world.teams) found.push(...(await read(caller, 'GET', `/api/v1/teams/${id}/cards`)).body.data)
    return { found, expected: inTeams(caller, world) }
  },
  async embedded(caller, world) {
    const { body } = await read(caller, 'GET', '/api/v1/teams?limit=100')
    return { found: body.data.flatMap(({ crew }: { crew: Shown[] }) => crew), expected: inTeams(caller, world) }
  },
  async 'expanded children'(caller, world) {
    const { body } = await read(caller, 'GET', '/api/v1/teams?limit=100&fields=id,cards.name&expand=cards(limit:100)')
    const whole = await read(caller, 'GET', '/api/v1/teams?limit=100&expand=cards(limit:100)')
    assert.equal(body.data.length, whole.body.data.length)
    const found = whole.body.data.flatMap(({ cards }: { cards: Shown[] }) => cards)
    return { found, expected: inTeams(caller, world) }
  },
  async 'expanded reference'(caller, world) {
    const { body } = await read(caller, 'GET', '/api/v1/notes?limit=100&expand=card')
    return { found: body.data.map(({ card }: { card: Shown }) => card), expected: ofNotes(caller, world) }
  },
  async 'reference of a hidden field'(caller, world) {
    const { body } = await read(caller, 'GET', '/api/v1/cards?limit=100&expand=home')
    const found = body.data.map(({ id, home }: { id: string; home: Shown | null }) => ({ id, home: home?.id ?? null }))
    const expected = everyCard(caller, world).map(({ id, homeId }) => ({ id, home: homeId ?? null }))
    return { found, expected }
  },
  async export(caller, world) {
    const { text } = await read(caller, 'GET', '/api/v1/cards/export')
    const found = text.split('\n').filter((line) => line !== '')
    return { found: found.map((line) => JSON.parse(line)), expected: everyCard(caller, world) }
  },
  async 'GraphQL list'(caller, world) {
    const { cards } = await graphql(caller, `{ cards(limit: 100) { data { ${graphqlFields} } } }`)
    return { found: cards.data, expected: everyCard(caller, world).map(withNulls) }
  },
  async 'GraphQL relations'(caller, world) {
    const ofTeams = (below: string) => graphql(caller, `{ teams(limit: 3) { data { ${below} } } }`)
    const { teams: embedding } = await ofTeams(`crew { ${graphqlFields} }`)
    const expected = inTeams(caller, world).map(withNulls)
    const crew = embedding.data.flatMap((team: { crew: Shown[] }) => team.crew)
    assert.deepEqual(byId(crew), byId(expected), `${caller.name}: crew`)
    const { teams } = await ofTeams(`cards(limit: 20) { ${graphqlFields} home { id } }`)
    const found = teams.data.flatMap((team: { cards: Shown[] }) => team.cards)
    const homed = expected.map((card) => ({ ...card, home: card.homeId === null ? null : { id: card.homeId } }))
    return { found, expected: homed }
  },
  async 'GraphQL reference'(caller, world) {
    const { notes } = await graphql(caller, `{ notes(limit: 100) { data { card { ${graphqlFields} } } } }`)
    const found = notes.data.map(({ card }: { card: Shown }) => card)
    return { found, expected: ofNotes(caller, world).map(withNulls) }
  },
  async batch(caller, world) {
    const operations = world.cards.slice(0, 10).map(({ id }) => ({ method: 'GET', path: `/cards/${id}` }))
    const { body } = await read(caller, 'POST', '/api/v1/batch', { operations })
    const found = body.data.map((one: { body: Shown }) => one.body)
    return { found, expected: everyCard(caller, world).slice(0, 10) }
  },
}

const inTeams = (caller: Asking, { cards, shown }: World) =>
  cards.filter(({ teamId }) => teamId !== null).map((card) => shown(caller, card))
const ofNotes = (caller: Asking, { cards, notes, shown }: World) =>
  notes.map(({ cardId }) => shown(caller, cards.find(({ id }) => id === cardId) as Stored))

async function change(name: string, changes: (row: Stored) => Stored): Promise<void> {
  const resource = kept.service.engine.catalog.get(name)
  const row = pick(await rowsOf(name))
  await kept.service.engine.records.transaction(tester, async (tx) => {
    const { lock } = tx
    const found = await lock(resource, { kind: 'compare', field: 'id', operator: 'eq', value: row.id as string })
    await tx.change(resource, found?.row as never, changes(row))
  })
}

/** Writes that move the rules: of the card, of its team, and of what another record shows. */
const writes: readonly (() => Promise<void>)[] = [
  () => change('card', ({ isOpen }) => ({ isOpen: isOpen !== true })),
  () => change('card', () => ({ ownerId: pick(callers).id })),
  () => change('card', () => ({ email: pick(['a@x.y', 'n@x.y', null]), salary: pick([1, 5, null]) })),
  () => change('team', () => ({ leadId: pick(callers).id })),
  () => change('team', () => ({ name: `Team ${Math.floor(random() * 1000)}` })),
]

test('every door shows a field exactly where its rule holds, whatever was written before', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const world = await lookAround()
    const some = round === 0 ? callers : [pick(callers), pick(callers)]
    for (const caller of some)
      for (const [name, door] of Object.entries(doors)) {
        const { found, expected } = await door(caller, world)
        assert.deepEqual(byId(found), byId(expected), `${name} for ${caller.name}, round ${round}`)
      }
    await pick(writes)()
  }
})

const visibleTo = ({ id }: Caller) => ruled.filter((name) => id !== null || ['phone', 'homeId', 'tags'].includes(name))

/** A random filter on these fields, as a tree. */
function filterOn(names: readonly string[], teams: readonly Stored[], depth = 3): object {
  const below = () => filterOn(names, teams, depth - 1)
  if (depth > 0 && random() < 0.5)
    return pick([{ and: [below(), below()] }, { or: [below(), below()] }, { not: below() }])
  const name = pick([...names, 'name'].filter((one) => one !== 'line'))
  const values: Readonly<Record<string, readonly unknown[]>> = {
    email: ['a@x.y', 'b@x.y', 'n@x.y'],
    code: ['code 1', 'code 2'],
    phone: ['1', '2', '4'],
    salary: [1, 2, 5],
    homeId: teams.map(({ id }) => id),
    tags: ['a', 'b'],
    name: ['Ann', 'Ben'],
  }
  const value = () => pick(values[name] as readonly unknown[])
  if (name === 'homeId' && random() < 0.4) return { home: { name: { startsWith: pick(['Team', 'Team 1', 'none']) } } }
  const { operators } = kept.service.engine.catalog.get('card').fields[name]?.type ?? { operators: [] }
  const operator = pick(operators)
  if (operator === 'null') return { [name]: { null: random() < 0.5 } }
  if (operator === 'in') return { [name]: { in: [value(), value()] } }
  if (operator === 'contains' || operator === 'startsWith')
    return { [name]: { [operator]: String(value()).slice(0, pick([1, 3])) } }
  return { [name]: { [operator]: value() } }
}

/** Stores what each caller may see of each card, as records without rules. */
async function mirror({ cards, shown }: World): Promise<void> {
  const { catalog, records } = kept.service.engine
  const resource = catalog.get('mirror')
  await records.transaction(tester, async (tx) => {
    await tx.removeWhere(resource, always)
    for (const caller of callers)
      for (const card of cards) {
        const { id, rank, homeName, line, label, ...seen } = shown(caller, card)
        const values = { phone: null, tags: null, ...seen, of: id, seenBy: caller.name }
        await tx.insert(await tx.prepare(resource, values))
      }
  })
}

/** Filters through a reference that some records hide; each caller asks them. */
const homed = { home: { name: { startsWith: 'Team' } } }
const certain: readonly object[] = [homed, { not: homed }]

test('a filter takes the field as null on the records that hide it', async () => {
  const asks = shortOr(40, 2_000)
  let [world, matched] = [await lookAround(), 0]
  const admin = callers.at(-1) as Asking
  for (let at = 0; at < asks; at += 1) {
    if (at % Math.ceil(asks / 6) === 0) {
      await pick(writes)()
      world = await lookAround()
      await mirror(world)
    }
    const caller = callers[at % callers.length] as Asking
    const filter = certain[Math.floor(at / callers.length)] ?? filterOn(visibleTo(caller), world.teams)
    const sent = encodeURIComponent(JSON.stringify(filter))
    const { body } = await read(caller, 'GET', `/api/v1/cards?limit=100&filter=${sent}`)
    const seen = { and: [{ seenBy: { eq: caller.name } }, filter] }
    const mirrored = `/api/v1/mirrors?limit=100&filter=${encodeURIComponent(JSON.stringify(seen))}`
    const expected = (await kept.ask('GET', mirrored, admin.asked)).body
    const about = `${caller.name}: ${JSON.stringify(filter)}`
    assert.deepEqual(
      body.data.map(({ id }: Shown) => id).toSorted(),
      expected.data.map(({ of }: Shown) => of).toSorted(),
      about,
    )
    assert.equal(body.meta.total, expected.meta.total, about)
    const query =
      'query ($filter: CardFilter) { cards(filter: $filter, limit: 100) { data { id email } meta { total } } }'
    const { cards } = await graphql(caller, query, { filter })
    assert.deepEqual(
      cards.data,
      body.data.map(({ id, email = null }: Shown) => ({ id, email })),
      about,
    )
    const summary = await read(caller, 'GET', `/api/v1/cards/summary?filter=${sent}`)
    assert.equal(summary.body.data[0]?.count, body.meta.total, about)
    matched += body.data.length > 0 && body.data.length < cardCount ? 1 : 0
  }
  assert.ok(matched > asks / 4, `${matched} filters found some records and not all`)
})
