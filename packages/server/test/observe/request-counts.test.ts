/**
 * All requests are counted, and only a sample has its steps timed. A busy server does not read the
 * clock for each step of each request.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRequestCounts } from '../../src/observe/request-counts.ts'
import { endStage, makeRequestMeasurements } from '../../src/observe/request-measurements.ts'

test('of the requests that begin within a millisecond all are counted, and the steps of one are timed', () => {
  const counts = makeRequestCounts()
  const began = performance.now()
  const answer = (startedMs: number) => {
    const watch = counts.stageWatch(startedMs)
    const note = makeRequestMeasurements({ requestId: 'a', traceId: undefined, route: '/things', startedMs, watch })
    for (const stage of ['identify', 'admit', 'send'] as const) endStage(note, stage)
    counts.answered(note, { method: 'GET', status: 200, ms: 0.1 })
  }
  const spread = (name: string) => {
    const samples = counts.read().find((family) => family.name === name)?.samples ?? []
    return samples.map((sample) =>
      'counts' in sample ? sample.counts.reduce((sum, one) => sum + one, 0) : sample.value,
    )
  }
  for (let i = 0; i < 40; i += 1) answer(began + i / 8) // five milliseconds
  for (const laterMs of [10, 20, 30]) answer(began + laterMs)
  assert.deepEqual(spread('bindery_http_requests_total'), [43])
  assert.deepEqual(spread('bindery_http_request_duration_seconds'), [43])
  assert.deepEqual(spread('bindery_stage_duration_seconds'), [8, 8, 0, 0, 0, 8])
})
