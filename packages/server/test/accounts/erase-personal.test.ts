/**
 * Records that stay when a person is erased: their personal fields are empty, in every copy, and
 * nothing else of them changes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { erasedResources, marker } from './erased-resources.ts'
import { storedRows } from './stored-rows.ts'

let service: TestService
let ann: TestPerson
let ben: TestPerson
before(async () => {
  service = await startService(erasedResources, { mayFail: true })
  ann = await service.person()
  ben = await service.person()
})
after(() => service.stop())

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.ask(method, `/api/v1${path}`, { token: ben.token, body, headers })
async function made(path: string, body: object, headers: Record<string, string> = {}) {
  const reply = await ask('POST', path, body, headers)
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
const erase = (resource: string, of: string | number, dry = false) => {
  const { engine } = service.service
  const target = engine.catalog.get(resource)
  const principal = consolePrincipal(engine.catalog)
  return eraseRecord(engine, { resource: target, where: equal(target.idField, of), principal, dry })
}
const hits = async () => ((await storedRows(service.folder)).match(/zanzibar/g) ?? []).length
const order = (buyerId: string, more: object = {}) => ({
  buyerId,
  sellerId: ben.id,
  buyerName: `${marker} ${Math.random()}`,
  about: { street: marker },
  sellerName: 'Ben',
  item: 'lamp',
  ...more,
})

describe('personal fields of records that stay', () => {
  it('are empty after an erasure, in the record and in every copy', async () => {
    const { id } = await made('/orders', order(ann.id), { 'Idempotency-Key': marker })
    assert.equal((await ask('PATCH', `/orders/${id}`, { item: `lamp of brass` })).status, 200)
    // It was once about the person, and is about another one now.
    const other = await made('/orders', order(ann.id))
    const changed = await ask('PATCH', `/orders/${other.id}`, { buyerId: ben.id, buyerName: 'Ben', about: null })
    assert.equal(changed.status, 200, changed.text)
    const gone = await made('/orders', order(ann.id))
    assert.equal((await ask('DELETE', `/orders/${gone.id}`)).status, 204)
    const visit = await made('/visits', { guestId: ann.id, guestName: marker, orderId: id, note: 'kept' })
    const before = await hits()
    assert.ok(before > 8, String(before))

    const counted = await erase('user', ann.id, true)
    assert.equal(await hits(), before, 'a dry run changes nothing')
    const erased = await erase('user', ann.id)
    assert.deepEqual(erased.emptied, { order: 1, orderTrash: 1, visit: 1 })
    assert.deepEqual(counted.emptied, erased.emptied)
    assert.equal(await hits(), 0)

    const { body: now } = await ask('GET', `/orders/${id}`)
    const { buyerId, buyerName, about, sellerId, sellerName, item, label } = now
    assert.deepEqual(
      { buyerId, buyerName, about, sellerId, sellerName, item, label },
      {
        ...{ buyerId: null, buyerName: null, about: null, sellerId: ben.id, sellerName: 'Ben' },
        ...{ item: 'lamp of brass', label: 'gone: lamp of brass' },
      },
    )
    assert.equal((await ask('GET', `/orders/${other.id}`)).body.buyerName, 'Ben')
    assert.equal((await ask('GET', `/orders?q=${marker}`)).body.meta.total, 0)
    const { body: guest } = await ask('GET', `/visits/${visit.id}`)
    assert.deepEqual([guest.guestId, guest.guestName, guest.note, guest.orderId], [ann.id, null, 'kept', id])
    const restored = await ask('POST', `/orders/${gone.id}/restore`)
    assert.deepEqual(
      [restored.status, restored.body.buyerName, restored.body.buyerId],
      [200, null, null],
      restored.text,
    )
  })

  it('stay where a record is only deleted, and go where the record that they name is erased', async () => {
    const person = await service.person()
    const { id } = await made('/orders', order(person.id, { buyerName: 'Cleo', about: null }))
    const visit = await made('/visits', { orderId: id, note: marker, guestName: 'Cleo', guestId: person.id })
    const { engine } = service.service
    const users = engine.catalog.get('user')
    await engine.records.transaction({ userId: null, role: null, credential: 'console' }, async (tx) => {
      const found = await tx.lock(users, equal('id', person.id), { toDelete: true })
      if (found) await tx.remove(users, found.row, { forGood: true })
    })
    const { body: left } = await ask('GET', `/orders/${id}`)
    assert.deepEqual([left.buyerId, left.buyerName], [null, 'Cleo'])
    assert.deepEqual((await erase('order', id)).emptied, { visit: 1 })
    const { body: guest } = await ask('GET', `/visits/${visit.id}`)
    assert.deepEqual([guest.orderId, guest.note, guest.guestName], [null, null, 'Cleo'])
    assert.equal(await hits(), 0)
  })
})
