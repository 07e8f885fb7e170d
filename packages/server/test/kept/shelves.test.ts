/** Texts of records in the file of kept answers, and the lists whose texts they are: read as they were shown, and left when nobody needs them. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { type AnswerFile, makeAnswerFile } from '../../src/kept/answer-file.ts'
import type { Entry } from '../../src/kept/entry.ts'
import { type Fronts, makeFronts } from '../../src/kept/fronts.ts'
import type { Recording } from '../../src/kept/recording.ts'
import { makeShelves, type Shelves, type Standing } from '../../src/kept/shelves.ts'
import { pageForm, pagePartOf } from '../../src/rest/page-form.ts'
import type { History } from '../../src/storage/derived/history.ts'
import type { Watch } from '../../src/storage/derived/watch.ts'
import { makeDiskFolder } from './disk-folder.ts'

const folder = makeDiskFolder('bindery-shelves-')
after(() => rmSync(folder, { recursive: true }))

const never = (message: string) => assert.fail(message)
const inFile = () => makeAnswerFile({ folder, bytesMax: 1_000_000, report: never })
/** One that can hold nothing. */
const noFile = () => makeAnswerFile({ folder: '/dev/null/none', bytesMax: 1, report: () => undefined })

const textOf = (n: number) => `{"n":${n},"é":"😀"}`

/** Puts down a page of these records. */
function putPage(shelves: Shelves, numbers: readonly number[]): Standing[] {
  let to = -1
  const records = numbers.map((n) => {
    const from = to + 1
    to = from + Buffer.byteLength(textOf(n))
    return { place: [n], from, to }
  })
  return shelves.put(Buffer.from(numbers.map(textOf).join(',')), records)
}

function read(shelves: Shelves, standing: readonly Standing[]): string | undefined {
  const rows = shelves.bytesOf(standing)
  const to = Buffer.alloc(rows.length + 2, '!')
  if (!rows.write(to, 1)) return undefined
  assert.equal(to.toString().at(0), '!')
  assert.equal(to.toString().at(-1), '!')
  return to.toString('utf8', 1, rows.length + 1)
}
const joined = (numbers: readonly number[]) => numbers.map(textOf).join(',')

for (const [where, open] of [
  ['in the file', inFile],
  ['in memory', noFile],
] as const) {
  test(`${where}: records of several pages are read side by side, in any order`, () => {
    const shelves = makeShelves(open())
    const [a, b, c] = [putPage(shelves, [1, 2, 3]), putPage(shelves, [4]), putPage(shelves, [5, 6])]
    const [one, two, three] = a as [Standing, Standing, Standing]
    assert.equal(read(shelves, a), joined([1, 2, 3]))
    assert.equal(read(shelves, [three, ...b, ...c]), joined([3, 4, 5, 6]))
    assert.equal(read(shelves, [two, one, ...c]), joined([2, 1, 5, 6]))
    shelves.release(two)
    assert.equal(read(shelves, [one, two]), undefined, 'what was released is gone')
    assert.equal(read(shelves, [one, three]), joined([1, 3]))
  })

  test(`${where}: a page of many pieces is put down again as one, and what it was made of is left`, () => {
    const file = open()
    const shelves = makeShelves(file)
    const pages = Array.from({ length: 8 }, (_, n) => putPage(shelves, [n, n + 100]))
    const firsts = pages.map(([first]) => first as Standing)
    const numbers = pages.map((_, n) => n)
    for (let i = 0; i < 3; i += 1) assert.equal(read(shelves, firsts), joined(numbers))
    assert.equal(new Set(firsts.map(({ shelf }) => shelf)).size, 1)
    for (const [, second] of pages) shelves.release(second as Standing)
    const size = file.size()
    for (let n = 0; n < 8; n += 1) putPage(shelves, [n])
    assert.equal(file.size(), size, 'eight places were left, and are used again')
    assert.equal(read(shelves, firsts), joined(numbers))
  })
}

test('what is in memory is counted for as long as one of its records is read', () => {
  const shelves = makeShelves(noFile())
  const standing = putPage(shelves, [1, 2])
  const bytes = shelves.bytes()
  assert.equal(bytes, Buffer.byteLength(joined([1, 2])))
  shelves.release(standing[0] as Standing)
  assert.equal(shelves.bytes(), bytes)
  for (const one of standing) shelves.release(one)
  assert.equal(shelves.bytes(), 0)
})

test('what the file has overwritten is gone', () => {
  const shelves = makeShelves(makeAnswerFile({ folder, bytesMax: 8_192, report: never }))
  const standing = putPage(shelves, [1])
  putPage(shelves, [2])
  assert.equal(read(shelves, standing), joined([1]))
  putPage(shelves, [3])
  assert.equal(read(shelves, standing), undefined)
})

const sort = [{ field: 'id', descending: false }]
const untouched = { now: () => ({ place: 0, losses: 0 }), since: () => [] } as unknown as Watch
const limit = 20

/** Nothing else is kept, and nothing was written. */
const alone = { kept: { get: () => undefined, beginningOf: () => undefined }, history: {} as History }

/** Page `page` of a list of that name, as it is kept. */
function answerOf(list: string, page: number, length = limit) {
  const rows = Array.from({ length }, (_, i) => ({ id: `${list}-${page * limit + i}` }))
  const info = { kind: 'page' as const, page, limit, total: 10_000 }
  const meta = { page, limit, total: 10_000, totalPages: 500, hasNextPage: true, hasPrevPage: page > 1 }
  const body = Buffer.from(JSON.stringify({ success: true, data: rows, meta }))
  const query = `page=${page}&list=${list}`
  const { part } =
    pagePartOf(
      { path: '/things', query },
      { result: { kind: 'list', page: info, items: rows } as never, print: undefined },
      body,
    ) ?? {}
  const shown = { sort, after: undefined, isBehind: page > 1, first: undefined, last: undefined, isCounted: true }
  const seen = { kind: 'matching', watch: untouched, since: untouched.now(), shown }
  const recording = {
    seen: [seen],
    page: () => ({ watch: untouched, rows }),
  } as unknown as Recording
  return { key: `GET /things?${query}`, body, part, recording, entry: { part, seen } as unknown as Entry }
}

function note(fronts: Fronts, ...[list, page, length]: Parameters<typeof answerOf>): void {
  const { key, body, part, recording, entry } = answerOf(list, page, length)
  fronts.find(key, entry)
  fronts.note(key, { headers: {}, body, part }, recording)
}
function shows(fronts: Fronts, list: string, page: number): boolean {
  const { key, body, entry } = answerOf(list, page)
  const moved = fronts.find(key, entry)
  if (!moved) return false
  const made = pageForm.withRows(moved.part, { rows: moved.rows, total: 10_000 })
  assert.deepEqual(made?.body.lent, body)
  return true
}

test('all lists together take no more than they may, and those that are asked for least go first', () => {
  const file: AnswerFile = inFile()
  const bytesMax = 30_000
  const fronts = makeFronts({ form: pageForm, bytesMax, file, ...alone })
  note(fronts, 'first', 1)
  assert.ok(fronts.bytes() > limit * 150, 'what was noted is counted')
  for (let page = 2; page <= 5; page += 1) note(fronts, 'first', page)
  assert.ok(fronts.bytes() > 5 * limit * 150)
  assert.ok(shows(fronts, 'first', 3))
  for (let n = 0; n < 20; n += 1) {
    note(fronts, `other-${n}`, 1)
    assert.ok(fronts.bytes() <= bytesMax, `${fronts.bytes()}`)
  }
  assert.ok(!shows(fronts, 'first', 3))
  assert.ok(shows(fronts, 'other-19', 1))
  assert.ok(file.size() < 25 * 4_096, 'the texts of those that went have left the file')
})

test('a page that shows nothing takes no place in the file', () => {
  const file = inFile()
  const fronts = makeFronts({ form: pageForm, bytesMax: 20_000, file, ...alone })
  for (let i = 0; i < 3; i += 1) note(fronts, 'empty', 1, 0)
  assert.equal(file.size(), 0)
  note(fronts, 'full', 1)
  assert.ok(file.size() > 0)
})

test('a list that is larger than all may be is forgotten', () => {
  const fronts = makeFronts({ form: pageForm, bytesMax: 20_000, file: inFile(), ...alone })
  for (let page = 1; page <= 8; page += 1) note(fronts, 'first', page)
  assert.ok(fronts.bytes() <= 20_000)
  note(fronts, 'other', 1)
  assert.ok(shows(fronts, 'other', 1))
})
