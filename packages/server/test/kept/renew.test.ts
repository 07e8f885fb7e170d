/** Of a page of which the total has changed, a total that cannot be told leaves no other behind. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '../../src/perform/engine.ts'
import { startService, type TestService } from '../helpers/application.ts'
import { wrapKnownTotal, wrapReads } from '../helpers/wrapped-reads.ts'

let service: TestService
before(async () => {
  service = await startService()
  await service.make('edition', { title: 'A' })
})
after(() => service.stop())

/** No total is known any more, and the next count fails: at once, as with one process on SQLite, or a moment later. */
function failNextCount(engine: Engine, isLate: boolean): () => boolean {
  let isDue = true
  const fail = () => {
    isDue = false
    throw new Error('no count')
  }
  wrapKnownTotal(engine, () => () => undefined)
  wrapReads(engine, ['count'], (own) => (...args: unknown[]) => {
    if (!isDue) return own(...args)
    return isLate ? Promise.resolve().then(fail) : fail()
  })
  return () => !isDue
}

for (const isLate of [false, true])
  test(`a count that fails ${isLate ? 'later' : 'at once'}`, async () => {
    const path = '/api/v1/editions?sort=title&limit=1'
    const total = async () => Number((await service.ask('GET', path)).headers.get('x-total-count'))
    const before = await total()
    for (let i = 0; i < 3; i += 1) assert.equal(await total(), before)
    await service.make('edition', { title: `Z ${isLate}` })
    const hasFailed = failNextCount(service.service.engine, isLate)
    const { status } = await service.ask('GET', path)
    assert.ok(hasFailed())
    assert.equal(status, 500)
    for (let i = 0; i < 3; i += 1) assert.equal(await total(), before + 1)
  })
