/**
 * Effects of a declaration, written in one file. Every path of a write leaves them, with the values
 * of that moment, in order for each record.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, changed, defineResource, id, integer, password, state, text } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

type Said = { readonly effect: string; readonly name: string; readonly previous: string | null; readonly id: string }
const said: Said[] = []
let failures = 0

const parcels = defineResource({
  name: 'parcel',
  path: '/parcels',
  fields: {
    id: id(),
    name: text({ required: true }),
    weight: integer(),
    code: password(),
    state: state(['PACKED', 'SENT'], { default: 'PACKED', transitions: { send: { from: ['PACKED'], to: 'SENT' } } }),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone, send: anyone },
  effects: {
    greet: {
      on: ['create', 'delete'],
      run({ record, previous, id }) {
        assert.ok(!('code' in record), 'a secret stays where it is')
        said.push({ effect: 'greet', name: record.name, previous: previous?.name ?? null, id })
      },
    },
    announce: {
      on: [changed('state', { to: 'SENT' })],
      async run({ record, previous, id, tries, signal }) {
        assert.ok(!signal.aborted)
        if (tries === 1 && failures > 0) throw new Error('not now')
        said.push({ effect: 'announce', name: record.name, previous: previous?.state ?? null, id })
      },
    },
  },
})

const spoken = (effect: string) =>
  said.filter((one) => one.effect === effect).map(({ name, previous }) => [name, previous])

test('a declaration says what follows a write, and it follows on each path', async (t) => {
  const service = await startService([parcels])
  t.after(() => service.stop())
  const { ask } = service
  const make = async (name: string) => {
    const made = await ask('POST', '/api/v1/parcels', { body: { name, code: 'a secret of the parcel' } })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const one = await make('one')
  await service.sweep()
  assert.deepEqual(spoken('greet'), [['one', null]])
  const refused = await ask('POST', '/api/v1/parcels', { body: { weight: 1 } })
  assert.equal(refused.status, 400)

  await ask('PATCH', `/api/v1/parcels/${one}`, { body: { name: 'uno' } })
  await service.sweep()
  assert.deepEqual(spoken('announce'), [], 'another field')
  failures = 1
  const sent = await ask('POST', `/api/v1/parcels/${one}/send`)
  assert.equal(sent.status, 200, sent.text)
  await service.expectFailure('parcel.announce')
  assert.ok(service.logged.some((line) => line.includes('The effect parcel.announce failed, and is tried again')))
  await ask('PATCH', `/api/v1/parcels/${one}`, { body: { name: 'later' } })
  service.turn(60_000)
  await service.sweep()
  assert.deepEqual(spoken('announce'), [['uno', 'PACKED']], 'with the values of that moment')

  const mutation = 'mutation { createParcel(input: { name: "two", code: "another secret word" }) { id } }'
  const made = await ask('POST', '/graphql', { body: { query: mutation } })
  assert.equal(made.body.errors, undefined, made.text)
  assert.equal((await ask('DELETE', `/api/v1/parcels/${one}`)).status, 204)
  await service.sweep()
  assert.deepEqual(spoken('greet').slice(1).toSorted(), [
    ['later', null],
    ['two', null],
  ])
  assert.equal(new Set(said.map(({ id }) => id)).size, said.length)
})
