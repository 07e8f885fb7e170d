/**
 * Doors that show cards by a request of HTTP: REST with its forms, batches and GraphQL. Each says
 * what it shows to a caller, and what plain code says.
 */
import assert from 'node:assert/strict'
import type { Stored } from './carded-people.ts'
import type { Asking, FieldWorld, Moment, Shown } from './field-world.ts'

/** Every door that shows cards: what it shows to a caller, and what it should. */
export type Door = (world: FieldWorld, caller: Asking, moment: Moment) => Promise<Seen>
export type Seen = { readonly found: readonly Shown[]; readonly expected: readonly Shown[] }

const graphqlFields = 'id ownerId teamId isOpen name email code phone salary homeId tags rank homeName line label'
/** Fields that GraphQL shows as null where REST leaves them out. */
function withNulls(record: Shown): Shown {
  return Object.fromEntries(graphqlFields.split(' ').map((name) => [name, record[name] ?? null]))
}
export const byId = (some: readonly Shown[]) => some.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))

export const everyCard = (caller: Asking, { cards, shown }: Moment) => cards.map((card) => shown(caller, card))

export const inTeams = (caller: Asking, { cards, shown }: Moment) =>
  cards.filter(({ teamId }) => teamId !== null).map((card) => shown(caller, card))
const ofNotes = (caller: Asking, { cards, notes, shown }: Moment) =>
  notes.map(({ cardId }) => shown(caller, cards.find(({ id }) => id === cardId) as Stored))

export const requestDoors = {
  async list({ read }, caller, moment) {
    const { body } = await read(caller, 'GET', '/api/v1/cards?limit=100')
    return { found: body.data, expected: everyCard(caller, moment) }
  },
  async get({ read }, caller, moment) {
    const found = []
    for (const { id } of moment.cards) found.push((await read(caller, 'GET', `/api/v1/cards/${id}`)).body)
    return { found, expected: everyCard(caller, moment) }
  },
  async 'selected fields'({ read }, caller, moment) {
    const names = ['id', 'email', 'salary', 'homeName', 'line'].filter(
      (name) => caller.id !== null || !['email', 'salary', 'line'].includes(name),
    )
    const { body } = await read(caller, 'GET', `/api/v1/cards?limit=100&fields=${names.join()}`)
    const some = (card: Shown) => Object.fromEntries(Object.entries(card).filter(([name]) => names.includes(name)))
    return { found: body.data, expected: everyCard(caller, moment).map(some) }
  },
  async children({ read }, caller, moment) {
    const found = []
    for (const { id } of moment.teams) found.push(...(await read(caller, 'GET', `/api/v1/teams/${id}/cards`)).body.data)
    return { found, expected: inTeams(caller, moment) }
  },
  async embedded({ read }, caller, moment) {
    const { body } = await read(caller, 'GET', '/api/v1/teams?limit=100')
    return { found: body.data.flatMap(({ crew }: { crew: Shown[] }) => crew), expected: inTeams(caller, moment) }
  },
  async 'expanded children'({ read }, caller, moment) {
    const { body } = await read(caller, 'GET', '/api/v1/teams?limit=100&fields=id,cards.name&expand=cards(limit:100)')
    const whole = await read(caller, 'GET', '/api/v1/teams?limit=100&expand=cards(limit:100)')
    assert.equal(body.data.length, whole.body.data.length)
    const found = whole.body.data.flatMap(({ cards }: { cards: Shown[] }) => cards)
    return { found, expected: inTeams(caller, moment) }
  },
  async 'expanded reference'({ read }, caller, moment) {
    const { body } = await read(caller, 'GET', '/api/v1/notes?limit=100&expand=card')
    return { found: body.data.map(({ card }: { card: Shown }) => card), expected: ofNotes(caller, moment) }
  },
  async 'reference of a hidden field'({ read }, caller, moment) {
    const { body } = await read(caller, 'GET', '/api/v1/cards?limit=100&expand=home')
    const found = body.data.map(({ id, home }: { id: string; home: Shown | null }) => ({ id, home: home?.id ?? null }))
    const expected = everyCard(caller, moment).map(({ id, homeId }) => ({ id, home: homeId ?? null }))
    return { found, expected }
  },
  async export({ read }, caller, moment) {
    const { text } = await read(caller, 'GET', '/api/v1/cards/export')
    const found = text.split('\n').filter((line) => line !== '')
    return { found: found.map((line) => JSON.parse(line)), expected: everyCard(caller, moment) }
  },
  async 'GraphQL list'({ graphql }, caller, moment) {
    const { cards } = await graphql(caller, `{ cards(limit: 100) { data { ${graphqlFields} } } }`)
    return { found: cards.data, expected: everyCard(caller, moment).map(withNulls) }
  },
  async 'GraphQL relations'({ graphql }, caller, moment) {
    const ofTeams = (below: string) => graphql(caller, `{ teams(limit: 3) { data { ${below} } } }`)
    const { teams: embedding } = await ofTeams(`crew { ${graphqlFields} }`)
    const expected = inTeams(caller, moment).map(withNulls)
    const crew = embedding.data.flatMap((team: { crew: Shown[] }) => team.crew)
    assert.deepEqual(byId(crew), byId(expected), `${caller.name}: crew`)
    const { teams } = await ofTeams(`cards(limit: 20) { ${graphqlFields} home { id } }`)
    const found = teams.data.flatMap((team: { cards: Shown[] }) => team.cards)
    const homed = expected.map((card) => ({ ...card, home: card.homeId === null ? null : { id: card.homeId } }))
    return { found, expected: homed }
  },
  async 'GraphQL reference'({ graphql }, caller, moment) {
    const { notes } = await graphql(caller, `{ notes(limit: 100) { data { card { ${graphqlFields} } } } }`)
    const found = notes.data.map(({ card }: { card: Shown }) => card)
    return { found, expected: ofNotes(caller, moment).map(withNulls) }
  },
  async batch({ read }, caller, moment) {
    const operations = moment.cards.slice(0, 10).map(({ id }) => ({ method: 'GET', path: `/cards/${id}` }))
    const { body } = await read(caller, 'POST', '/api/v1/batch', { body: { operations } })
    const found = body.data.map((one: { body: Shown }) => one.body)
    return { found, expected: everyCard(caller, moment).slice(0, 10) }
  },
} as const satisfies Readonly<Record<string, Door>>
