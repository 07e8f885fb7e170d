/** Where the records of a page are in its bytes: found as they were printed, or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pageForm } from '../../src/rest/page-form.ts'

const end = '"meta":{"page":1}}'

/** Each record as JSON, as its page has it; undefined where they are not told apart. */
function found(records: readonly object[]): string[] | undefined {
  const before = Buffer.from(`{"success":true,"data":${JSON.stringify(records)},`)
  const body = Buffer.concat([before, Buffer.from(end)])
  const part = { query: '', links: undefined, page: 1, limit: 20, print: undefined, at: before.length, digest: '' }
  return pageForm.rowsOf(part, body)?.map(({ from, to, record }) => {
    const text = body.toString('utf8', from, to)
    assert.deepEqual(record, JSON.parse(text))
    return text
  })
}

test('records are found byte by byte, whatever they say', () => {
  let [told, untold] = [0, 0]
  const plain = fc.string({ unit: 'grapheme' })
  const odd = fc.constantFrom('},{', '"},{"', '{', '}],', '\\"}', 'é😀')
  const text = fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: odd })
  const nested = fc.array(fc.dictionary(plain, text, { maxKeys: 2 }), { maxLength: 2 })
  const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), nested)
  const record = fc.dictionary(plain, value, { maxKeys: 3 })
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (records) => {
      const rows = found(records)
      if (rows) told += 1
      else untold += 1
      if (rows)
        assert.deepEqual(
          rows,
          records.map((record) => JSON.stringify(record)),
        )
    }),
    { numRuns: 500 },
  )
  assert.ok(told > 50 && untold > 50, `${told} pages were told apart, ${untold} were not`)
})

test('records with what stands between two of them are not told apart, all others are', () => {
  const records = [{ id: 1, text: 'é "😀" }, {' }, { id: 2, text: '' }, {}, { id: 3 }]
  assert.deepEqual(
    found(records),
    records.map((record) => JSON.stringify(record)),
  )
  assert.equal(found([{ id: 1, text: 'a},{b' }]), undefined)
  assert.equal(found([{ id: 1 }, { id: 2, items: [{ id: 3 }, { id: 4 }] }]), undefined)
  assert.equal(found([]), undefined)
})
