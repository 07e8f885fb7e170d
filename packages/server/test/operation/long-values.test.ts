/** Values that are far too long are refused for their length, before any other work is done with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import { parametersOf } from '../../src/graphql/schema/filter-input.ts'
import { parseSelection } from '../../src/operation/expansion.ts'
import { parseList } from '../../src/operation/list-query.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { always } from '../../src/resource/condition.ts'
import { resources } from '../application/resources/index.ts'

const edition = makeCatalog(resources).get('edition')
const visible = new Set(edition.fieldNames)
const parse = (name: string, text: string) => parseList({ resource: edition, visible }, new Map([[name, text]]))
const long = 1_000_000

function cpuMs(work: () => void): number {
  const started = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

/** The least of some: what else the machine does takes more of a processor's time, never less. */
function leastMs(work: () => void): number {
  let ms = cpuMs(work)
  for (let tries = 1; tries < 8 && ms >= 250; tries += 1) ms = Math.min(ms, cpuMs(work))
  return ms
}

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['q', '😀'.repeat(long), /^q must be at most 256 characters$/],
  ['title[contains]', '😀'.repeat(long), /^title\[contains\] must be at most 1000 characters$/],
  ['title', '\u0301\u0316'.repeat(long), /^title must be at most 1000 characters$/],
  ['sort', ','.repeat(long), /^Cannot sort by nothing; sortable: /],
]
for (const [name, text, message] of refused) {
  test(`${name} of a million characters`, () => {
    const ms = leastMs(() => {
      for (let round = 0; round < 20; round += 1) assert.throws(() => parse(name, text), { message })
    })
    // To look at each character once takes some 10 ms a round.
    assert.ok(ms < 250, `${ms} ms for 20 rounds`)
  })
}

test('a list of GraphQL with far too many values', () => {
  const values = Array.from({ length: long }, () => 'a')
  const args = { filter: { title: { in: values } } } // the filter goes beside the other parameters
  const ms = leastMs(() => {
    for (let round = 0; round < 20; round += 1)
      assert.throws(() => parseList({ resource: edition, visible, tree: args.filter }, parametersOf(edition, args)), {
        message: 'title[in] takes at most 100 values',
      })
  })
  assert.ok(ms < 250, `${ms} ms for 20 rounds`)
})

test('the lengths that are allowed: characters, however many code units each has', () => {
  parse('q', '😀'.repeat(256))
  assert.throws(() => parse('q', '😀'.repeat(257)), { message: 'q must be at most 256 characters' })
  parse('title', `${'😀'.repeat(999)}a`)
  assert.throws(() => parse('title', `${'😀'.repeat(1000)}a`), { message: 'title must be at most 1000 characters' })
  parse('sort', [...edition.list.sortable].slice(0, 7).join(','))
  assert.throws(() => parse('sort', `${[...edition.list.sortable].join(',')},nosuch`), /Cannot sort by nosuch/)
})

const sightOf = () => ({ visible, where: always })

test('relations with long white space are read in time that grows with it', () => {
  const spaces = ' '.repeat(1_500)
  for (const text of [
    `opinions(${spaces}!)`,
    `opinions${spaces}!`,
    `${spaces}!`,
    `opinions(limit${spaces}:${spaces}2${spaces}!)`,
  ]) {
    const ms = leastMs(() => {
      for (const name of ['expand', 'fields'])
        assert.throws(
          () => parseSelection({ resource: edition, visible, sightOf } as never, new Map([[name, text]])),
          ApiError,
        )
    })
    assert.ok(ms < 250, `${ms} ms for ${text.trim().slice(0, 12)}`)
  }
})
