/**
 * References in the security documents exist: every test of a finding, every requirement of ASVS
 * 5.0 up to level 2, every source file.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const root = join(import.meta.dirname, '../../../..')
const security = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const asvs = readFileSync(join(root, 'docs/reference/asvs.md'), 'utf8')

/** The files that a document names between backticks. */
function namedIn(text: string, pattern: RegExp): readonly string[] {
  return [
    ...new Set([...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).filter((name) => pattern.test(name))),
  ]
}
const missing = (names: readonly string[], folder: string) =>
  names.filter((name) => !existsSync(join(root, /^(apps|packages|docs|deploy)\b/.test(name) ? '' : folder, name)))

it('every test that is named exists', () => {
  const [found, items] = [security, asvs].map((text) => namedIn(text, /\.test\.ts$/)) as [string[], string[]]
  assert.ok(found.length > 20 && items.length > 60)
  assert.deepEqual(missing(found, ''), [])
  assert.deepEqual(missing(items, 'packages/server/test'), [])
})

it('every file that protects something exists, and every document', () => {
  const sources = namedIn(security, /^[a-z-]+\/[a-z/-]+\.ts$/).filter((name) => !name.includes('.test.'))
  assert.ok(sources.length > 20)
  assert.deepEqual(missing(sources, 'packages/server/src'), [])
  assert.deepEqual(missing(namedIn(asvs, /^docs\/[^ ]+\.md$/), ''), [])
})

it('every requirement up to level 2 has its row, and says how it is held or why it is not', () => {
  const rows = [...asvs.matchAll(/^\| (V\d+\.\d+\.\d+) \| [12] \| (held|operator|waived|n\/a) \| (.{5,}) \|$/gm)]
  assert.equal(new Set(rows.map(([, id]) => id)).size, 253)
  assert.equal(rows.length, asvs.split('\n').filter((line) => line.startsWith('| V')).length)
  const untested = rows.filter(([, , verdict, how = '']) => verdict === 'held' && !how.includes('`'))
  assert.deepEqual(untested, [])
  const counted = /^(\d+) held, (\d+) operator, (\d+) waived, (\d+) n\/a: 253 in all\.$/m
    .exec(asvs)
    ?.slice(1)
    .map(Number)
  assert.deepEqual(
    counted,
    ['held', 'operator', 'waived', 'n/a'].map((one) => rows.filter(([, , verdict]) => verdict === one).length),
  )
})
