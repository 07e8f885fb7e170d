/**
 * Random creates, deletes, restores and purges beside a model of the same records. All doors agree
 * with it about the records that are there, and those in the trash.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { trashed } from './trash-resources.ts'

/** `state`: `away` went to the trash with its rack, and `gone` has ended. */
type Known = { state: 'live' | 'trash' | 'away' | 'gone'; name: string; rackId?: string }

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startOf([...resources, ...trashed])
  admin = await own.admin()
})
after(() => own.stop())

const api = async (method: string, path: string, body?: unknown) =>
  own.ask(method, `/api/v1${path}`, { ...(body !== undefined && { body }), token: admin.token } as never)

/** Numbers from a seed (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const racks = new Map<string, Known>()
const tomes = new Map<string, Known>()
const jottings = new Map<string, { rackId: string | null }>()
const idsIn = (map: ReadonlyMap<string, Known>, ...states: readonly Known['state'][]) =>
  [...map].filter(([, { state }]) => states.includes(state)).map(([id]) => id)
const isTaken = (name: string) => [...racks.values()].some((one) => one.state === 'live' && one.name === name)

/** No jotting names a rack that has ended. */
function end(rackId: string): void {
  ;(racks.get(rackId) as Known).state = 'gone'
  for (const one of tomes.values()) if (one.rackId === rackId) one.state = 'gone'
  for (const one of jottings.values()) if (one.rackId === rackId) one.rackId = null
}

type Pick = (below: number) => number
const pickOf = (pick: Pick, ids: readonly string[]) => (ids.length === 0 ? undefined : ids[pick(ids.length)])

const acts: readonly ((pick: Pick) => Promise<void>)[] = [
  async (pick) => {
    const name = `rack ${pick(12)}`
    const { status, body } = await api('POST', '/racks', { name })
    assert.equal(status, isTaken(name) ? 409 : 201)
    if (status === 201) racks.set(body.id, { state: 'live', name })
  },
  async (pick) => {
    const rackId = pickOf(pick, [...racks.keys()])
    if (rackId === undefined) return
    const isLive = racks.get(rackId)?.state === 'live'
    const name = `tome ${tomes.size} ${pick(1000)}`
    const { status, body } = await api('POST', '/tomes', { rackId, code: name })
    assert.equal(status, isLive ? 201 : 400)
    if (isLive) tomes.set(body.id, { state: 'live', name, rackId })
    const noted = await api('POST', '/jottings', { rackId })
    assert.equal(noted.status, isLive ? 201 : 400)
    if (isLive) jottings.set(noted.body.id, { rackId })
  },
  async (pick) => {
    const id = pickOf(pick, [...racks.keys()])
    if (id === undefined) return
    const rack = racks.get(id) as Known
    assert.equal((await api('DELETE', `/racks/${id}`)).status, rack.state === 'live' ? 204 : 404)
    if (rack.state !== 'live') return
    rack.state = 'trash'
    for (const one of tomes.values()) if (one.rackId === id && one.state === 'live') one.state = 'away'
  },
  async (pick) => {
    const id = pickOf(pick, [...racks.keys()])
    if (id === undefined) return
    const rack = racks.get(id) as Known
    const expected = rack.state !== 'trash' ? 404 : isTaken(rack.name) ? 409 : 200
    assert.equal((await api('POST', `/racks/${id}/restore`)).status, expected)
    if (expected !== 200) return
    rack.state = 'live'
    for (const one of tomes.values()) if (one.rackId === id && one.state === 'away') one.state = 'live'
  },
  async (pick) => {
    const id = pickOf(pick, [...racks.keys()])
    if (id === undefined || pick(3) > 0) return
    const { state } = racks.get(id) as Known
    const isThere = state === 'live' || state === 'trash'
    assert.equal((await api('DELETE', `/racks/${id}?_trash=skip`)).status, isThere ? 204 : 404)
    if (isThere) end(id)
  },
  async (pick) => {
    const id = pickOf(pick, idsIn(tomes, 'live'))
    if (id === undefined) return
    assert.equal((await api('DELETE', `/tomes/${id}`)).status, 204)
    ;(tomes.get(id) as Known).state = 'gone' // it has no trash of its own
  },
]

const idsOf = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id).toSorted()

/** Each door that shows records, and the ids that it must show. */
async function checkDoors(): Promise<void> {
  const live = idsIn(racks, 'live').toSorted()
  const { body: list } = await api('GET', '/racks?limit=100')
  assert.deepEqual([idsOf(list.data), list.meta.total], [live, live.length])
  const { body: trash } = await api('GET', '/racks?limit=100&_trash=only')
  const inTrash = idsIn(racks, 'trash').toSorted()
  assert.deepEqual([idsOf(trash.data), trash.meta.total], [inTrash, inTrash.length])
  const { body: summary } = await api('GET', '/racks/summary')
  assert.equal(summary.data?.[0]?.count ?? 0, live.length)
  const query = '{ racks(limit: 100) { data { id } } }'
  const graph = (await own.ask('POST', '/graphql', { body: { query }, token: admin.token })).body
  assert.deepEqual(idsOf(graph.data.racks.data), live, JSON.stringify(graph))
  assert.deepEqual(idsOf((await api('GET', '/tomes?limit=100')).body.data), idsIn(tomes, 'live').toSorted())
  for (const one of (await api('GET', '/jottings?limit=100&expand=rack')).body.data) {
    const expected = jottings.get(one.id)?.rackId ?? null
    const shown = expected !== null && racks.get(expected)?.state === 'live' ? expected : undefined
    assert.deepEqual([one.rackId, one.rack?.id], [expected, shown])
  }
  const stored = await own.service.engine.storage.count(own.service.engine.catalog.get('tomeTrash'), { kind: 'true' })
  assert.equal(stored, idsIn(tomes, 'away').length)
}

test('all doors agree with a model of the records', { timeout: 300_000 }, async () => {
  const pick = numbersFrom(4_209)
  const steps = shortOr(150, 400)
  for (let step = 0; step < steps; step += 1) {
    await acts[pick(acts.length)]?.(pick)
    if (step % 10 === 9) await checkDoors()
  }
  await checkDoors()
})
