/**
 * References that are computed through another reference: responses show them as references, and
 * they are never stored.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anyone, defineResource, id, integer, integerId, lookup, reference, text } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

const open = { list: anyone, get: anyone, create: anyone, delete: anyone, replace: anyone }
const branches = defineResource({
  name: 'branch',
  path: '/branches',
  fields: { id: integerId(), name: text() },
  list: { style: 'page' },
  access: open,
})
const copies = defineResource({
  name: 'copy',
  path: '/copies',
  fields: { id: id(), branchId: reference('branch'), shelves: integer({ required: true, default: 2 }) },
  list: { style: 'page' },
  access: open,
})
const lendings = defineResource({
  name: 'lending',
  path: '/lendings',
  fields: {
    id: id(),
    copyId: reference('copy'),
    branchId: lookup(reference('branch'), { via: 'copyId', field: 'branchId' }),
  },
  list: { style: 'page' },
  access: open,
})

let service: TestService
before(async () => {
  service = await startService([branches, copies, lendings])
})
after(() => service.stop())

test('a reference that is looked up is shown, and is null once its record is gone', async () => {
  const { ask } = service
  const branch = (await ask('POST', '/api/v1/branches', { body: { name: 'North' } })).body
  const copy = (await ask('POST', '/api/v1/copies', { body: { branchId: branch.id, shelves: 1 } })).body
  const lending = (await ask('POST', '/api/v1/lendings', { body: { copyId: copy.id } })).body
  assert.deepEqual(lending, { id: lending.id, copyId: copy.id, branchId: branch.id })
  assert.equal((await ask('DELETE', `/api/v1/branches/${branch.id}`)).status, 204)
  assert.equal((await ask('GET', `/api/v1/lendings/${lending.id}`)).body.branchId, null)
})

test('a required field with a default must be sent all the same: the default is for records that are there already', async () => {
  const { ask } = service
  const { status, body } = await ask('POST', '/api/v1/copies', { body: {} })
  assert.deepEqual([status, body], [400, { error: 'shelves is required' }])
  const { body: document } = await ask('GET', '/openapi.json')
  assert.deepEqual(document.components.schemas.CopyCreate.required, ['shelves'])
})
