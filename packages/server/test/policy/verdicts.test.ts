/**
 * `_explain=access` and `_permissions` say what the requests answer: an application with tenants,
 * by its path, header, key and body, and one without.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from 'bindery-server/test'
import { accounts, anyone, defineResource, id, member, reference, text } from '../../src/index.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { resources as library } from '../application/resources/index.ts'
import { users } from '../clubhouse/clubhouse.ts'
import { shortOr } from '../helpers/long.ts'
import { closedClubhouse } from '../tenants/closed-clubhouse.ts'
import { checkToldCreates, type TenantRecords } from './told-creates.ts'
import { type Caller, checkVerdicts, explainedToAll, type VerdictWorld } from './verdicts.ts'

const requests = Number(process.env.VERDICT_REQUESTS ?? shortOr(150, 4000))
const seed = Number(process.env.VERDICT_SEED ?? 20_261_127)

/** Read by anyone in the path of its club. */
const posts = defineResource({
  name: 'post',
  path: '/posts',
  tenant: { by: 'clubId', public: true },
  fields: { id: id(), clubId: reference('club', { onDelete: 'delete' }), slug: text({ required: true, unique: true }) },
  list: { style: 'page' },
  access: { read: anyone, write: member('COACH') },
})
const keyed = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } },
})

function clubhouse(): readonly Declared[] {
  const replaced = new Set<string>(keyed.map((one) => one.name))
  const others = closedClubhouse.filter((one) => !('name' in one) || !replaced.has(one.name))
  const withPosts = others.map((one) =>
    'name' in one && one.name === 'club'
      ? { ...one, children: { ...one.children, posts: { resource: 'post', by: 'clubId' } } }
      : one,
  )
  return explainedToAll([...withPosts, posts, ...keyed] as readonly Declared[])
}

const started: TestService[] = []
after(async () => {
  for (const one of started) await one.stop()
})

async function people(service: TestService, roles: readonly string[]) {
  const made = await Promise.all(roles.map((role) => service.person(role)))
  return made.map((person, i) => ({ ...person, name: `${roles[i]} ${i}` }))
}

async function peopledLibrary(): Promise<VerdictWorld> {
  const service = await startService(explainedToAll(library))
  started.push(service)
  const all = await people(service, ['USER', 'USER', 'EDITOR', 'ADMIN'])
  const known = new Map<string, string[]>()
  const { catalog } = service.service.engine
  known.set(
    catalog.login?.resource.name as string,
    all.map((one) => one.id),
  )
  for (const resource of catalog.resources.values())
    for (const { id: owner } of all.slice(0, 2)) {
      if (resource.identity) continue
      const owned = Object.entries(resource.fields).filter(([, one]) => one.setBy === 'principal' && !one.virtual)
      const given = Object.fromEntries(owned.map(([name]) => [name, owner]))
      const made = await service.make(resource.name, given).catch(() => undefined)
      if (made === undefined) continue // a person has one of these
      known.set(resource.name, [...(known.get(resource.name) ?? []), String(made[resource.idField])])
    }
  const keys: Caller[] = []
  for (const { name, ...person } of all.slice(1))
    keys.push({ name: `key of ${name}`, by: { key: await service.key(person) } })
  const callers = [{ name: 'anonymous', by: {} }, ...all.map(({ name, token }) => ({ name, by: { token } })), ...keys]
  return { service, callers, tenants: [], known }
}

type ClubhouseWorld = { readonly world: VerdictWorld; readonly recordsOf: ReadonlyMap<string, TenantRecords> }

/** Two clubs with members of each role, teams, and records that members of each club made. */
async function peopledClubhouse(): Promise<ClubhouseWorld> {
  const service = await startService(clubhouse())
  started.push(service)
  const names = ['owner', 'coach', 'player', 'stranger', 'outsider', 'SUPPORT', 'ADMIN'] as const
  const persons = new Map<string, TestPerson>()
  for (const name of names) persons.set(name, await service.person(name === name.toUpperCase() ? name : 'USER'))
  const idOf = (name: string) => persons.get(name)?.id as string
  const known = new Map<string, string[]>([['user', [...persons.values()].map(({ id }) => id)]])
  async function make(resource: string, given: Readonly<Record<string, unknown>>): Promise<string> {
    const { id: made } = await service.make(resource, given)
    known.set(resource, [...(known.get(resource) ?? []), String(made)])
    return String(made)
  }
  const clubs: string[] = []
  const recordsOf = new Map<string, TenantRecords>()
  for (const [name, owner] of [
    ['Own', 'owner'],
    ['Other', 'stranger'],
  ] as const) {
    const clubId = await make('club', { name })
    clubs.push(clubId)
    await make('membership', { clubId, userId: idOf(owner), role: 'OWNER', state: 'ACTIVE' })
    if (name === 'Own') {
      await make('membership', { clubId, userId: idOf('coach'), role: 'COACH', state: 'ACTIVE' })
      await make('membership', { clubId, userId: idOf('player'), role: 'PLAYER', state: 'ACTIVE' })
    } else await make('membership', { clubId, userId: idOf('coach'), role: 'PLAYER', state: 'ACTIVE' })
    const teamId = await make('team', { clubId, name: `${name} team` })
    await make('teamMember', { teamId, userId: idOf('player'), role: 'COACH' })
    for (const state of ['DRAFT', 'PUBLISHED']) {
      const eventId = await make('event', { clubId, teamId, title: state, state })
      await make('attendance', { eventId, userId: idOf('player') })
    }
    await make('notice', { clubId, teamId, code: name, isOpen: name === 'Own' })
    await make('post', { clubId, slug: name })
    const latest = [...known].map(([resource, ids]) => [resource, ids.at(-1) as string] as const)
    recordsOf.set(clubId, new Map([...latest, ['user', idOf('outsider')]]))
  }
  const keyOf = async (name: string, extra: object): Promise<Caller> => ({
    name: `key of ${name} ${JSON.stringify(extra)}`,
    by: { key: await service.key(persons.get(name) as TestPerson, { ...extra }) },
  })
  const [own] = clubs
  const callers = [
    { name: 'anonymous', by: {} },
    ...[...persons].map(([name, { token }]) => ({ name, by: { token } })),
    await keyOf('owner', {}),
    await keyOf('owner', { scopes: ['events:read', 'posts:read', 'teams:*'] }),
    await keyOf('coach', { clubId: own }),
  ]
  return { world: { service, callers, tenants: clubs, known }, recordsOf }
}

function checkMet(verdicts: ReadonlyMap<string, number>): void {
  process.stdout.write(`# ${JSON.stringify(Object.fromEntries([...verdicts].sort()))}\n`)
  for (const both of ['200 200', '401 401', '403 403', '404 404']) assert.ok(verdicts.has(both), both)
}

it(`${requests} requests of an application without tenants`, async () => {
  checkMet(await checkVerdicts(await peopledLibrary(), requests, seed))
})

describe('an application with tenants', () => {
  let made: ClubhouseWorld
  before(async () => {
    made = await peopledClubhouse()
  })

  it('tells a create exactly where some create of a tenant is done', async () => {
    const counts = await checkToldCreates(made.world, made.recordsOf)
    assert.ok((counts.get('some') ?? 0) > 20 && (counts.get('none') ?? 0) > 20, JSON.stringify([...counts]))
  })

  it(`${requests} requests`, async () => {
    checkMet(await checkVerdicts(made.world, requests, seed))
  })
})
