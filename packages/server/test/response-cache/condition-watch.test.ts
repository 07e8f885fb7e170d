/**
 * Watches of the response cache: the changes that each remembers, and the common limit of their
 * memory.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equal } from '../../src/resource/condition.ts'
import type { Change, ChangeReader } from '../../src/storage/changes.ts'
import { makeChangeHistory } from '../../src/storage/derived/change-history.ts'
import { conditionChangesSharedMax, makeConditionWatches } from '../../src/storage/derived/condition-watch.ts'
import { compare, idOf, libraryCatalog, volume, volumeOf } from '../storage/library.ts'

function begin() {
  let reader: ChangeReader | undefined
  const follow = (one: ChangeReader) => {
    reader = one
    return () => undefined
  }
  const watches = makeConditionWatches(libraryCatalog, makeChangeHistory({ follow }, libraryCatalog))
  let sequence = 0
  /** Each is a change to a record that matches before and after. */
  function write(times: number): void {
    const image = { ...volumeOf(1, { rank: 1 }), version: 1 }
    const change = {
      resource: 'volume',
      kind: 'update',
      records: [{ id: idOf(1), version: 1 }],
      images: [{ before: image, after: image }],
    }
    for (let i = 0; i < times; i += 1) {
      sequence += 1
      reader?.apply([{ ...change, sequence } as unknown as Change])
    }
  }
  return { watches, write }
}

test('a change is known as long as the history knows it', () => {
  const { watches, write } = begin()
  const watch = watches.of(volume, equal('id', idOf(1)))
  const position = watch.now()
  write(1_500)
  assert.equal(watch.since(position)?.length, 1_500)
  write(10_000)
  assert.equal(watch.since(position), undefined)
  const later = watch.now()
  write(1)
  assert.equal(watch.since(later)?.length, 1)
})

test('where all watches remember as much as they may, each forgets what was first, and says so', () => {
  const { watches, write } = begin()
  const all = Array.from({ length: 2_000 }, (_, n) => watches.of(volume, compare('rank', 'lte', 1_000 + n)))
  const since = all.map((watch) => watch.now())
  write(1_000)
  const known = all.map((watch, i) => watch.since(since[i] as never)?.length)
  const whole = known.filter((length) => length === 1_000).length
  // Those that know everything have grown from 64 to 1,024.
  assert.ok(whole > 0 && whole * (1_024 - 64) <= conditionChangesSharedMax, `${whole} of them know everything`)
  assert.deepEqual(new Set(known), new Set([1_000, undefined]), 'what is told is whole')
  write(20)
  for (const [i, watch] of all.entries()) {
    const length = watch.since(since[i] as never)?.length
    assert.ok(length === undefined || length === 1_020)
  }
})

test('a watch that is not used any more gives back what it took', () => {
  const { watches, write } = begin()
  for (let round = 0; round < 40; round += 1) {
    // More conditions than are remembered: each round drives out those of the round before.
    const all = Array.from({ length: 4_200 }, (_, n) =>
      watches.of(volume, compare('rank', 'lte', round * 5_000 + n + 100)),
    )
    const few = all.slice(-200)
    const since = few.map((watch) => watch.now())
    write(200)
    const known = few.map((watch, i) => watch.since(since[i] as never)?.length)
    assert.deepEqual(new Set(known), new Set([200]), `round ${round}`)
  }
})
