/** A record has at most as many embedded records as its declaration says. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, defineResource, embedded, id, integer, reference } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'

const crateWith = (max: number) =>
  defineResource({
    name: 'crate',
    path: '/crates',
    fields: { id: id(), size: integer(), bolts: embedded('bolt', 'crateId', { max }) },
    list: { style: 'page' },
    access: { list: anyone, get: anyone, create: anyone },
  })
const bolts = defineResource({
  name: 'bolt',
  path: '/bolts',
  fields: { id: id(), crateId: reference('crate', { onDelete: 'delete' }), grams: integer() },
  access: { get: anyone, create: anyone, delete: anyone },
})

describe('embedded records', () => {
  let service: TestService
  before(async () => {
    service = await startService([crateWith(3), bolts])
  })
  after(() => service.stop())

  const create = async (path: string, body: unknown) => service.ask('POST', path, { body })

  it('are no more than the declaration allows', async () => {
    const { body: crate } = await create('/api/v1/crates', { size: 1 })
    const { body: other } = await create('/api/v1/crates', { size: 2 })
    const made = []
    for (let n = 0; n < 3; n += 1) made.push((await create('/api/v1/bolts', { crateId: crate.id })).body)
    const refused = await create('/api/v1/bolts', { crateId: crate.id })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error, 'Crate has 3 bolts, which is the most that it may have')
    assert.equal((await create('/api/v1/bolts', { crateId: other.id })).status, 201)
    const mutation = `mutation { createBolt(input: { crateId: "${crate.id}" }) { id } }`
    const { errors } = (await create('/graphql', { query: mutation })).body
    assert.deepEqual([errors[0].message, errors[0].extensions.code], [refused.body.error, 'CONFLICT'])
    assert.equal((await service.ask('DELETE', `/api/v1/bolts/${made[0].id}`)).status, 204)
    assert.equal((await create('/api/v1/bolts', { crateId: crate.id })).status, 201)
    const shown = (await service.ask('GET', `/api/v1/crates/${crate.id}`)).body
    assert.equal(shown.bolts.length, 3)
  })

  it('need a number that can be', () => {
    for (const max of [0, -1, 1.5, Number.NaN])
      assert.throws(() => makeCatalog([crateWith(max), bolts]), /field "bolts": max: must be a whole number from 1/)
  })
})
