/**
 * Two engines on one database place records in the same order, move them, and run out of room. All
 * see one order, no place comes twice, and each move is where it was asked for.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { defineResource, id, integer, manualOrder } from '../../src/index.ts'
import { equal } from '../../src/resource/condition.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'

const card = defineResource({
  name: 'card',
  fields: { id: id(), board: integer(), place: manualOrder({ within: 'board' }) },
  access: {},
})

const folder = temporaryFolder()
const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
const engines = [
  await openEngine(config, [card], { making: 'fresh' }),
  await openEngine(config, [card], { making: 'fresh' }),
] as const
after(async () => {
  for (const engine of engines) await engine.storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

const cards = engines[0].catalog.get('card')
const write = <T>(at: number, work: Parameters<(typeof engines)[0]['records']['transaction']>[1]) =>
  (engines[at % 2] as (typeof engines)[0]).records.transaction(serviceAuthor, work) as Promise<T>

async function shown(board: number) {
  const sort = ['place', 'id'].map((field) => ({ field, descending: false }))
  return engines[0].storage.list(cards, { where: equal('board', board), sort, limit: 200 })
}

it('new records and moves at once: one order, and no place twice', async () => {
  const make = (at: number) => write<{ id: string }>(at, async (tx) => tx.insert(await tx.prepare(cards, { board: 1 })))
  const made = await Promise.all(Array.from({ length: 24 }, (_, at) => make(at)))
  const first = made[0] as { id: string }
  const move = (at: number, place: object | string, one = made[at % 24]) =>
    write(at, async (tx) => {
      const found = await tx.lock(cards, equal('id', one?.id as string))
      return tx.change(cards, found?.row as never, { place })
    })
  const moves = Array.from({ length: 96 }, (_, at) =>
    move(at + 1, at % 3 === 0 ? 'first' : { after: first.id }, made[1 + (at % 23)]),
  )
  await Promise.all(moves)
  const rows = await shown(1)
  assert.equal(rows.length, 24)
  assert.equal(new Set(rows.map(({ place }) => place)).size, 24)
})

it('4,000 moves between the same two, of both instances', { timeout: 300_000 }, async () => {
  const ids = await write<string[]>(0, async (tx) => {
    const rows = []
    for (let i = 0; i < 50; i += 1) rows.push(await tx.insert(await tx.prepare(cards, { board: 2 })))
    return rows.map((row) => row.id as string)
  })
  const [low, ...others] = ids as [string, ...string[]]
  const rounds = 10
  let versions = 0
  for (let round = 0; round < rounds; round += 1)
    await write(round, async (tx) => {
      for (let i = 0; i < 4_000 / rounds; i += 1) {
        const found = await tx.lock(cards, equal('id', others[i % others.length] as string))
        const moved = await tx.change(cards, found?.row as never, { place: { after: low } })
        versions = Math.max(versions, moved.version)
      }
    })
  const rows = await shown(2)
  const keys = rows.map(({ place }) => place as string)
  assert.equal(new Set(keys).size, 50)
  assert.ok(Math.max(...keys.map((key) => key.length)) <= 32)
  const moved = others.map((_, i) => others[(400 - 1 - i) % others.length])
  assert.deepEqual(
    rows.map((row) => row.id),
    [low, ...moved],
  )
  // A move is a version; a record that makes room for others keeps its own.
  assert.ok(versions <= 1 + Math.ceil(4_000 / others.length) + rounds)
})
