/**
 * Memberships on a running service. Rules judge by them at once, and a creator becomes the owner.
 * The last owner stays, and no member gives a role above its own.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { until } from '../helpers/until.ts'

const service = await startService(clubhouse)
after(() => service.stop())
const { ask } = service
const api = '/api/v1'

type Caller = { readonly token?: string; readonly key?: string }
const post = (path: string, body: object, by: Caller) => ask('POST', `${api}${path}`, { body, ...by })
const patch = (path: string, body: object, by: Caller) => ask('PATCH', `${api}${path}`, { body, ...by })
const remove = (path: string, by: Caller) => ask('DELETE', `${api}${path}`, by)
const get = (path: string, by: Caller) => ask('GET', `${api}${path}`, by)
const titles = async (by: Caller) =>
  (await get('/events?sort=title', by)).body.data.map(({ title }: { title: string }) => title)

async function made(path: string, body: object, by: Caller) {
  const reply = await post(path, body, by)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

let clubs = 0
/** A club of this owner, and the owner's membership. */
async function clubOf(owner: TestPerson): Promise<{ id: string; membership: string }> {
  clubs += 1
  const made = await post('/clubs', { name: `Club ${clubs}` }, owner)
  assert.equal(made.status, 201, made.text)
  return { id: made.body.id, membership: await membershipOf(owner, made.body.id, owner) }
}

async function membershipOf(user: TestPerson, clubId: string, by: Caller): Promise<string> {
  const { body } = await get(`/memberships?userId=${user.id}`, by)
  return body.data.find((one: { clubId: string }) => one.clubId === clubId)?.id
}

async function join(user: TestPerson, clubId: string, role: string, by: Caller): Promise<string> {
  const made = await post('/memberships', { clubId, userId: user.id, role }, by)
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const [owner, coach, player, stranger] = [
  await service.person(),
  await service.person(),
  await service.person(),
  await service.person(),
]

describe('rules about members', async () => {
  const club = await clubOf(owner)
  const other = await clubOf(stranger)
  await join(coach, club.id, 'COACH', owner)
  const asPlayer = await join(player, club.id, 'PLAYER', owner)
  for (const [title, state] of [
    ['draft', 'DRAFT'],
    ['match', 'PUBLISHED'],
  ])
    await made('/events', { clubId: club.id, title, state }, coach)
  await post('/events', { clubId: other.id, title: 'elsewhere', state: 'PUBLISHED' }, stranger)

  it('judge by the role in the tenant of the record', async () => {
    assert.deepEqual(await titles(coach), ['draft', 'match'])
    assert.deepEqual(await titles(player), ['match'])
    assert.deepEqual(await titles(stranger), ['elsewhere'])
    const refused = await post('/events', { clubId: club.id, title: 'mine' }, player)
    assert.equal(refused.status, 403, refused.text)
    const foreign = await post('/events', { clubId: other.id, title: 'theirs' }, coach)
    assert.equal(foreign.status, 404, foreign.text)
  })

  it('are the same in GraphQL, and for an API key', async () => {
    const query = '{ events { data { title } } }'
    const { body } = await ask('POST', '/graphql', { body: { query }, token: player.token })
    assert.deepEqual(body.data.events.data, [{ title: 'match' }])
    const key = await service.key(coach)
    assert.deepEqual(await titles({ key }), ['draft', 'match'])
  })

  it('heed a change at once', async () => {
    assert.equal((await patch(`/memberships/${asPlayer}`, { role: 'COACH' }, owner)).status, 200)
    assert.deepEqual(await titles(player), ['draft', 'match'])
    assert.equal((await patch(`/memberships/${asPlayer}`, { state: 'PAUSED' }, owner)).status, 200)
    assert.deepEqual(await titles(player), [])
    assert.equal((await patch(`/memberships/${asPlayer}`, { state: 'ACTIVE', role: 'PLAYER' }, owner)).status, 200)
    assert.deepEqual(await titles(player), ['match'])
    assert.equal((await remove(`/memberships/${asPlayer}`, player)).status, 204)
    assert.deepEqual(await titles(player), [])
    const lines = [`{"clubId":"${club.id}","userId":"${player.id}"}`].join('\n')
    const imported = await ask('POST', `${api}/memberships/import`, {
      raw: lines,
      type: 'application/x-ndjson',
      token: owner.token,
    })
    assert.equal(imported.body.created, 1, imported.text)
    assert.deepEqual(await titles(player), ['match'])
  })

  it('end an import under way with the membership', async () => {
    const [leaving, first, second, third] = await Promise.all([1, 2, 3, 4].map(() => service.person()))
    assert.ok(leaving && first && second && third)
    const asCoach = await join(leaving, club.id, 'COACH', owner)
    const lines = new TransformStream<Uint8Array, Uint8Array>()
    const writer = lines.writable.getWriter()
    const pad = ' '.repeat(500_000) // two such lines are stored at once
    const send = (user: TestPerson) =>
      writer.write(Buffer.from(`{"clubId":"${club.id}","userId":"${user.id}"${pad}}\n`))
    const headers = { authorization: `Bearer ${leaving.token}`, 'content-type': 'application/x-ndjson' }
    const sent = { method: 'POST', headers, body: lines.readable, duplex: 'half' as const }
    const importing = fetch(`${service.url}${api}/memberships/import`, sent)
    await Promise.all([send(first), send(second)])
    await until(async () => (await membershipOf(second, club.id, owner)) !== undefined, 'a membership')
    assert.equal((await remove(`/memberships/${asCoach}`, owner)).status, 204)
    await send(third)
    await writer.close()
    const ended = await (await importing).json()
    assert.deepEqual(ended, { created: 2, updated: 0, rejected: 1, errors: [{ line: 3, error: 'Club not found' }] })
    assert.equal(await membershipOf(third, club.id, owner), undefined)
  })

  it('may be about a group that the record names', async () => {
    const team = (await post('/teams', { clubId: club.id, name: 'U15' }, coach)).body
    assert.equal((await patch(`/teams/${team.id}`, { name: 'U16' }, player)).status, 403)
    const made = await post('/team-members', { teamId: team.id, userId: player.id, role: 'COACH' }, coach)
    assert.equal(made.status, 201, made.text)
    assert.equal((await patch(`/teams/${team.id}`, { name: 'U16' }, player)).status, 200)
    assert.equal((await patch(`/team-members/${made.body.id}`, { role: 'PLAYER' }, coach)).status, 200)
    assert.equal((await patch(`/teams/${team.id}`, { name: 'U17' }, player)).status, 403)
  })

  it('lead to the tenant through other records', async () => {
    const [event] = (await get('/events?title=match', player)).body.data
    const made = await post('/attendances', { eventId: event.id }, player)
    assert.equal(made.status, 201, made.text)
    assert.equal((await get('/attendances', coach)).body.data.length, 1)
    assert.deepEqual((await get('/attendances', stranger)).body.data, [])
  })
})

describe('the creator of a tenant', () => {
  const memberships = async (by: Caller, clubId: string) =>
    (await get('/memberships?limit=100', by)).body.data
      .filter((one: { clubId: string }) => one.clubId === clubId)
      .map((one: { userId: string; role: string }) => [one.userId, one.role])

  it('is its owner, whichever way it is made', async () => {
    const graphql = await ask('POST', '/graphql', {
      body: { query: 'mutation { createClub(input: { name: "By GraphQL" }) { id } }' },
      token: owner.token,
    })
    const batch = await post(
      '/batch',
      { operations: [{ method: 'POST', path: '/clubs', body: { name: 'By batch' } }] },
      owner,
    )
    assert.equal(batch.status, 200, batch.text)
    await ask('POST', `${api}/clubs/import`, {
      raw: '{"name":"By import"}',
      type: 'application/x-ndjson',
      token: owner.token,
    })
    const upserted = await ask('PUT', `${api}/clubs?on=name`, { body: { name: 'By upsert' }, token: owner.token })
    assert.equal(upserted.status, 201, upserted.text)
    await post('/clubs', { name: 'By key' }, { key: await service.key(owner) })
    assert.equal(graphql.body.errors, undefined, graphql.text)
    const { body } = await get('/clubs?limit=100', owner)
    for (const name of ['By GraphQL', 'By batch', 'By import', 'By upsert', 'By key']) {
      const club = body.data.find((one: { name: string }) => one.name === name)
      assert.deepEqual(await memberships(owner, club.id), [[owner.id, 'OWNER']], name)
    }
  })

  it('is none where an operator above tenants imports', async () => {
    const support = await service.person('SUPPORT')
    const raw = '{"name":"Moved here"}'
    const reply = await ask('POST', `${api}/clubs/import`, { raw, type: 'application/x-ndjson', token: support.token })
    assert.equal(reply.body.created, 1, reply.text)
    const { engine } = service.service
    const members = engine.catalog.get('membership')
    assert.equal(
      await engine.storage.count(members, { kind: 'compare', field: 'userId', operator: 'eq', value: support.id }),
      0,
    )
  })

  it('is undone with a club that cannot be stored', async () => {
    const club = await clubOf(owner)
    const { name } = (await get(`/clubs/${club.id}`, owner)).body
    assert.equal((await post('/clubs', { name }, stranger)).status, 409)
    assert.deepEqual(await memberships(owner, club.id), [[owner.id, 'OWNER']])
  })
})

describe('the last owner', () => {
  const words = /^This is the last OWNER of the club, who cannot leave, be demoted or be removed/

  it('cannot leave, be demoted or be paused', async () => {
    const { membership } = await clubOf(owner)
    for (const reply of [
      await remove(`/memberships/${membership}`, owner),
      await patch(`/memberships/${membership}`, { role: 'COACH' }, owner),
      await patch(`/memberships/${membership}`, { state: 'PAUSED' }, owner),
    ]) {
      assert.equal(reply.status, 409, reply.text)
      assert.match(reply.body.error, words)
    }
    assert.equal((await patch(`/memberships/${membership}`, { role: 'OWNER' }, owner)).status, 200)
  })

  it('stays when the account would go, and goes with the club', async () => {
    const person = await service.person()
    const club = await clubOf(person)
    const { admin } = service
    const refused = await remove(`/users/${person.id}`, await admin())
    assert.equal(refused.status, 409, refused.text)
    assert.match(refused.body.error, words)
    assert.equal((await remove(`/clubs/${club.id}`, person)).status, 204)
    assert.equal((await remove(`/users/${person.id}`, await admin())).status, 204)
  })

  it('is one of two who leave at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const club = await clubOf(owner)
      const second = await join(coach, club.id, 'OWNER', owner)
      const replies = await Promise.all([
        remove(`/memberships/${club.membership}`, owner),
        patch(`/memberships/${second}`, { role: 'PLAYER' }, coach),
      ])
      const statuses = replies.map(({ status }) => status).sort()
      assert.ok(statuses.includes(409) && statuses[0] !== 409, `${statuses}`)
    }
  })
})

describe('a member', async () => {
  const club = await clubOf(owner)
  const asCoach = await join(coach, club.id, 'COACH', owner)
  const asPlayer = await join(player, club.id, 'PLAYER', owner)

  it('gives no role above its own', async () => {
    const given = (role: string, by: Caller) => post('/memberships', { clubId: club.id, userId: stranger.id, role }, by)
    assert.equal((await given('OWNER', coach)).status, 403)
    assert.equal((await patch(`/memberships/${asPlayer}`, { role: 'OWNER' }, coach)).status, 403)
    assert.equal((await patch(`/memberships/${asCoach}`, { role: 'OWNER' }, coach)).status, 403)
    const nested = await post(`/clubs/${club.id}/memberships`, { userId: stranger.id, role: 'OWNER' }, coach)
    assert.equal(nested.status, 403, nested.text)
    const lines = `{"clubId":"${club.id}","userId":"${stranger.id}","role":"OWNER"}`
    const imported = await ask('POST', `${api}/memberships/import`, {
      raw: lines,
      type: 'application/x-ndjson',
      token: coach.token,
    })
    assert.equal(imported.body.rejected, 1, imported.text)
    const same = await given('COACH', coach)
    assert.equal(same.status, 201, same.text)
    assert.equal((await remove(`/memberships/${same.body.id}`, coach)).status, 204)
  })

  it('gives no role of a group above its own there, unless it has the highest role of the tenant', async () => {
    const team = await made('/teams', { clubId: club.id, name: 'First' }, coach)
    const inTeam = (user: TestPerson, role: string, by: Caller) =>
      post('/team-members', { teamId: team.id, userId: user.id, role }, by)
    for (const one of [coach, owner]) assert.equal((await inTeam(one, 'PLAYER', owner)).status, 201)
    assert.equal((await inTeam(player, 'COACH', coach)).status, 403)
    const given = await inTeam(player, 'COACH', owner)
    assert.equal(given.status, 201, given.text)
    assert.equal((await remove(`/team-members/${given.body.id}`, coach)).status, 403)
    assert.equal((await remove(`/team-members/${given.body.id}`, owner)).status, 204)
  })

  it('changes and removes no membership above its own', async () => {
    assert.equal((await patch(`/memberships/${club.membership}`, { role: 'PLAYER' }, coach)).status, 403)
    assert.equal((await patch(`/memberships/${club.membership}`, { state: 'PAUSED' }, coach)).status, 403)
    assert.equal((await remove(`/memberships/${club.membership}`, coach)).status, 403)
    assert.equal((await remove(`/memberships/${asPlayer}`, coach)).status, 204)
  })

  it('may step down and leave', async () => {
    assert.equal((await patch(`/memberships/${asCoach}`, { role: 'PLAYER' }, coach)).status, 200)
    assert.equal((await remove(`/memberships/${asCoach}`, coach)).status, 204)
  })

  it('is a member once', async () => {
    const twice = await post('/memberships', { clubId: club.id, userId: owner.id }, owner)
    assert.equal(twice.status, 409, twice.text)
  })
})

describe('the most memberships of a user', () => {
  const { records, catalog } = service.service.engine
  const insert = (name: string, values: object) =>
    records.transaction(serviceAuthor, async (tx) =>
      tx.insert(await tx.prepare(catalog.get(name), values as Record<string, unknown>)),
    )
  async function joinMany(userId: string, count: number, author = serviceAuthor) {
    await records.transaction(author, async (tx) => {
      const [clubs, members] = [catalog.get('club'), catalog.get('membership')]
      for (let i = 0; i < count; i += 1) {
        const club = await tx.insert(await tx.prepare(clubs, { name: `${userId} ${count} ${i}` }))
        const owner = { clubId: club.id, userId, role: 'OWNER' }
        await tx.insertAll([await tx.prepare(members, owner)])
      }
    })
  }

  it('tells their number to that user alone, and strangers leave room for the own', async () => {
    const busy = await service.person()
    await joinMany(busy.id, 500)
    const club = await clubOf(owner)
    const add = () => post('/memberships', { clubId: club.id, userId: busy.id }, owner)
    const refused = await add()
    assert.deepEqual([refused.status, refused.body], [409, { error: 'This user cannot join now' }])
    assert.equal((await post('/clubs', { name: 'Of their own' }, busy)).status, 201)
    await joinMany(busy.id, 499, { ...serviceAuthor, userId: busy.id })
    const own = await post('/clubs', { name: 'One more' }, busy)
    assert.deepEqual([own.status, own.body], [409, { error: 'A user may be a member of at most 1000 clubs' }])
  })

  it('of groups counts within their tenant, and those of later tenants come last', async () => {
    const ben = await service.person()
    const own = await clubOf(owner)
    await post('/memberships', { clubId: own.id, userId: ben.id }, owner)
    const stranger = await insert('club', { name: 'Strangers' })
    await insert('membership', { clubId: stranger.id, userId: ben.id, role: 'PLAYER' })
    await records.transaction(serviceAuthor, async (tx) => {
      for (let i = 0; i < 1_000; i += 1) {
        const team = await tx.insert(await tx.prepare(catalog.get('team'), { clubId: stranger.id, name: `T${i}` }))
        await tx.insert(await tx.prepare(catalog.get('teamMember'), { teamId: team.id, userId: ben.id, role: 'COACH' }))
      }
    })
    const team = (await post('/teams', { clubId: own.id, name: 'Eights' }, owner)).body.id
    const added = await post('/team-members', { teamId: team, userId: ben.id, role: 'COACH' }, owner)
    assert.equal(added.status, 201, added.text)
    assert.equal((await patch(`/teams/${team}`, { name: 'Fours' }, ben)).status, 200)
    const more = await insert('team', { clubId: stranger.id, name: 'One more' })
    const beyond = { teamId: more.id, userId: ben.id, role: 'COACH' }
    await assert.rejects(insert('teamMember', beyond), /This user cannot join now/)
  })
})
