/** A session that ends at one instance ends within a second at another. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startService } from '../helpers/service.ts'

it('a log-out at one instance holds within a second at another', async (t) => {
  const one = await startService()
  const two = await startService({ DATA_DIR: one.folder })
  t.after(async () => {
    await two.stop()
    await one.stop()
  })
  for (let round = 0; round < 10; round += 1) {
    const { token, refreshToken } = await one.person()
    const statusAtTwo = async () => (await two.ask('GET', '/api/v1/sessions', { token })).status
    assert.equal(await statusAtTwo(), 200)
    assert.equal((await one.ask('POST', '/auth/logout', { body: { refreshToken } })).status, 204)
    const endedMs = performance.now()
    while ((await statusAtTwo()) !== 401) assert.ok(performance.now() - endedMs < 1_000, 'it is still alive')
  }
})
