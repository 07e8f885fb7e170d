/** Ids rise in the order of their making. One tells nothing of others in its millisecond. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isUuid, makeIds } from '../../src/base/ids.ts'

const startMs = Date.parse('2026-11-27T12:00:00.000Z')
/** The bits that order the ids of one millisecond. */
const countOf = (id: string) =>
  Number.parseInt(id.slice(15, 18), 16) * 0x4000 + (Number.parseInt(id.slice(19, 23), 16) & 0x3fff)

it('ids rise, also within a millisecond and when the clock goes back', () => {
  let nowMs = startMs
  const makeId = makeIds(() => nowMs)
  const ids = Array.from({ length: 30_000 }, (_, i) => {
    nowMs += i % 10_000 === 0 ? 1 : 0
    if (i === 25_000) nowMs -= 60_000
    return makeId()
  })
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19] as string)))
  assert.equal(Number.parseInt((ids.at(-1) as string).replace('-', '').slice(0, 12), 16), startMs + 3)
})

it('an id does not tell how many others were made in its millisecond', () => {
  let nowMs = startMs
  const makeId = makeIds(() => nowMs)
  const counts = Array.from({ length: 200 }, () => {
    nowMs += 1
    return [countOf(makeId()), countOf(makeId())] as const
  })
  const begins = new Set(counts.map(([first]) => first >> 14))
  assert.ok(begins.size > 150, 'the first of a millisecond begins anywhere')
  const steps = counts.map(([first, second]) => second - first)
  assert.ok(steps.every((step) => step > 0 && step <= 1024))
  assert.ok(new Set(steps).size > 50, 'steps differ')
})
