/**
 * `records.as(caller)` shows and refuses what a request of the caller would, in actions and hooks.
 * The applications have each kind of rule, rules of fields, and tenants.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestPerson } from 'bindery-server/test'
import { resources } from '../application/resources/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { makeCodeComparison, probes } from '../helpers/compare-code.ts'
import { makeReadComparison } from '../helpers/compare-reads.ts'

const yesterday = '2020-01-01T00:00:00Z'

test('in a clubhouse, for each caller and in each tenant', async (t) => {
  const service = await startService([...clubhouse, probes])
  t.after(() => service.stop())
  const [founder, coach, player, stranger] = await Promise.all(Array.from({ length: 4 }, () => service.person()))
  const people = { founder, coach, player, stranger, support: await service.person('SUPPORT') } as Record<
    string,
    TestPerson
  >
  const of = (name: string) => people[name] as TestPerson
  const made = async (path: string, by: TestPerson, body: object): Promise<string> => {
    const reply = await service.ask('POST', `/api/v1${path}`, { token: by.token, body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id
  }
  const club = await made('/clubs', of('founder'), { name: 'Rowing' })
  const other = await made('/clubs', of('stranger'), { name: 'Chess' })
  for (const [name, role] of [['coach', 'COACH'] as const, ['player', 'PLAYER'] as const])
    await made('/memberships', of('founder'), { clubId: club, userId: of(name).id, role })
  await made('/memberships', of('stranger'), { clubId: other, userId: of('player').id, role: 'COACH' })
  const team = await made('/teams', of('founder'), { clubId: club, name: 'Eight' })
  await made('/teams', of('stranger'), { clubId: other, name: 'Board' })
  await made('/team-members', of('founder'), { teamId: team, userId: of('player').id, role: 'COACH' })
  for (const [clubId, by] of [[club, 'coach'] as const, [other, 'stranger'] as const])
    for (const values of [{ state: 'DRAFT' }, { state: 'PUBLISHED' }, { state: 'PUBLISHED', endsAt: yesterday }])
      await service.make('event', { clubId, title: by, ...values })
  const events = (await service.ask('GET', '/api/v1/events', { token: of('player').token })).body.data
  for (const event of events) await made('/attendances', of('player'), { eventId: event.id })

  const { compare, counts, askedInCode } = makeCodeComparison(service)
  await compare('anonymous', {}, 3)
  for (const name of Object.keys(people)) await compare(name, { token: of(name).token }, 3)
  await compare('player in one club', { token: of('player').token, headers: { 'x-tenant': other } }, 3)
  const key = await service.key(of('coach'), { scopes: ['events:update', 'teams:read'] })
  await compare('key', { key }, 3)
  const reads = makeReadComparison(service, askedInCode)
  await reads.compare('anonymous', {})
  for (const name of ['coach', 'player', 'support']) await reads.compare(name, { token: of(name).token })
  await reads.compare('player in one club', { token: of('player').token, headers: { 'x-tenant': other } })
  await reads.compare('key', { key })
  assert.ok(reads.counts.found > 50 && reads.counts.refused > 50, JSON.stringify(reads.counts))
  assert.ok(counts.allowed > 80 && counts.refused > 80 && counts.hidden > 0, JSON.stringify(counts))
})

test('in a library, with rules of fields', async (t) => {
  const service = await startService([...resources, probes])
  t.after(() => service.stop())
  const admin = await service.admin()
  const [owner, stranger, editor] = [await service.person(), await service.person(), await service.person('EDITOR')]
  const { catalog } = service.service.engine
  for (const [name, { can, path, byEngine }] of catalog.resources) {
    if (!can || byEngine || path === undefined || name === catalog.self?.name || name === 'probe') continue
    for (const one of [owner, stranger]) await service.make(name, {}, { owner: one })
  }
  const { compare, counts, askedInCode } = makeCodeComparison(service)
  await compare('anonymous', {}, 2)
  for (const [name, one] of Object.entries({ owner, stranger, editor, admin }))
    await compare(name, { token: one.token }, 2)
  await compare('key', { key: await service.key(owner) }, 2)
  const narrow = { key: await service.key(admin, { scopes: ['editions:read', 'articles:update'] }) }
  await compare('narrow key', narrow, 2)
  const reads = makeReadComparison(service, askedInCode)
  await reads.compare('anonymous', {})
  for (const [name, one] of Object.entries({ owner, editor, admin })) await reads.compare(name, { token: one.token })
  await reads.compare('narrow key', narrow)
  assert.ok(reads.counts.found > 50 && reads.counts.refused > 50, JSON.stringify(reads.counts))
  assert.ok(counts.allowed > 80 && counts.refused > 80 && counts.hidden > 0, JSON.stringify(counts))
})
