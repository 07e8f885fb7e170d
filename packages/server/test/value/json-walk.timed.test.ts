/**
 * The fast parser of strict JSON takes a fraction of the time of the plain one that it replaced.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/value/json.ts'
import { leastCpuMs } from '../helpers/least-time.ts'
import { parsePlainly } from './plain-walk.ts'

test('a long body takes a fraction of the time that the plain walk took', () => {
  const filled = (item: string) => `[${item}${`,${item}`.repeat(200_000 / (item.length + 1))}]`
  const shapes = ['0.1234567890123456', '0.1', '{"a":1}', '"a"', '"a"       ', '{}']
  const ratios = shapes.map((item) => {
    const text = filled(item)
    const parsing = leastCpuMs(() => JSON.parse(text))
    return (leastCpuMs(() => parsePlainly(text)) - parsing) / (leastCpuMs(() => parseJson(text)) - parsing)
  })
  const middle = ratios.toSorted((a, b) => a - b)[shapes.length >> 1] as number
  assert.ok(middle > 1.5, `${ratios.map((ratio) => ratio.toFixed(1)).join(' ')} times as fast`)
})
