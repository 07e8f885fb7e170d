/**
 * The sums of a rank index over its blocks, compared with plain addition, while entries change and
 * blocks are replaced.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePrefixSums } from '../../src/storage/sqlite/rank-index/prefix-sums.ts'
import { type FlagFilter, type IndexEntry, makeRankIndex } from '../../src/storage/sqlite/rank-index/rank-index.ts'
import type { RankedIndex } from '../../src/storage/sqlite/rank-index/ranked-index.ts'
import { makeRandom } from '../scale/random-requests.ts'

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

/** The last index before which the sum is at most this. */
function placeOf(numbers: readonly number[], sum: number): number {
  const places = numbers.map((_, place) => place)
  return places.findLast((place) => sumOf(numbers.slice(0, place)) <= sum) ?? 0
}

test('prefix sums are those that adding up gives, for every length up to 70', () => {
  const random = makeRandom(3)
  for (let length = 0; length <= 70; length += 1) {
    const numbers = Array.from({ length }, () => Math.floor(random() * 4)) // some of them nothing
    const sums = makePrefixSums(numbers)
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count <= length; count += 1)
        assert.equal(sums.before(count), sumOf(numbers.slice(0, count)), `${count} of ${numbers}`)
      for (let sum = 0; sum <= sumOf(numbers) + 1; sum += 1)
        assert.equal(sums.placeOf(sum), placeOf(numbers, sum), `${sum} in ${numbers}`)
      if (length === 0) continue
      const place = Math.floor(random() * length)
      const by = numbers[place] === 0 || random() < 0.5 ? 1 : -1
      numbers[place] = (numbers[place] as number) + by
      sums.add(place, by)
    }
  }
})

const index: RankedIndex = { fields: ['price'], flags: ['inStock', 'isNew'] } as never
const filters: readonly FlagFilter[] = [
  { mask: 0, bits: 0 },
  { mask: 1, bits: 1 },
  { mask: 2, bits: 0 },
  { mask: 3, bits: 2 },
]
const blockOf = (begin: number, counts: readonly number[] = [0, 0, 0, 0]) => ({
  begin: { cells: [begin], after: false },
  counts,
})

test('a rank index counts added and removed entries, by their flags, before every block', () => {
  const random = makeRandom(5)
  const rankIndex = makeRankIndex(index, 10)
  const entries: IndexEntry[] = []
  /** Where each block begins. */
  const begins = [0, 10, 20, 30, 40]
  for (const begin of begins) rankIndex.append(blockOf(begin))

  const isCounted = ({ flags }: IndexEntry, { mask, bits }: FlagFilter) => (flags & mask) === bits
  const before = (begin: number, filter: FlagFilter) =>
    entries.filter((entry) => (entry.key[0] as number) < begin && isCounted(entry, filter)).length
  function check(): void {
    for (const filter of filters) {
      const counts = [...begins, Infinity].map((begin) => before(begin, filter))
      assert.deepEqual(
        counts.map((_, block) => rankIndex.before(block, filter)),
        counts,
      )
      const all = counts.at(-1) as number
      for (let rank = 0; rank <= all; rank += 7)
        assert.equal(
          rankIndex.blockAt(rank, filter),
          counts.slice(0, -1).findLastIndex((count) => count <= rank),
        )
    }
  }
  for (let round = 0; round < 300; round += 1) {
    const isComing = entries.length === 0 || random() < 0.7
    const [entry] = isComing
      ? [{ key: [Math.floor(random() * 50)], flags: Math.floor(random() * 4) }]
      : entries.splice(Math.floor(random() * entries.length), 1)
    if (isComing) entries.push(entry as IndexEntry)
    rankIndex.move(entry as IndexEntry, isComing ? 1 : -1)
    if (round % 60 === 30) {
      // Splits the second block in two, as when it has grown.
      const [from, to] = [begins[1] as number, begins[2] as number]
      const middle = Math.floor((from + to) / 2)
      const counts = [from, middle].map((begin, i) =>
        [0, 1, 2, 3].map((bits) => {
          const filter = { mask: 3, bits }
          return before(i === 0 ? middle : to, filter) - before(begin, filter)
        }),
      )
      rankIndex.split(1, [blockOf(from, counts[0]), blockOf(middle, counts[1])])
      begins.splice(1, 1, from, middle)
    }
    check()
  }
})
