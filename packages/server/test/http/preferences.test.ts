/** The `Prefer` header by RFC 7240. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePrefer } from '../../src/http/messages/preferences.ts'

const said = (header: string | string[] | undefined) =>
  Object.entries(parsePrefer(header))
    .filter(([, isAsked]) => isAsked)
    .map(([name]) => name)

test('what is asked for', () => {
  assert.deepEqual(said(undefined), [])
  assert.deepEqual(said('return=minimal, dry-run'), ['minimal', 'dryRun'])
  assert.deepEqual(said('Return = "Minimal" ; a=b, COUNT=none; c="d;e"'), ['minimal', 'uncounted'])
  assert.deepEqual(said(['count=none', 'dry-run']), ['uncounted', 'dryRun'])
  assert.deepEqual(said('return=representation, return=minimal'), [], 'the first of two counts')
  assert.deepEqual(said(',, ;x, dry-run'), ['dryRun'])
})

test('text within quotes asks for nothing', () => {
  assert.deepEqual(said('note="a, return=minimal, dry-run"'), [])
  assert.deepEqual(said('note="a\\", dry-run, "; b="; dry-run, count=none"'), [])
  assert.deepEqual(said('note="a, b", dry-run'), ['dryRun'])
  assert.deepEqual(said('note="never closed, dry-run'), [])
  assert.deepEqual(said('note="never closed, dry-run\\'), [])
})

test('a header that is as long as headers may be is read to its end', () => {
  // `operation/long-values.timed.test.ts` says how fast.
  for (const text of ['"\\', '"', '\\"', '",', 'a"b\\']) assert.ok(said(text.repeat(32_768 / text.length)).length < 2)
  assert.deepEqual(said(`${'a="b", '.repeat(4_000)}dry-run`), ['dryRun'])
})
