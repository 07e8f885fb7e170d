/** Keys of a manual order: between any two there is another, short at the ends, and of one form. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isOrderKey, keyBetween, spreadKeys } from '../../src/base/order-keys.ts'
import { makeRandom } from '../scale/random-requests.ts'

describe('keys of a manual order', () => {
  it('at the ends', () => {
    assert.equal(keyBetween(null, null), '8')
    assert.equal(keyBetween('8', null), '8000000001')
    assert.equal(keyBetween(null, '8'), '7fffffffff')
    assert.equal(keyBetween('8000000001', null), '8000000002')
    assert.equal(keyBetween('80000000018', null), '8000000002')
    assert.equal(keyBetween('f'.repeat(32), null), undefined)
    assert.equal(keyBetween(null, `${'0'.repeat(31)}1`), undefined)
  })

  it('stay short behind 100,000 others', () => {
    let key: string | null = null
    for (let i = 0; i < 100_001; i += 1) key = keyBetween(key, null) as string
    assert.equal(key, '80000186a')
  })

  it('80 times between the same two, at least', () => {
    for (const side of ['low', 'high'] as const) {
      let [low, high, count] = ['8', '8000000001', 0]
      for (;;) {
        const next = keyBetween(low, high)
        if (next === undefined) break
        assert.ok(isOrderKey(next) && low < next && next < high)
        if (side === 'low') low = next
        else high = next
        count += 1
      }
      assert.ok(count >= 80, `${side} ${count}`)
    }
  })

  it('in a random order of inserts', () => {
    const random = makeRandom(7)
    const keys: string[] = []
    for (let i = 0; i < 2_000; i += 1) {
      const at = Math.floor(random() * (keys.length + 1))
      const key = keyBetween(keys[at - 1] ?? null, keys[at] ?? null) as string
      assert.ok(isOrderKey(key))
      keys.splice(at, 0, key)
    }
    assert.deepEqual(keys, keys.toSorted())
    assert.equal(new Set(keys).size, keys.length)
  })

  it('spread evenly, and not where there is little room', () => {
    assert.deepEqual(spreadKeys(null, null, { count: 3, isWhole: true }), ['4', '8', 'c'])
    const close = ['8', `8${'0'.repeat(30)}f`] as const
    assert.equal(spreadKeys(...close, { count: 3, isWhole: false }), undefined)
    assert.equal(spreadKeys(...close, { count: 9, isWhole: true }), undefined)
    for (const count of [1, 2, 17, 256, 999]) {
      const keys = spreadKeys('8', '8000000001', { count, isWhole: false }) ?? []
      const all = ['8', ...keys, '8000000001']
      assert.deepEqual([keys.length, keys.every(isOrderKey)], [count, true])
      assert.deepEqual(all, [...new Set(all)].toSorted())
    }
  })

  it('of one form', () => {
    for (const one of ['', '0', '80', 'G', 'A', '8'.repeat(33), 8, null]) assert.equal(isOrderKey(one), false)
  })
})
