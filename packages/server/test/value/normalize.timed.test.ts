/**
 * Folding takes time linear in the text, where `String.prototype.normalize` alone takes quadratic
 * time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldAccents, foldCase } from '../../src/base/fold.ts'
import { leastCpuMs } from '../helpers/least-time.ts'
import { longRuns } from './long-runs.ts'

test('a long run of marks takes time in proportion', () => {
  for (const [i, run] of longRuns.entries()) {
    for (const fold of [foldCase, foldAccents]) {
      fold(run(4_000))
      const text = run(100_000)
      const ms = leastCpuMs(() => fold(text), 3)
      // Some 30 ms. The quadratic way took 12 s.
      assert.ok(ms < 600, `run ${i}: ${Math.round(ms)} ms`)
    }
  }
})
