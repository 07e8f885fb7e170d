/**
 * `expand=can` over every resource of the application of these tests: for each operation, caller
 * and record it says the outcome of really trying.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type AskOptions, startService, type TestService } from '../helpers/application.ts'
import { makeComparison } from '../helpers/compare-can.ts'

let service: TestService
const callers = new Map<string, AskOptions>()

before(async () => {
  service = await startService()
  const admin = await service.admin()
  const [owner, stranger, editor] = [await service.person(), await service.person(), await service.person('EDITOR')]
  const { catalog } = service.service.engine
  for (const [name, { can, path, byEngine }] of catalog.resources) {
    // A single record is made with its parent.
    if (!can || byEngine || path === undefined || name === catalog.self?.name) continue
    for (const one of [owner, stranger, editor]) await service.make(name, {}, { owner: one })
  }
  callers.set('anonymous', {})
  for (const [name, one] of Object.entries({ owner, stranger, editor, admin })) callers.set(name, { token: one.token })
  callers.set('key', { key: await service.key(owner) })
  callers.set('narrow key', { key: await service.key(admin, { scopes: ['editions:read', 'articles:update'] }) })
})
after(() => service.stop())

it('`can` of each record equals the status of each operation, for every caller', async () => {
  const { compare, counts } = makeComparison(service)
  for (const [name, by] of callers) await compare(name, by)
  assert.ok(counts.records > 100 && counts.inGraphql > 50, JSON.stringify(counts))
  assert.ok(counts.allowed > 50 && counts.operations - counts.allowed > 50, JSON.stringify(counts))
  assert.ok(counts.unclear < counts.operations / 10, JSON.stringify(counts))
})
