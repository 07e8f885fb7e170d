/**
 * Indexed searches return the rows of the definition: the marked text contains each marked word,
 * the folded text contains the folded part. Random texts and queries run on both databases.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase, markWords, parseSearch } from '../../src/base/fold.ts'
import { all, type Condition } from '../../src/resource/condition.ts'
import { searchTextOf } from '../../src/storage/sql/row.ts'
import type { Storage, Values } from '../../src/storage/storage.ts'
import { shortOr } from '../helpers/long.ts'
import { openBoth } from './both-databases.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { by, idOf, tester } from './library.ts'

/**
 * Letters and digits of different scripts and foldings, characters that end words, and the
 * databases' own syntax.
 */
const odd = [
  ...'aabcfiISſßéÉİı1239٣²日本語ह가Ως𐐀𐐨ﬁǅ％',
  ...' \n\t-_.,:;%"\'*\\()|&!^<>+=€—…。·´\u0301\u0345\u200b\u00a0\u3000😀\u{10fffd}\ue000\u0001',
]
const oddText = fc.string({ unit: fc.constantFrom(...odd), maxLength: 14 })
const wordLike = fc.string({ unit: fc.constantFrom(...'abfi1é日-'), minLength: 1, maxLength: 7 })
const long = fc.integer({ min: 55, max: 70 }).map((length) => 'ab'.repeat(length).slice(0, length))
const ofWords = fc.array(fc.oneof(wordLike, wordLike, oddText, long), { maxLength: 5 }).map((words) => words.join(' '))
const text = fc.oneof(
  { weight: 3, arbitrary: ofWords },
  { weight: 2, arbitrary: oddText },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
)
const stored = (one: string) => one.replaceAll('\0', '').toWellFormed()

const createdAt = '2026-01-01T00:00:00.000Z'
const lampOf = (n: number, [name, maker, kind]: readonly string[]): Record<string, unknown> => {
  const texts = { name: stored(name ?? ''), maker: stored(maker ?? ''), kind: stored(kind ?? '') }
  return { id: idOf(n), ...texts, inStock: n % 2 === 0, price: n, createdAt }
}

function isFound(record: Values, condition: Condition): boolean {
  if (condition.kind === 'and') return condition.of.every((one) => isFound(record, one))
  if (condition.kind === 'search') return condition.words.every((word) => searchTextOf(lamp, record).includes(word))
  if (condition.kind === 'contains')
    return foldCase(record[condition.field] as string).includes(foldCase(condition.text))
  throw new Error(condition.kind)
}

/** A piece of a stored text, so that most queries find something; or any text. */
function pieceOf(records: readonly Values[], field: string) {
  const within = fc
    .tuple(fc.constantFrom(...records), fc.nat(30), fc.integer({ min: 1, max: 9 }))
    .map(([record, from, length]) => {
      const points = [...(record[field] as string)]
      const start = points.length === 0 ? 0 : from % points.length
      return points.slice(start, start + length).join('')
    })
  return fc.oneof({ weight: 4, arbitrary: within }, { weight: 1, arbitrary: text }).map(stored)
}

function questionsOn(records: readonly Values[]): fc.Arbitrary<Condition> {
  const search = fc
    .array(fc.oneof(pieceOf(records, 'name'), pieceOf(records, 'kind')), { minLength: 1, maxLength: 3 })
    .map((pieces): Condition => ({ kind: 'search', words: parseSearch(pieces.join(' ')) }))
    .filter((one) => one.kind === 'search' && one.words.length > 0)
  const marked = pieceOf(records, 'name')
    .filter((one) => one !== '')
    // with white space inside
    .map((one): Condition => ({ kind: 'search', words: [markWords(one)] }))
    .filter((one) => one.kind === 'search' && one.words[0] !== '')
  const contains = pieceOf(records, 'maker').map(
    (part): Condition => ({ kind: 'contains', field: 'maker', text: part }),
  )
  const both = fc.tuple(search, contains).map((pair) => all(...pair))
  return fc.oneof(search, search, marked, contains, both)
}

async function compareAll(databases: [string, Storage][], records: readonly Values[], numRuns: number): Promise<void> {
  let hits = 0
  const check = async (where: Condition) => {
    const expected = records.filter((record) => isFound(record, where)).map(({ id }) => id)
    hits += expected.length > 0 ? 1 : 0
    for (const [name, storage] of databases) {
      const rows = await storage.list(lamp, { where, sort: by('id'), limit: 1000 })
      const found = rows.map(({ id }) => id)
      assert.deepEqual(found, expected, `${name}: ${JSON.stringify(where)}`)
      assert.equal(await storage.count(lamp, where), expected.length, `${name}: ${JSON.stringify(where)}`)
    }
  }
  await fc.assert(fc.asyncProperty(questionsOn(records), check), { numRuns })
  assert.ok(hits > numRuns / 10, `${hits} of ${numRuns} questions found something`)
}

test('random words and parts find the rows of the definition, also after updates and deletes', async (t) => {
  const databases = await openBoth(t, lampCatalog)
  const texts = fc.sample(fc.tuple(text, text, text), 300)
  let records = texts.map((three, i) => lampOf(i + 1, three))
  for (const [, storage] of databases)
    await storage.transaction(tester, (transaction) => transaction.insertAll(lamp, records))
  await compareAll(databases, records, shortOr(120, 300))

  const renamed = fc.sample(text, 60).map(stored)
  for (const [, storage] of databases) {
    await storage.transaction(tester, async (transaction) => {
      const rows = await transaction.list(lamp, { where: { kind: 'true' }, sort: by('id'), limit: 1000 })
      for (const [i, name] of renamed.entries()) {
        const row = rows[i * 3]
        if (row) await transaction.update(lamp, row, i % 2 === 0 ? { name } : { maker: name })
      }
      await transaction.deleteAll(lamp, rows.slice(-40))
    })
  }
  records = records.slice(0, -40).map((record, i) => {
    const name = i % 3 === 0 ? renamed[i / 3] : undefined
    if (name === undefined) return record
    return (i / 3) % 2 === 0 ? { ...record, name } : { ...record, maker: name }
  })
  await compareAll(databases, records, shortOr(60, 150))
})
