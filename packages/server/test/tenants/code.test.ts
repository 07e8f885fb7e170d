/**
 * Code of a record of tenant A is in tenant A. For its actions, hooks and effects tenant B does not
 * exist. They tell the same bytes in a world without B, by each method of their records.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { always } from '../../src/resource/condition.ts'
import { shortOr } from '../helpers/long.ts'
import { asking, type Query } from './asking-code.ts'
import { compare, populate, type Tenants, type Worlds } from './proof.ts'
import { isAboutRecords } from './tenant-requests.ts'
import { startWorld, type World } from './worlds.ts'

const missing = '01926e0f-0009-7000-8000-000000000009'
let worlds: Worlds
let tenants: Tenants
type Ids = Readonly<Record<string, string>>
let own: Ids
let other: Ids
let queries: readonly Query[]

/** A record of each resource in the tenant. */
async function fill({ service }: World, clubId: string, name: string): Promise<Ids> {
  const make = async (resource: string, values: object) => String((await service.make(resource, values as never)).id)
  const team = await make('team', { clubId, name: `${name} team` })
  const event = await make('event', { clubId, teamId: team, title: `${name} event` })
  await make('attendance', { eventId: event })
  const notice = await make('notice', {
    clubId,
    code: `${name} code`,
    title: `${name} notice`,
    rank: name.length,
    teamId: team,
  })
  const desk = await make('desk', { clubId })
  const paper = await make('paper', { deskId: desk })
  return { club: clubId, team, event, notice, desk, paper }
}

/** Each method, by ids and values of both tenants and of none. */
function* queriesOf({ both }: Worlds): Generator<Query> {
  for (const { name, fields } of asking.filter((one) => 'fields' in one)) {
    const resource = both.catalog.get(name)
    if (!isAboutRecords(both.catalog, resource)) continue
    const query = (method: string, ...given: readonly unknown[]): Query => ({ of: name, method, given })
    for (const method of ['find', 'page', 'each', 'count']) yield query(method, {})
    yield query('list', {})
    for (const ids of [own, other]) {
      for (const id of [ids[name], missing]) {
        if (id === undefined) continue
        yield query('get', id)
        if (ids === own) continue
        yield query('update', id, {})
        yield query('delete', id)
        yield query('deleteWhere', { id })
      }
      const references = Object.entries(fields).flatMap(([field, { reference }]) => {
        const id = reference && ids[reference.resource]
        return id === undefined ? [] : [[field, id] as const]
      })
      for (const [field, id] of references) {
        const filter = { [field]: { eq: id } }
        yield query('count', { filter })
        yield query('find', { filter: { [field.replace(/Id$/, '')]: { id: { eq: id } } } })
        yield query('list', { [field]: id })
        const texts = { name: 'New {mark}', title: 'New', code: 'New {mark}' }
        const known = Object.entries(texts).filter(([text]) => Object.hasOwn(fields, text))
        // A conflict that code catches would end the transaction on PostgreSQL.
        if (!resource.single) yield query('create', { [field]: id, ...Object.fromEntries(known) })
        if (own[name] !== undefined) yield query('update', own[name], { [field]: id })
      }
    }
    for (const field of Object.keys(fields)) yield query('groups', { by: field })
    if (name === 'notice') {
      yield query('sum', 'rank')
      yield query('groups', { sum: 'rank', most: 'rank', by: 'team.name' })
      yield query('page', { sort: '-team.name', limit: 1 })
      yield query('find', { filter: { not: { team: { name: { eq: 'Own team' } } } } })
    }
    if (name === 'event') yield query('count', { filter: { helpers: { none: { role: { eq: 'COACH' } } } } })
  }
}

before(async () => {
  const clock = { nowMs: Date.parse('2026-11-21T12:00:00.000Z') }
  const [alone, both] = [
    await startWorld({ declarations: asking, clock }),
    await startWorld({ declarations: asking, clock }),
  ]
  worlds = { alone, both, clock }
  await populate(alone, false)
  tenants = await populate(both, true)
  own = await fill(alone, tenants.own, 'Own')
  assert.deepEqual(await fill(both, tenants.own, 'Own'), own)
  other = await both.apart(() => fill(both, tenants.other, 'Other'))
  queries = [...queriesOf(worlds)]
})
after(async () => {
  await worlds?.alone.stop()
  await worlds?.both.stop()
})

/** Queries of one request. */
const chunk = 25
const stride = shortOr(3, 1)
/** Each is asked in each place; of the subjects one asks it, or with all tests all of them do. */
function* chunks(subject: number): Generator<readonly Query[]> {
  for (let at = 0; at < queries.length; at += chunk)
    if ((at / chunk) % stride === subject % stride) yield queries.slice(at, at + chunk)
}

type Subject = { readonly path: string; readonly values: object; readonly headers?: Readonly<Record<string, string>> }
const subjects = (): readonly Subject[] => [
  { path: '/api/v1/desks', values: { clubId: own.club } },
  { path: '/api/v1/papers', values: { deskId: own.desk } },
  { path: '/api/v1/memos', values: {}, headers: { 'x-tenant': own.club as string } },
]

const counts = { asked: 0, found: 0, refused: 0 }
function note(heard: unknown): void {
  for (const one of heard as readonly { found?: unknown; message?: string }[]) {
    counts.asked += 1
    if (one.message !== undefined) counts.refused += 1
    else if (JSON.stringify(one.found ?? []).length > 2) counts.found += 1
  }
}

const bodyOf = ({ text }: { readonly text: string }) => JSON.parse(text)

async function make({ path, values, headers = {} }: Subject, more: object, place: string) {
  const body = JSON.stringify({ ...values, ...more })
  const made = await compare(worlds, { method: 'POST', path, body, headers, as: 'owner' }, place)
  assert.equal(made.status, 201, made.text)
  return bodyOf(made)
}

it('in actions', async () => {
  for (const [i, subject] of subjects().entries()) {
    const { id } = await make(subject, {}, 'action')
    for (const asked of chunks(i)) {
      const request = {
        method: 'POST',
        path: `${subject.path}/${id}/ask`,
        body: JSON.stringify({ asked }),
        as: 'owner',
      }
      const reply = await compare(worlds, { ...request, headers: subject.headers ?? {} }, 'action')
      assert.equal(reply.status, 200, reply.text)
      note(bodyOf(reply).heard)
    }
  }
})

it('in hooks of new records and of changes', async () => {
  for (const [i, subject] of subjects().entries())
    for (const asked of chunks(i + 1)) {
      const { id, heard } = await make(subject, { place: 'HOOK', asked }, 'hook')
      note(heard)
      const body = JSON.stringify({ place: 'HOOK', asked: [...asked, ...asked.slice(0, 1)] })
      const request = {
        method: 'PATCH',
        path: `${subject.path}/${id}`,
        body,
        headers: subject.headers ?? {},
        as: 'owner',
      }
      const reply = await compare(worlds, request, 'hook')
      assert.equal(reply.status, 200, reply.text)
      note(bodyOf(reply).heard)
    }
})

it('in hooks of new records that name one of the other tenant', async () => {
  const asked = ['desk', 'team', 'event', 'paper'].map((of): Query => ({ of, method: 'find', given: [] }))
  for (const deskId of [own.desk, other.desk, missing]) {
    const body = JSON.stringify({ deskId, place: 'REFUSE', asked })
    const reply = await compare(worlds, { method: 'POST', path: '/api/v1/papers', body, as: 'owner' }, 'draft')
    assert.equal(reply.status, 409, reply.text)
    const heard = JSON.parse(bodyOf(reply).error) as { found: unknown[] }[]
    assert.equal(
      heard.every(({ found }) => found.length === 0),
      deskId !== own.desk,
      reply.text,
    )
  }
})

it('in effects, also inside their transactions', async () => {
  for (const [i, subject] of subjects().entries())
    for (const asked of chunks(i + 2)) {
      const { id } = await make(subject, { place: 'EFFECT', asked }, 'effect')
      for (const world of [worlds.alone, worlds.both]) await world.service.sweep()
      const request = { method: 'GET', path: `${subject.path}/${id}`, headers: subject.headers ?? {}, as: 'owner' }
      const { heard } = bodyOf(await compare(worlds, request, 'effect'))
      assert.ok(heard, worlds.both.service.logged.slice(-3).join('\n'))
      note(heard.outside)
      note(heard.inside)
    }
})

it('also behind references of records that belong to no tenant', async () => {
  const { both } = worlds
  await both.service.make('memo', { noticeId: other.notice as string })
  const filter = { notice: { code: { eq: 'Other code' } } }
  const asked: Query[] = [
    { of: 'memo', method: 'count', given: [{ filter }] },
    { of: 'memo', method: 'groups', given: [{ by: 'notice.code', filter: { noticeId: { null: false } } }] },
  ]
  const send = async (place: string) => {
    const body = JSON.stringify({ clubId: own.club, place, asked })
    const { heard } = bodyOf(await both.send({ method: 'POST', path: '/api/v1/desks', body, as: 'owner' }))
    return heard.map(({ found }: { found: unknown }) => found)
  }
  const [inside, groups] = await send('HOOK')
  assert.equal(inside, 0)
  assert.ok(groups.every((one: object) => !Object.values(one).includes('Other code')))
  assert.equal((await send('SYSTEM'))[0], 1)
})

it('but records.system sees all, and the other tenant is as it was', async () => {
  const { both } = worlds
  const body = JSON.stringify({
    clubId: own.club,
    place: 'SYSTEM',
    asked: [{ of: 'team', method: 'count', given: [] }],
  })
  const reply = bodyOf(await both.send({ method: 'POST', path: '/api/v1/desks', body, as: 'owner' }))
  const { storage, catalog } = both.service.service.engine
  assert.equal(reply.heard[0].found, await storage.count(catalog.get('team'), always))
  for (const name of ['team', 'event', 'notice', 'desk', 'paper']) {
    const [row] = await storage.list(catalog.get(name), {
      where: { kind: 'in', field: 'id', values: [other[name] as string] },
      sort: [],
      limit: 1,
    })
    assert.equal(row?.version, 1, name)
  }
  assert.ok(counts.found > 150 && counts.refused > 150, JSON.stringify(counts))
})
