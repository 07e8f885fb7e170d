/**
 * Regular expressions that read parameters take time linear in the text; backtracking cannot be
 * counted, so this file measures time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import { parsePrefer } from '../../src/http/messages/preferences.ts'
import { parseSelection } from '../../src/operation/expansion.ts'
import { onAllRecords } from '../../src/operation/visible-fields.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { resources } from '../application/resources/index.ts'
import { leastCpuMs } from '../helpers/least-time.ts'

const edition = makeCatalog(resources).get('edition')
const visible = new Set(edition.fieldNames)
const viewOf = () => ({ visible, visibleWhere: onAllRecords, where: always })

test('relations with long white space are read in time that grows with it', () => {
  const spaces = ' '.repeat(1_500)
  for (const text of [
    `opinions(${spaces}!)`,
    `opinions${spaces}!`,
    `${spaces}!`,
    `opinions(limit${spaces}:${spaces}2${spaces}!)`,
  ]) {
    const ms = leastCpuMs(() => {
      for (const name of ['expand', 'fields'])
        assert.throws(
          () =>
            parseSelection({ resource: edition, visible, visibleWhere: onAllRecords, viewOf }, new Map([[name, text]])),
          ApiError,
        )
    }, 8)
    assert.ok(ms < 250, `${ms} ms for ${text.trim().slice(0, 12)}`)
  }
})

test('a Prefer that is as long as headers may be is read at once', () => {
  for (const text of ['"\\', '"', '\\"', '",', 'a"b\\']) {
    const ms = leastCpuMs(() => parsePrefer(text.repeat(32_768 / text.length)), 8)
    assert.ok(ms < 200, JSON.stringify(text))
  }
})
