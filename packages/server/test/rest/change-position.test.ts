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
  const positions = makePositions(await kept.sealing())
  let last = await kept.end()
  for (const [door, method, path, body] of writes) {
    const { status, headers, text: sent } = await service.ask(method, path, { body })
    assert.ok(status < 300, `${door}: ${sent}`)
    const token = headers.get('change-position') ?? ''
    assert.match(token, /^[\w-]{43}$/, door)
    const place = positions.open(token) as string
    assert.equal(
      makePositions({ ...(await kept.sealing()), secret: await kept.epoch() }).open(token),
      null,
      'the name of the log opens no position',
    )
    assert.ok(comparePlaces(place, last) > 0, door)
    last = place
    assert.equal(positions.seal(place), token, 'the same place has the same token')
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
  const positionsOf = (secret: string, mark: string) => makePositions({ secret, markAt: () => mark })
  const positions = positionsOf('one', 'a')
  for (const place of ['0', '12', '12 7', '9007199254740993 9223372036854775807']) {
    const token = positions.seal(place)
    assert.equal(positions.open(token), place)
    assert.equal(positionsOf('other', 'a').open(token), null)
    assert.equal(positionsOf('one', 'b').open(token), null)
    const other = token.startsWith('A') ? 'B' : 'A'
    assert.equal(positions.open(`${other}${token.slice(1)}`), null)
    for (const bad of ['', 'x', `${token}A`, token.slice(0, -2), `${token}=`])
      assert.equal(positions.open(bad), undefined)
  }
})
