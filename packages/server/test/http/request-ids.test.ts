/**
 * Request ids are unique: a random prefix for each process, then the number of the request in base
 * 36.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRequestIds } from '../../src/http/logs/request-ids.ts'

test('ids count up in base 36, and grow by a digit when there are no more', () => {
  const makeId = makeRequestIds()
  const process = makeRequestIds()().slice(0, 8)
  assert.match(process, /^[\w-]{8}$/)
  const own = makeId().slice(0, -1)
  assert.match(own, /^[\w-]{8}-$/)
  assert.notEqual(own, `${process}-`)
  for (let count = 1; count < 2 * 36 ** 3; count += 1) assert.equal(makeId(), own + count.toString(36))
})
