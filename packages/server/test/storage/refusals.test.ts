/** The operator's message for refused writes: one line, even if some writes in between succeed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchCorruption } from '../../src/storage/sqlite/inspect/corruption.ts'

test('a write between two refusals is not the end of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: string[] = []
  const corruption = watchCorruption('/data/bindery.db', (line) => lines.push(line))
  const refuse = () =>
    corruption.note(Object.assign(new Error('database or disk is full'), { errcode: 13 }), () => undefined)
  for (let i = 0; i < 5; i += 1) {
    refuse()
    assert.equal(corruption.isRefusing(), true)
    corruption.wrote()
    assert.equal(corruption.isRefusing(), false, 'who asks is told at once')
    t.mock.timers.tick(500)
  }
  assert.equal(lines.length, 1, lines.join('\n'))
  t.mock.timers.tick(2_000)
  assert.match(lines[1] ?? '', /^The database \/data\/bindery\.db can be written again$/)
  refuse()
  assert.match(lines[2] ?? '', /is full: writes are refused/, 'the next time is said at once')
  assert.equal(lines.length, 3)
})
