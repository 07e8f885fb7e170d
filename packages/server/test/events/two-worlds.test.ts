/**
 * Records that a reader may not see leave no trace in the feed: no event, no `leave`, no page that
 * ends earlier. Every page is the same as in a world without them.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { shortOr } from '../helpers/long.ts'
import { compareWorlds } from './two-worlds.ts'

const worlds = Number(process.env.EVENT_WORLDS ?? shortOr(1, 6))
const writes = Number(process.env.EVENT_WRITES ?? shortOr(30, 200))

for (let seed = 1; seed <= worlds; seed += 1)
  it(`the feed of readers is the same without the records that they may not see, seed ${seed}`, async () => {
    const events = await compareWorlds(seed, writes)
    assert.ok(events > writes / 3, `${events} events`)
  })
