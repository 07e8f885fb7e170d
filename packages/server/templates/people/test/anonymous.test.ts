/** A request without a credential cannot write. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { resources } from '../app.ts'

let service: TestService
before(async () => {
  service = await startService(resources)
})
after(() => service.stop())

test('without a credential nothing is written', async () => {
  const refused = await service.ask('POST', '/api/v1/projects', { body: { name: 'Theirs' } })
  assert.equal(refused.status, 401)
})
