/** The beginning of a list while others write: whatever it says of a page is what the list shows there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { makeFront } from '../../src/kept/front.ts'
import { placesMax } from '../../src/kept/places.ts'
import type { Standing } from '../../src/kept/shelves.ts'
import { placeOf } from '../../src/storage/derived/order.ts'
import type { Touch, Watch } from '../../src/storage/derived/watch.ts'
import type { Values } from '../../src/storage/storage.ts'

const sort = [
  { field: 'rank', descending: true },
  { field: 'id', descending: false },
]
const limit = 3

type Thing = { readonly id: number; readonly rank: number | null; readonly listed: boolean; readonly version: number }

const textOf = (thing: Values) => JSON.stringify(thing)

/** Things, some of which are listed, and a watch of those that are. */
function makeThings() {
  const things = new Map<number, Thing>()
  const touches: Touch[] = []
  let losses = 0
  const watch = {
    now: () => ({ place: touches.length, losses }),
    since: (since) => (since.losses === losses ? touches.slice(since.place).toReversed() : undefined),
  } as Watch
  const listed = () =>
    [...things.values()].filter((thing) => thing.listed).sort((a, b) => (b.rank ?? -1) - (a.rank ?? -1) || a.id - b.id)
  return {
    watch,
    lose() {
      losses += 1
    },
    page: (offset: number) => listed().slice(offset, offset + limit),
    write(id: number, thing: Omit<Thing, 'id' | 'version'> | undefined) {
      const was = things.get(id) ?? null
      const is = thing ? { ...thing, id, version: (was?.version ?? 0) + 1 } : null
      if (is) things.set(id, is)
      else things.delete(id)
      const [before, after] = [was?.listed ?? false, is?.listed ?? false]
      if (before || after)
        touches.push({
          moved: { before: was, after: is },
          before,
          after,
          growth: Number(after) - Number(before),
        } as Touch)
    },
    /** A change of which nothing is known but that it was one. */
    writeUnseen(id: number) {
      things.delete(id)
      touches.push({ moved: {}, before: undefined, after: undefined, growth: undefined } as unknown as Touch)
    },
  }
}

const shownOf = (things: readonly Thing[]): Standing[] =>
  things.map((thing) => ({ place: placeOf(sort, thing), shelf: { stored: textOf(thing), uses: 1 }, from: 0, to: 1 }))

/** A front, of which a page is looked at where all of it is shown, and what was put into it and not released since. */
function startFront(watch: Watch) {
  const held = new Set<Standing>()
  const front = makeFront({
    watch,
    sort,
    release(standing) {
      if (standing.shelf) assert.ok(held.delete(standing), 'released once')
    },
  })
  return {
    ...front,
    held,
    page(offset: number, limit: number) {
      const page = front.page(offset, limit)
      return page.length === limit && page.every((one) => one?.shelf) ? page : undefined
    },
    put(offset: number, shown: readonly Standing[], since = watch.now(), by = watch) {
      for (const one of shown) held.add(one)
      front.follow(by)
      front.put({ watch: by, since }, offset, shown)
    },
  }
}

const step = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant('look'), page: fc.nat(6) }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('remember'), page: fc.nat(6) }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('tell') }) },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      id: fc.nat(30),
      rank: fc.option(fc.nat(9)),
      listed: fc.boolean(),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('delete'), id: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unseen'), id: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose') }) },
) as fc.Arbitrary<{ kind: string; page: number; id: number; rank: number | null; listed: boolean }>

test('whatever comes, goes and changes, a page that is known is the one of the list', () => {
  let [known, unknown] = [0, 0]
  fc.assert(
    fc.property(fc.array(step, { minLength: 60, maxLength: 200 }), (steps) => {
      const things = makeThings()
      for (let id = 0; id < 25; id += 1) things.write(id, { rank: id % 8, listed: id % 5 > 0 })
      const front = startFront(things.watch)
      const remembered: Parameters<typeof front.put>[] = []
      for (const { kind, page, id, rank, listed } of steps) {
        if (kind === 'write') things.write(id, { rank, listed })
        if (kind === 'delete') things.write(id, undefined)
        if (kind === 'unseen') things.writeUnseen(id)
        if (kind === 'lose') things.lose()
        if (kind === 'remember') remembered.push([page * limit, shownOf(things.page(page * limit)), things.watch.now()])
        const told = kind === 'tell' ? remembered.pop() : undefined
        if (told) front.put(...told)
        if (kind !== 'look') continue
        const shown = things.page(page * limit)
        const found = front.page(page * limit, limit)
        if (found) assert.deepEqual(found, shownOf(shown))
        else front.put(page * limit, shownOf(shown))
        if (found) known += 1
        else unknown += 1
        assert.ok(front.held.size * 150 <= front.bytes(), 'what is known no more is released')
      }
      front.forget()
      assert.deepEqual([front.held.size, front.bytes()], [0, 0])
    }),
    { numRuns: 300 },
  )
  assert.ok(known > unknown / 3, `${known} pages were known, ${unknown} were not`)
})

test('a page behind what has come is known without a look, and the one where it stands is not', () => {
  const things = makeThings()
  for (let id = 0; id < 12; id += 1) things.write(id, { rank: 100 - id, listed: true })
  const front = startFront(things.watch)
  for (const offset of [9, 0, 6, 3]) front.put(offset, shownOf(things.page(offset)))
  things.write(50, { rank: 99.5, listed: true })
  things.write(8, undefined)
  assert.equal(front.page(0, limit), undefined)
  for (const offset of [3, 6]) assert.deepEqual(front.page(offset, limit), shownOf(things.page(offset)))
})

test('what was shown before the latest writes is noted where it stands now', () => {
  const things = makeThings()
  for (let id = 0; id < 12; id += 1) things.write(id, { rank: 100 - id, listed: true })
  const front = startFront(things.watch)
  const [asOf, shown] = [things.watch.now(), shownOf(things.page(3))]
  things.write(50, { rank: 500, listed: true })
  things.write(4, { rank: 99.5, listed: true })
  front.put(3, shown, asOf)
  assert.equal(front.page(2, 1), undefined, 'what was written since was not shown')
  assert.deepEqual(front.page(5, 2), shownOf(things.page(5)).slice(0, 2))
  assert.equal(front.held.size, 2)
})

test('what was shown before something that is not known is not noted', () => {
  const things = makeThings()
  for (let id = 0; id < 12; id += 1) things.write(id, { rank: 100 - id, listed: true })
  const front = startFront(things.watch)
  const [asOf, shown] = [things.watch.now(), shownOf(things.page(3))]
  things.writeUnseen(1)
  front.put(3, shown, asOf)
  assert.equal(front.page(3, 1), undefined)
  assert.equal(front.held.size, 0)
})

test('one watch of the list takes over from another that has lost what happened', () => {
  const things = makeThings()
  for (let id = 0; id < 12; id += 1) things.write(id, { rank: 100 - id, listed: true })
  const front = startFront(things.watch)
  front.put(0, shownOf(things.page(0)))
  things.lose()
  const since = { place: things.watch.now().place, losses: 0 }
  const latest: Watch = { ...things.watch, now: () => since, since: () => [] }
  assert.equal(front.page(0, limit), undefined)
  front.put(0, shownOf(things.page(0)), since, latest)
  assert.deepEqual(front.page(0, limit), shownOf(things.page(0)))
})

test('a list to which much was written is looked at again', () => {
  const things = makeThings()
  for (let id = 0; id < 12; id += 1) things.write(id, { rank: 100 - id, listed: true })
  const front = startFront(things.watch)
  front.put(9, shownOf(things.page(9)))
  for (let i = 0; i < 200; i += 1) things.write(20, { rank: 1000, listed: i % 2 === 0 })
  assert.equal(front.held.size, 3)
  assert.deepEqual(front.page(9, limit), shownOf(things.page(9)))
  for (let i = 0; i < 202; i += 1) things.write(20, { rank: 1000, listed: i % 2 === 0 })
  assert.equal(front.page(9, limit), undefined)
  assert.equal(front.held.size, 0)
})

test('no more is noted than the first places, and what it takes is known', () => {
  const things = makeThings()
  const front = startFront(things.watch)
  const of = (count: number) =>
    shownOf(Array.from({ length: count }, (_, id) => ({ id, rank: 9, listed: true, version: 1 })))
  assert.equal(front.bytes(), 0)
  front.put(0, of(placesMax + 5))
  assert.equal(front.page(placesMax - 2, limit), undefined)
  assert.equal(front.page(placesMax - 3, limit)?.length, limit)
  assert.equal(front.held.size, placesMax)
  assert.equal(front.bytes(), placesMax * 150)
  const gap = startFront(things.watch)
  gap.put(placesMax - 10, of(10))
  assert.equal(gap.bytes(), 10 * 150, 'in front of what is known there is nothing')
  gap.put(0, of(1))
  assert.equal(gap.bytes(), 11 * 150 + (placesMax - 11) * 8, 'where nobody has looked there is next to nothing')
})
