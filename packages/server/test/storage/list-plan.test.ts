/**
 * The planner counts ranges of indexes one by one, and no more of them than the choice needs.
 * Counting a range takes longer than a short walk.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, type Condition } from '../../src/resource/condition.ts'
import { modelOf } from '../../src/storage/model/model.ts'
import { makeRangeCovering } from '../../src/storage/sqlite/rank-index/range-covering.ts'
import type { RangeSizes } from '../../src/storage/sqlite/rank-index/range-size.ts'
import { rankedIndexesOf } from '../../src/storage/sqlite/rank-index/ranked-index.ts'
import { planList } from '../../src/storage/sqlite/read/list-plan.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { by, compare, searching } from './library.ts'

const table = modelOf(lampCatalog).tables.find(({ name }) => name === lamp.table)
assert.ok(table)
const rangesOf = makeRangeCovering(() => rankedIndexesOf(lamp, table))
const rowsMax = 100_000

function planOf(where: Condition, total: number) {
  let counted = 0
  const sizes: RangeSizes = {
    known() {
      counted += 1
      return rowsMax
    },
    get: async () => undefined,
  }
  const request = { where, sort: by('-createdAt', '-id'), limit: 20 }
  const plan = planList(rangesOf(lamp, where), { request, total, sizes, rowsMax })
  return { kind: plan.kind, counted }
}

const priceAndWord = all(compare('price', 'gte', 1), searching('lamp'))

test('a walk that meets a match at every step is taken without a count of the other ranges', () => {
  assert.deepEqual(planOf(priceAndWord, rowsMax), { kind: 'walk', counted: 1 })
})

test('a walk that may be long is compared with all ranges', () => {
  const { counted } = planOf(priceAndWord, 2)
  assert.ok(counted > 1, String(counted))
})

test('more matches than a walk has entries are not gathered, so no range is counted for that', () => {
  assert.deepEqual(planOf(all(compare('price', 'gte', 1), compare('kind', 'gt', 'A'), searching('lamp')), 20_000), {
    kind: 'walk',
    counted: 1,
  })
})
