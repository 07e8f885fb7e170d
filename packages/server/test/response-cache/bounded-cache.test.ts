/** A cache that grows keeps what it has, in the order of uses, and drops only beyond its bound. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { boundedCache } from '../../src/base/bounded-cache.ts'

const entriesMax = 1_000

function filled(count: number) {
  const gone: string[] = []
  const cache = boundedCache<string, number>({ entriesMax, dispose: (_, key) => void gone.push(key) })
  for (let i = 0; i < count; i += 1) {
    cache.set(`key ${i}`, i)
    cache.get('key 0') // used all the time
  }
  return { cache, gone }
}

describe('a bounded cache', () => {
  test('has all entries up to its bound, and disposes of none while it grows', () => {
    const { cache, gone } = filled(entriesMax)
    for (let i = 0; i < entriesMax; i += 1) assert.equal(cache.get(`key ${i}`), i)
    assert.deepEqual(gone, [])
  })

  test('drops the least recently used beyond it, also where the use was in a smaller one', () => {
    const { cache, gone } = filled(entriesMax + 2)
    assert.deepEqual(gone, ['key 1', 'key 2'])
    assert.equal(cache.get('key 0'), 0)
    assert.equal(cache.has('key 1'), false)
  })

  test('forgets one that is deleted, and all that are cleared', () => {
    const { cache, gone } = filled(100)
    cache.delete('key 7')
    assert.deepEqual([cache.get('key 7'), gone], [undefined, ['key 7']])
    cache.clear()
    assert.equal(cache.get('key 8'), undefined)
    assert.equal(gone.length, 100)
  })

  test('a bound below its first places holds', () => {
    const cache = boundedCache<string, number>({ entriesMax: 2 })
    for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at)
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 1, 2])
  })
})
