/**
 * `Change-Position`: the answer of a write names its place in the kept log, by each door. Other
 * answers have none, and neither has an application without `changes`.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makePositions } from '../../src/endpoint/positions.ts'
import { anyone, defineResource, integerId, text } from '../../src/index.ts'
import { comparePlaces, type KeptLog } from '../../src/storage/derived/kept-log.ts'
import { startService } from '../../src/testing/index.ts'

const tableOf = (name: string, changes: boolean) =>
  defineResource({
    name,
    path: `/${name}s`,
    changes,
    list: { style: 'page' },
    access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
    fields: { id: integerId(), title: text({ required: true }) },
  })
const [song, plain] = [tableOf('song', true), tableOf('plain', false)]

let service: Awaited<ReturnType<typeof startService>>
let kept: KeptLog
before(async () => {
  service = await startService([song, plain])
  kept = service.service.engine.storage.changes.kept as KeptLog
})
after(() => service.stop())

const writes: readonly (readonly [door: string, method: string, path: string, body?: unknown])[] = [
  ['create', 'POST', '/api/v1/songs', { title: 'a' }],
  ['update', 'PATCH', '/api/v1/songs/1', { title: 'b' }],
  [
    'batch',
    'POST',
    '/api/v1/batch',
    { operations: ['c', 'd'].map((title) => ({ method: 'POST', path: '/songs', body: { title } })) },
  ],
  ['GraphQL', 'POST', '/graphql', { query: 'mutation { createSong(input: { title: "e" }) { id } }' }],
  ['delete', 'DELETE', '/api/v1/songs/1'],
]

test('each write of a resource with changes says its position, in the order of the log', async () => {
  const epoch = await kept.epoch()
  const positions = makePositions(await kept.secret())
  let last = await kept.end()
  for (const [door, method, path, body] of writes) {
    const { status, headers, text: sent } = await service.ask(method, path, { body })
    assert.ok(status < 300, `${door}: ${sent}`)
    const token = headers.get('change-position') ?? ''
    assert.match(token, /^[\w-]{54}$/, door)
    const found = positions.open(token)
    assert.equal(found?.epoch, epoch, door)
    assert.equal(makePositions(epoch).open(token), undefined, 'the name of the log opens no position')
    assert.ok(comparePlaces(found?.place ?? '0', last) > 0, door)
    last = found?.place as string
    assert.equal(positions.seal({ epoch, place: last }), token, 'the same place has the same token')
  }
})

test('no other answer does', async () => {
  const others: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/api/v1/songs'],
    ['POST', '/api/v1/songs', {}],
    ['POST', '/api/v1/plains', { title: 'x' }],
    ['POST', '/graphql', { query: '{ songs { id } }' }],
  ]
  for (const [method, path, body] of others) {
    const { headers } = await service.ask(method, path, { body })
    assert.equal(headers.get('change-position'), null, path)
  }
})

test('a token that this log has not sealed is no position', () => {
  const positions = makePositions('one')
  const token = positions.seal({ epoch: '0123456789abcdef', place: '12 7' })
  assert.deepEqual(positions.open(token), { epoch: '0123456789abcdef', place: '12 7' })
  assert.equal(makePositions('other').open(token), undefined)
  for (const bad of ['', 'x', `${token}A`, token.slice(0, -2), `A${token.slice(1)}`])
    assert.equal(bad === token ? undefined : positions.open(bad), undefined)
})
