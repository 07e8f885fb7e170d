/**
 * Pages that the cache updates from known changes, while the reads for that fail. No wrong page
 * remains, and every waiting caller gets the error at once.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { startService, type TestService } from '../helpers/application.ts'
import { until } from '../helpers/until.ts'
import { wrapKnownTotal, wrapReads } from '../helpers/wrapped-reads.ts'

let service: TestService
before(async () => {
  service = await startService()
  await service.make('edition', { title: 'A' })
})
after(() => service.stop())

/**
 * No total is known any more, and the next count fails: at once, as with one process on SQLite, or
 * a moment later.
 */
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

/**
 * The next read of that kind finds the database away, when all who ask at once have come. Returns
 * how many there have been, and what takes it back.
 */
function failOnce(engine: Engine, name: 'count' | 'page', comers: number) {
  let reads = 0
  let admitted = 0
  const policy = engine.policy as { admit: Engine['policy']['admit'] }
  const { admit } = policy
  policy.admit = (...args) => {
    admitted += 1
    return admit.apply(engine.policy, args)
  }
  const unwrap = wrapReads(engine, [name], (own) => async (...args: unknown[]) => {
    reads += 1
    if (reads > 1) return own(...args)
    await until(() => admitted >= comers, `${comers} requests`)
    // Each looks for the answer in the turn in which it was admitted.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    throw new ApiError('unavailable', 'The database is away', { retryAfterSeconds: 1 })
  })
  const restore = () => {
    policy.admit = admit
    unwrap()
  }
  return { reads: () => reads, restore }
}

/** The change between two reads of the page, and the read that fails. */
const outages = [
  { read: 'count', title: 'A', path: '/api/v1/editions?sort=title&limit=2' },
  { read: 'page', title: 'ZZ', path: '/api/v1/editions?sort=-title&limit=2&page=3' },
] as const
for (const { read, title, path } of outages)
  test(`a ${read} that meets an outage is made once, and fails for all who wait for it`, async () => {
    for (let i = 0; i < 8; i += 1) await service.make('edition', { title: `M ${i}` })
    const look = async () => (await service.ask('GET', path)).status
    for (let i = 0; i < 3; i += 1) assert.equal(await look(), 200)
    await service.make('edition', { title: read === 'page' ? title : `Z ${title}` })
    const { reads, restore } = failOnce(service.service.engine, read, 5)
    try {
      assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(look)), [503, 503, 503, 503, 503])
      assert.equal(reads(), 1)
      assert.equal(await look(), 200)
    } finally {
      restore()
    }
  })
