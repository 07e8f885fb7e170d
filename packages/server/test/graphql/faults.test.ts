/**
 * Internal faults during a GraphQL request are logged and counted as with REST, and the response
 * reveals nothing of them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import { anyone, defineResource, id, text } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, fail: anyone, print: anyone },
  actions: {
    fail: {
      async run({ record }) {
        throw new Error(`it was about ${record.name}`)
      },
    },
    print: {
      async run() {
        throw new ApiError('unavailable', 'The printer is away', { cause: new Error('no paper') })
      },
    },
  },
})

test('a field that fails is logged with its request, once, and counted', async (t) => {
  const service = await startService([things], { env: { METRICS_PORT: '0' } })
  t.after(() => service.stop())
  const faults = async () => {
    const text = await (await fetch(`${service.service.metricsAddress}/metrics`)).text()
    return Number(/^bindery_faults_total (\d+)$/m.exec(text)?.[1])
  }
  const { body: thing } = await service.ask('POST', '/api/v1/things', { body: { name: 'Teapot' } })
  const before = await faults()
  const query = 'mutation ($id: ID!) { failThing(id: $id) { id } }'
  for (const times of [1, 2, 3, 4]) {
    const headers = { 'x-request-id': `request-${times}` }
    const sent = { headers, body: { query, variables: { id: thing.id } } }
    const { status, body } = await service.ask('POST', '/graphql', sent)
    assert.equal(status, 200)
    assert.equal(body.errors[0].message, 'Internal server error')
    assert.equal(body.errors[0].extensions.code, 'INTERNAL_SERVER_ERROR')
    assert.equal(JSON.stringify(body).includes('Teapot'), false)
    const lines = service.logged.filter((line) => line.startsWith('error'))
    assert.equal(lines.length, times)
    assert.match(lines.at(-1) as string, new RegExp(`it was about Teapot[^]*at [^]*"requestId":"request-${times}"`))
  }
  // A caller's mistake is no fault of the server.
  await service.ask('POST', '/graphql', { body: { query, variables: {} } })
  await service.ask('POST', '/graphql', { body: { query, variables: { id: '01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e' } } })
  await service.ask('POST', '/graphql', { body: { query: '{' } })
  assert.equal(service.logged.filter((line) => line.startsWith('error')).length, 4)
  assert.equal((await faults()) - before, 4)
  await service.ask('POST', `/api/v1/things/${thing.id}/fail`)
  assert.equal((await faults()) - before, 5)
  // A lasting failure is logged once a minute and counted each time.
  for (let i = 0; i < 3; i += 1) {
    const query = 'mutation ($id: ID!) { printThing(id: $id) { id } }'
    const { body } = await service.ask('POST', '/graphql', { body: { query, variables: { id: thing.id } } })
    assert.equal(body.errors[0].message, 'The printer is away')
  }
  assert.equal(service.logged.filter((line) => line.includes('no paper')).length, 1)
  assert.equal((await faults()) - before, 8)
})
