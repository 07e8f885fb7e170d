/**
 * `reference('team', { match: 'clubId' })`: a record and the one that it refers to share a field. A
 * record of another club is refused as if it did not exist, and neither side leaves the other.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, choice, defineAction, defineResource, id, reference, text, where } from '../../src/index.ts'
import { type Ask, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'

const open = {
  list: anyone,
  get: anyone,
  create: anyone,
  replace: anyone,
  update: anyone,
  delete: anyone,
  import: anyone,
}
const list = { style: 'page', bulk: true } as const

const clubs = defineResource({ name: 'club', path: '/clubs', fields: { id: id(), name: text() }, list, access: open })
const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: { id: id(), name: text(), clubId: reference('club'), level: choice(['A', 'B'], { default: 'A' }) },
  list,
  access: open,
})
const matches = defineResource({
  name: 'fixture',
  path: '/fixtures',
  description: 'A match of a team.',
  fields: {
    id: id(),
    name: text({ unique: true }),
    clubId: reference('club'),
    level: choice(['A', 'B'], { default: 'A' }),
    teamId: reference('team', { match: 'clubId' }),
    rivalId: reference('team', { match: ['clubId', 'level'], description: 'Its rival.' }),
    aboveId: reference('fixture', { match: 'clubId' }),
    state: choice(['SHOWN', 'HIDDEN'], { default: 'SHOWN' }),
  },
  upsert: ['name'],
  list,
  access: {
    ...open,
    get: where({ state: 'SHOWN' }),
    list: where({ state: 'SHOWN' }),
    move: anyone,
    create: where({ level: 'A' }),
  },
  actions: {
    move: defineAction({
      input: { clubId: text({ required: true }) },
      async run({ record, input, records }) {
        await records(matches).update((record as { id: string }).id, { clubId: input.clubId })
      },
    }),
  },
})

let service: TestService
let ask: Ask
let ours: string
let theirs: string
let team: string
let others: string
before(async () => {
  service = await startService([clubs, teams, matches])
  ask = service.ask
  ours = await made('clubs')
  theirs = await made('clubs')
  team = await made('teams', { clubId: ours })
  others = await made('teams', { clubId: theirs })
})
after(() => service.stop())

const post = (path: string, body: object = {}): Promise<TestResponse> => ask('POST', `/api/v1/${path}`, { body })
const patch = (path: string, body: object): Promise<TestResponse> => ask('PATCH', `/api/v1/${path}`, { body })
const remove = (path: string): Promise<TestResponse> => ask('DELETE', `/api/v1/${path}`)
const bodyOf = async (path: string) => (await ask('GET', `/api/v1/${path}`)).body
const said = ({ status, body }: TestResponse) => [status, body?.error]

async function made(path: string, body: object = {}): Promise<string> {
  const reply = await post(path, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

const absent = 'teamId refers to no team that exists'

describe('a record that refers', () => {
  it('names only records with its own value, by every path; a missing one gets the same answer', async () => {
    const known = await made('fixtures', { clubId: ours, teamId: team })
    const wrong = { clubId: ours, teamId: others }
    assert.deepEqual(said(await post('fixtures', wrong)), [400, absent])
    const nothing = '01a21881-325a-7000-85bd-000000000000'
    assert.deepEqual(said(await post('fixtures', { ...wrong, teamId: nothing })), [400, absent])
    assert.deepEqual(said(await patch(`fixtures/${known}`, { teamId: others })), [400, absent])
    assert.deepEqual(said(await ask('PUT', `/api/v1/fixtures/${known}`, { body: wrong })), [400, absent])
    assert.deepEqual(said(await ask('PUT', '/api/v1/fixtures?on=name', { body: { name: 'a', ...wrong } })), [
      400,
      absent,
    ])
    const query = 'mutation ($input: CreateFixtureInput!) { createFixture(input: $input) { id } }'
    const { errors } = (await ask('POST', '/graphql', { body: { query, variables: { input: wrong } } })).body
    assert.equal(errors[0].message, absent)
    const raw = [wrong, { clubId: theirs, teamId: others }, { id: known, teamId: others }]
      .map((line) => JSON.stringify(line))
      .join('\n')
    const imported = (await ask('POST', '/api/v1/fixtures/import', { raw, type: 'application/x-ndjson' })).body
    assert.deepEqual([imported.created, imported.rejected, imported.errors[1].error], [1, 2, absent])
    const operations = [{ method: 'PATCH', path: `/fixtures/${known}`, body: { teamId: others } }]
    const batch = await ask('POST', '/api/v1/batch', { body: { operations } })
    assert.equal(batch.body.error, `operations[0]: ${absent}; nothing was stored`)
  })

  it('keeps its own value while it refers, also in an action, and may change both at once', async () => {
    const one = await made('fixtures', { clubId: ours, teamId: team })
    assert.deepEqual(said(await patch(`fixtures/${one}`, { clubId: theirs })), [400, absent])
    assert.deepEqual(said(await post(`fixtures/${one}/move`, { clubId: theirs })), [400, absent])
    assert.equal((await patch(`fixtures/${one}`, { clubId: theirs, teamId: others })).status, 200)
    assert.equal((await patch(`fixtures/${one}`, { clubId: ours, teamId: null })).status, 200)
  })

  it('names any record while its own value is null', async () => {
    const one = await made('fixtures', { teamId: others })
    assert.deepEqual(said(await patch(`fixtures/${one}`, { clubId: ours })), [400, absent])
    assert.equal((await patch(`fixtures/${one}`, { clubId: theirs })).status, 200)
    const free = await made('teams')
    assert.deepEqual(said(await post('fixtures', { clubId: ours, teamId: free })), [400, absent])
  })

  it('shares each field of a list', async () => {
    const second = await made('teams', { clubId: ours, level: 'B' })
    const refusal = [400, 'rivalId refers to no team that exists']
    assert.deepEqual(said(await post('fixtures', { clubId: ours, rivalId: second })), refusal)
    const one = await made('fixtures', { clubId: ours, rivalId: team })
    assert.deepEqual(said(await patch(`fixtures/${one}`, { level: 'B' })), refusal)
    assert.equal((await patch(`fixtures/${one}`, { level: 'B', rivalId: second })).status, 200)
  })

  it('is told of it only where its rule lets it be written', async () => {
    assert.equal((await post('fixtures', { clubId: ours, teamId: others, level: 'B' })).status, 403)
  })

  it('may name itself', async () => {
    const one = await made('fixtures', { clubId: ours })
    assert.equal((await patch(`fixtures/${one}`, { aboveId: one })).status, 200)
    assert.equal((await patch(`fixtures/${one}`, { clubId: theirs })).status, 200)
  })
})

describe('a record that others refer to', () => {
  async function held(): Promise<{ readonly home: string; readonly one: string }> {
    const home = await made('teams', { clubId: ours })
    return { home, one: await made('fixtures', { clubId: ours, teamId: home }) }
  }

  it('keeps the shared value, and says how many records share it, as far as the caller sees them', async () => {
    const { home, one } = await held()
    const path = `teams/${home}`
    const refusal = (rest: string) => [409, `This team cannot change clubId: ${rest} the same clubId`]
    assert.deepEqual(said(await patch(path, { clubId: theirs })), refusal('1 fixture refers to it and has'))
    await made('fixtures', { clubId: ours, teamId: home })
    assert.deepEqual(said(await patch(path, { clubId: null })), refusal('2 fixtures refer to it and have'))
    await made('fixtures', { clubId: ours, teamId: home, state: 'HIDDEN' })
    const told = refusal('2 fixtures and other records refer to it and have')
    assert.deepEqual(said(await patch(path, { clubId: theirs })), told)
    assert.deepEqual(said(await ask('PATCH', `/api/v1/teams?id=${home}&limit=1`, { body: { clubId: theirs } })), told)
    assert.equal((await patch(path, { name: 'new', clubId: ours })).status, 200)
    assert.equal((await bodyOf(`fixtures/${one}`)).teamId, home)
  })

  it('is free where those that refer to it have no value, or another reference', async () => {
    const home = await made('teams', { clubId: ours })
    await made('fixtures', { teamId: home })
    assert.equal((await patch(`teams/${home}`, { clubId: theirs, level: 'B' })).status, 200)
  })

  it('leaves with all that shared it, where a deletion clears the shared value', async () => {
    const club = await made('clubs')
    const home = await made('teams', { clubId: club })
    const one = await made('fixtures', { clubId: club, teamId: home })
    assert.equal((await remove(`clubs/${club}`)).status, 204)
    const { clubId, teamId } = await bodyOf(`fixtures/${one}`)
    assert.deepEqual([clubId, teamId, (await bodyOf(`teams/${home}`)).clubId], [null, home, null])
  })

  it('and those that come to refer to it at the same time never part', async () => {
    for (let round = 0; round < 5; round += 1) {
      const home = await made('teams', { clubId: ours })
      const replies = await Promise.all([
        ...Array.from({ length: 4 }, () => post('fixtures', { clubId: ours, teamId: home })),
        patch(`teams/${home}`, { clubId: theirs }),
        ...Array.from({ length: 4 }, () => post('fixtures', { clubId: ours, teamId: home })),
      ])
      const isMoved = replies[4]?.status === 200
      const { clubId } = await bodyOf(`teams/${home}`)
      const { meta } = await bodyOf(`fixtures?teamId=${home}`)
      assert.deepEqual([clubId, isMoved && meta.total > 0], [isMoved ? theirs : ours, false])
      assert.equal(replies.filter(({ status }) => status === 201).length, meta.total)
    }
  })
})

it('the documents say which records a reference takes, and where a form lists them', async () => {
  const { schemas } = (await ask('GET', '/openapi.json')).body.components
  const described = (schema: string, field: string): string => {
    const property = schemas[schema].properties[field]
    return (property.$ref ? schemas[property.$ref.split('/').at(-1)] : property).description
  }
  const choices = '`GET /api/v1/teams?clubId=…` lists those to choose from.'
  const shown = 'The id of the team that this fixture refers to. The team has the same `clubId`.'
  assert.equal(described('Fixture', 'teamId'), shown)
  assert.equal(described('FixtureCreate', 'teamId'), `${shown} ${choices}`)
  const rival = 'Its rival. The team has the same `clubId` and `level`.'
  assert.equal(
    described('FixtureCreate', 'rivalId'),
    `${rival} \`GET /api/v1/teams?clubId=…&level=…\` lists those to choose from.`,
  )
  assert.deepEqual((await bodyOf(`teams?clubId=${theirs}&id=${others}`)).data[0].id, others)
})
