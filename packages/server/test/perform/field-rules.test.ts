/**
 * Fields whose rule depends on the record, at every door: random callers and records against the
 * same rules as plain code. A filter finds what it would find in a world where the field is null on
 * the records that hide it. REST equals GraphQL, and responses that are cached equal new ones.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { always } from '../../src/resource/condition.ts'
import { shortOr } from '../helpers/long.ts'
import { tester } from '../storage/library.ts'
import { type Caller, ruled } from './carded-people.ts'
import { consoleDoors } from './field-client-doors.ts'
import { doorNames, doorOf } from './field-doors.ts'
import { byId } from './field-request-doors.ts'
import {
  type Asking,
  cardCount,
  type FieldWorld,
  type Moment,
  pick,
  random,
  type Shown,
  startFieldWorld,
} from './field-world.ts'

const rounds = shortOr(3, 150)

let world: FieldWorld
before(async () => {
  world = await startFieldWorld()
})
after(() => world.stop())

test('every door shows a field exactly where its rule holds, whatever was written before', async () => {
  const { callers, lookAround, write } = world
  for (let round = 0; round < rounds; round += 1) {
    const moment = await lookAround()
    const some = round === 0 ? callers : [pick(callers), pick(callers)]
    for (const caller of some)
      for (const name of doorNames) {
        const { found, expected } = await doorOf(name)(world, caller, moment)
        assert.deepEqual(byId(found), byId(expected), `${name} for ${caller.name}, round ${round}`)
      }
    await write()
  }
})

test('the files of the console have all fields of all records, and change none', async () => {
  for (const [name, door] of Object.entries(consoleDoors)) {
    const { found, expected } = await door(world, await world.lookAround())
    assert.deepEqual(byId(found), byId(expected), name)
  }
})

const visibleTo = ({ id }: Caller) => ruled.filter((name) => id !== null || ['phone', 'homeId', 'tags'].includes(name))

/** A random filter on these fields, as a tree. */
function filterOn(names: readonly string[], teams: Moment['teams'], depth = 3): object {
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
  const { operators } = world.kept.service.engine.catalog.get('card').fields[name]?.type ?? { operators: [] }
  const operator = pick(operators)
  if (operator === 'null') return { [name]: { null: random() < 0.5 } }
  if (operator === 'in') return { [name]: { in: [value(), value()] } }
  if (operator === 'contains' || operator === 'startsWith')
    return { [name]: { [operator]: String(value()).slice(0, pick([1, 3])) } }
  return { [name]: { [operator]: value() } }
}

/** Stores what each caller may see of each card, as records without rules. */
async function mirror({ cards, shown }: Moment): Promise<void> {
  const { catalog, records } = world.kept.service.engine
  const resource = catalog.get('mirror')
  await records.transaction(tester, async (tx) => {
    await tx.removeWhere(resource, always)
    for (const caller of world.callers)
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
  const { kept, callers, lookAround, read, graphql, write } = world
  let [moment, matched] = [await lookAround(), 0]
  const admin = callers.at(-1) as Asking
  for (let at = 0; at < asks; at += 1) {
    if (at % Math.ceil(asks / 6) === 0) {
      await write()
      moment = await lookAround()
      await mirror(moment)
    }
    const caller = callers[at % callers.length] as Asking
    const filter = certain[Math.floor(at / callers.length)] ?? filterOn(visibleTo(caller), moment.teams)
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
