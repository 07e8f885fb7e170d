/**
 * Records that break several unique keys at once: both databases name the key that was made first,
 * by every door of a write.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, text } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const tags = defineResource({
  name: 'tag',
  path: '/tags',
  trash: { days: 1 },
  history: { keep: 9 },
  fields: {
    id: id(),
    code: text({ unique: true }),
    name: text({ unique: true }),
    place: integer(),
    row: integer(),
  },
  unique: [['place', 'row']],
  list: { style: 'page', bulk: true },
  upsert: ['code', 'name'],
  access: { read: anyone, write: anyone, import: anyone, restore: anyone },
})

let own: TestService
let first: string
const send = async (method: string, path: string, body?: object) => {
  const { status, body: found } = await own.ask(method, `/api/v1/tags${path}`, body && { body })
  return [status, found?.error ?? 'none'] as const
}
const taken = (name: string) => [409, `${name} must be unique`]
const all = { code: 'A', name: 'Ada', place: 1, row: 1 }
const make = async (body: object) => (await own.ask('POST', '/api/v1/tags', { body })).body.id as string

before(async () => {
  own = await startOf([...resources, tags])
  first = await make(all)
})
after(() => own.stop())

test('creates, updates and replaces name the oldest key', async () => {
  assert.deepEqual(await send('POST', '', all), taken('code'))
  assert.deepEqual(await send('POST', '', { ...all, code: 'B' }), taken('name'))
  assert.deepEqual(await send('POST', '', { ...all, code: 'a', name: 'ADA' }), taken('code'))
  assert.deepEqual(await send('POST', '', { ...all, code: null, name: 'Eve' }), taken('place and row'))
  const other = await make({ code: 'C', name: 'Cy', place: 1, row: 2 })
  assert.deepEqual(await send('PATCH', `/${other}`, { code: 'A', name: 'Ada' }), taken('code'))
  assert.deepEqual(await send('PATCH', `/${other}`, { name: 'Ada', row: 1 }), taken('name'))
  assert.deepEqual(await send('PUT', `/${other}`, all), taken('code'))
  assert.deepEqual(await send('PUT', '?on=code', { ...all, code: 'D' }), taken('name'))
  assert.deepEqual(await send('PUT', '?on=name', { ...all, name: 'Dan' }), taken('code'))
})

test('imports, batches and GraphQL do so too', async () => {
  const lines = [all, { code: 'L', name: 'Lea' }, { code: 'l', name: 'lea' }, { name: 'Ada', place: 1, row: 1 }]
  const raw = lines.map((line) => JSON.stringify(line)).join('\n')
  const { body } = await own.ask('POST', '/api/v1/tags/import', { raw, type: 'application/x-ndjson' })
  assert.deepEqual(
    body.errors.map(({ line, error }: { line: number; error: string }) => [line, error]),
    [
      [1, 'code must be unique'],
      [3, 'code must be unique'],
      [4, 'name must be unique'],
    ],
  )
  const operations = [{ method: 'POST', path: '/tags', body: all }]
  const batch = await own.ask('POST', '/api/v1/batch', { body: { operations } })
  assert.match(batch.text, /code must be unique/)
  const query = 'mutation { createTag(input: { code: "A", name: "Ada", place: 1, row: 1 }) { id } }'
  const made = await own.ask('POST', '/graphql', { body: { query } })
  assert.equal(made.body.errors[0].message, 'code must be unique')
})

test('records that come back do so too', async () => {
  const gone = await make({ code: 'T', name: 'Tom', place: 9, row: 9 })
  assert.deepEqual(await send('DELETE', `/${gone}`), [204, 'none'])
  const heir = await make({ code: 'T', name: 'Tom', place: 9, row: 9 })
  assert.deepEqual(await send('POST', `/${gone}/restore`), [409, 'It cannot come back: code must be unique'])
  assert.deepEqual(await send('PATCH', `/${heir}`, { code: 'U', name: 'Una', place: 8 }), [200, 'none'])
  await make({ code: 'T', name: 'Tom', place: 9, row: 9 })
  const [version] = (await own.ask('GET', `/api/v1/tags/${heir}/history`)).body.data.slice(-1)
  assert.deepEqual(await send('POST', `/${heir}/revert`, { historyVersion: version.historyVersion }), taken('code'))
  assert.deepEqual(await send('GET', `/${first}`), [200, 'none'])
})
