/**
 * The proof that tenants cannot leak, for any declarations with a tenancy. The same requests go to
 * a world with tenant A alone and to one with A and B. They get the same bytes.
 */
import assert from 'node:assert/strict'
import type { Resource } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { representValue } from '../../src/value/represent.ts'
import { makeRandom } from '../scale/random-requests.ts'
import { type Door, doors, doorsOf } from './doors.ts'
import { makePools } from './tenant-pools.ts'
import { callers, isAboutRecords, type MadeRequest, makeTenantRequests } from './tenant-requests.ts'
import { addPerson, addTenant, type SentRequest, startWorld, tenancyOf, type World, type WorldClock } from './worlds.ts'

type ProofOptions = {
  readonly declarations: readonly Declared[]
  readonly requests: number
  readonly seed?: number
  readonly env?: Readonly<Record<string, string>>
  /** Instances of each world, on one PostgreSQL. */
  readonly instances?: number
}

export type ProofResult = {
  readonly statuses: ReadonlyMap<string, number>
  /** How many requests went through each door, and were not refused. */
  readonly opened: ReadonlyMap<Door, number>
  /** How many requests asked by a value of a record of the other tenant. */
  readonly asked: number
}

const startMs = Date.parse('2026-11-21T12:00:00.000Z')
/** Tenant B writes between the requests of tenant A. */
const writesOfOther = 0.1
/** Each tenant begins with so many tries to create a record. */
const seeds = 60
/** The most requests that are made up, and mostly not sent, to find one through a door. */
const drawnMax = 20_000

export type Tenants = { readonly own: string; readonly other: string }
export type Worlds = { readonly alone: World; readonly both: World; readonly clock: WorldClock }

export async function populate(world: World, hasOther: boolean): Promise<Tenants> {
  const { roles } = tenancyOf(world.catalog).members
  for (const as of callers) if (as !== 'anonymous') await addPerson(world, as)
  await addPerson(world, 'stranger')
  const members = { owner: roles.highest, coach: roles.names[1] ?? roles.highest, player: roles.lowest }
  const own = await addTenant(world, { name: 'Own', members })
  if (!hasOther) return { own, other: '' }
  const other = await world.apart(() => addTenant(world, { name: 'Other', members: { stranger: roles.highest } }))
  return { own, other }
}

/** Sends the request to both worlds, and compares the responses byte by byte. */
export async function compare({ alone, both, clock }: Worlds, request: SentRequest, place: string) {
  clock.nowMs += 7
  const expected = await alone.send(request)
  const found = await both.send(request)
  const told = `${place}: ${JSON.stringify(request)}`
  assert.equal(found.all, expected.all, told)
  assert.notEqual(found.status, 500, told)
  return found
}

/**
 * Whether the request deletes the own tenant. Without one, all that follows would ask for what does
 * not exist anyway, and prove nothing.
 */
function endsTenant({ method, path, body = '' }: SentRequest, { path: all = '', typeName }: Resource, id: string) {
  const text = `${method} ${path} ${body}`
  if (!/delete/i.test(text) || !text.includes(id)) return false
  return text.includes(`delete${typeName}`) || new RegExp(`${all.slice(1)}/${id}(?![/\\w])`).test(text)
}

type RandomRun = { readonly worlds: Worlds; readonly tenants: Tenants; readonly options: ProofOptions }

/** Requests of tenant A, which both worlds answer, and of tenant B between them. */
async function requestsAtRandom({ worlds, tenants, options }: RandomRun) {
  const { requests, seed = 20_261_126 } = options
  const { own, other } = tenants
  const random = makeRandom(seed)
  const { catalog, userIds } = worlds.both
  const { all, side, note, noteShown } = makePools([own, other])
  const { tenant } = tenancyOf(catalog)
  note('own', tenant.name, own)
  note('other', tenant.name, other)
  // A member of both tenants would see both, so neither tenant names the people of the other.
  const people = catalog.login?.resource.name ?? ''
  for (const [as, id] of userIds) if (as !== 'stranger') note('own', people, id)
  const next = makeTenantRequests(catalog, random)
  const others = makeTenantRequests(catalog, makeRandom(seed + 1))
  const statuses = new Map<string, number>()
  const opened = new Map<Door, number>()

  async function byStranger(): Promise<void> {
    const one = random() < 0.7 ? others.create(side('other'), other) : others.request(side('other'))
    if (one.method === 'GET') return
    const made = await worlds.both.apart(() => worlds.both.send({ ...one, headers: {}, as: 'stranger' }))
    noteShown('other', one.makes, made)
  }
  async function byOwn(i: number, isSeed: boolean): Promise<void> {
    const request = isSeed || random() < 0.1 ? next.create(side('own'), own) : next.request(all)
    // No cached response may show others the records of the stranger.
    if (request.method === 'GET' && random() < writesOfOther)
      await worlds.both.apart(() => worlds.both.send({ ...request, as: 'stranger' }))
    await send(request, `request ${i} of seed ${seed}`)
  }
  async function send(request: MadeRequest, place: string): Promise<void> {
    if (endsTenant(request, tenant, own)) return
    const found = await compare(worlds, request, place)
    noteShown('own', request.makes, found)
    statuses.set(String(found.status), (statuses.get(String(found.status)) ?? 0) + 1)
    if (found.status < 300) for (const door of doorsOf(request)) opened.set(door, (opened.get(door) ?? 0) + 1)
  }
  /** Goes on with the requests through doors that none was answered through. */
  async function openAll(): Promise<void> {
    const isShut = (door: Door) => doors.includes(door) && !opened.has(door)
    for (let i = 0; i < drawnMax && doors.some(isShut); i += 1) {
      const request = next.request(i % 2 === 0 ? side('own') : all)
      if ([...doorsOf(request)].some(isShut)) await send(request, `request ${i} through a shut door of seed ${seed}`)
    }
  }
  for (let i = 0; i < requests; i += 1) {
    const isSeed = i < seeds
    if (isSeed || random() < writesOfOther) await byStranger()
    await byOwn(i, isSeed)
  }
  await openAll()
  const still = await worlds.both.send({ method: 'GET', path: `${apiPrefix}${tenant.path}/${own}`, as: 'owner' })
  assert.equal(still.status, 200, 'the own tenant has ended, so the proof proves nothing')
  return { statuses, opened }
}

/** Every value of every record of the other tenant, asked for by each filter of each field. */
async function askByValues(worlds: Worlds): Promise<number> {
  const { both } = worlds
  const { catalog, service } = both
  let asked = 0
  for (const resource of catalog.resources.values()) {
    if (!resource.access.list || resource.path === undefined || !isAboutRecords(catalog, resource)) continue
    const request = { where: always, sort: [{ field: resource.idField, descending: true }], limit: 5 }
    const rows = await service.service.engine.storage.list(resource, request)
    for (const row of rows)
      for (const name of resource.storedNames) {
        const field = resource.fields[name] as Field
        const value = row[name] ?? null
        if (value === null || field.hidden) continue
        const shown = representValue(field, value)
        const filter = encodeURIComponent(JSON.stringify({ [name]: { eq: shown } }))
        const path = `${apiPrefix}${resource.path}`
        for (const query of [`filter=${filter}`, `group=${name}`]) {
          const isSummary = query.startsWith('group')
          const one = { method: 'GET', path: `${path}${isSummary ? '/summary' : ''}?${query}`, as: 'owner' }
          await compare(worlds, one, `${resource.name}.${name}`)
          asked += 1
        }
      }
  }
  return asked
}

/** The exit status of a run that found one. Node ends with 1 where a file cannot be loaded. */
export const foundDifference = 10

/** Throws an `AssertionError` with the first request whose answers differ. */
export async function proveTenants(options: ProofOptions): Promise<ProofResult> {
  const { declarations, env, instances } = options
  const clock = { nowMs: startMs }
  const start = () => startWorld({ declarations, clock, ...(env && { env }), ...(instances && { instances }) })
  const alone = await start()
  const both = await start()
  try {
    await populate(alone, false)
    const tenants = await populate(both, true)
    const worlds = { alone, both, clock }
    const { statuses, opened } = await requestsAtRandom({ worlds, tenants, options })
    return { statuses, opened, asked: await askByValues(worlds) }
  } finally {
    await alone.stop()
    await both.stop()
  }
}

/** Prints the counts. Throws where a door was not opened, or where most answers were 404. */
export function checkAnswered({ statuses, opened, asked }: ProofResult): void {
  process.stdout.write(`# ${JSON.stringify(Object.fromEntries([...statuses].sort()))}, ${asked} asked by value\n`)
  for (const status of ['200', '201', '400', '401', '403', '404']) assert.ok(statuses.has(status), status)
  for (const door of [...doors, 'invitation' as const])
    assert.ok((opened.get(door) ?? 0) > 0, `no request went through ${door} and was answered`)
  const all = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  assert.ok((statuses.get('404') ?? 0) < all / 2, 'most records that were asked for did not exist')
}
