/**
 * Random rules, readers and writes: the table that each reader folds from its events is the list
 * that it may see. Each event comes once, and in its order.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shortOr } from '../helpers/long.ts'
import { numbersFrom, startRandomWorld } from './random-world.ts'
import { makeSettle, type TestReader } from './reader.ts'

/** Subscriptions × writes: `EVENT_CASES=10000`. */
const cases = Number(process.env.EVENT_CASES ?? shortOr(1_000, 10_000))
const readersOfWorld = 10
const writesOfWorld = 100
const firstSeed = Number(process.env.EVENT_SEED ?? 1)

async function runWorld(seed: number): Promise<{ events: number; lost: number }> {
  const world = await startRandomWorld(seed)
  const draw = numbersFrom(seed + 1_000_000)
  const { token } = await world.service.admin()
  const settle = makeSettle(world.service.ask, { token })
  try {
    await settle()
    const readers: TestReader[] = []
    while (readers.length < readersOfWorld) {
      const reader = world.reader()
      // Its list may be refused: by a tenant, or a field that it filters by and may not see.
      if (
        await reader.begin().then(
          () => true,
          () => false,
        )
      )
        readers.push(reader)
    }
    for (let done = 0; done < writesOfWorld; ) {
      // Up to four writers at once, while some readers read.
      const atOnce = 1 + draw(4)
      const reading = readers.filter(() => draw(5) === 0).map((reader) => () => reader.read(1 + draw(20)))
      await Promise.all([...Array.from({ length: atOnce }, () => world.write()), ...reading.map((read) => read())])
      done += atOnce
    }
    await settle()
    for (const [i, reader] of readers.entries()) {
      await reader.catchUp()
      await reader.check(`reader ${i}`)
    }
    const sum = (of: (reader: (typeof readers)[number]) => number) => readers.reduce((all, one) => all + of(one), 0)
    return { events: sum((one) => one.count()), lost: sum((one) => one.losses().length) }
  } finally {
    await world.service.stop()
  }
}

describe('The feed, by random rules, readers and writes', () => {
  const worlds = Math.max(1, Math.round(cases / (readersOfWorld * writesOfWorld)))
  let all = { events: 0, lost: 0 }
  for (let i = 0; i < worlds; i += 1)
    it(`shows each reader its list, seed ${firstSeed + i}`, async () => {
      const { events, lost } = await runWorld(firstSeed + i)
      all = { events: all.events + events, lost: all.lost + lost }
    })
  it('tells most of it by events', () => {
    assert.ok(all.events > worlds * 20, `${all.events} events`)
    assert.ok(all.lost < worlds * 3, `${all.lost} times anew`)
    if (process.env.EVENT_CASES) console.log(`${worlds} worlds: ${all.events} events, ${all.lost} readers began anew`)
  })
})
