/** An import of lines that are costly to read lets other requests have their turns between them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../helpers/application.ts'

describe('an import of costly lines', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await startService()
    key = await service.key(await service.admin())
  })
  after(() => service.stop())

  it('holds nobody up for longer than a line takes', async () => {
    const line = `{"title":"T","price":1,"tags":[${'{"a":1,"b":"c"},'.repeat(50_000)}1]}`
    let last = performance.now()
    let longest = 0
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    const raw = `${line}\n`.repeat(24)
    last = performance.now()
    const started = process.cpuUsage()
    const { status, body } = await service.ask('POST', '/api/v1/editions/import', {
      key,
      raw,
      type: 'application/x-ndjson',
    })
    const { user, system } = process.cpuUsage(started)
    clearInterval(timer)
    assert.deepEqual([status, body.rejected], [200, 24])
    const share = longest / ((user + system) / 1000)
    assert.ok(share < 0.6, `${Math.round(longest)} ms, ${share.toFixed(2)} of all`)
  })
})
