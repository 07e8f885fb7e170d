/** Seeds fill a database once: running them again changes nothing, and causes no effects. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { makeBindery } from './bindery.ts'
import { noted, seeded } from './seeded.ts'

const command = new URL('./seeded-command.ts', import.meta.url).pathname
const shelf = { name: 'shelf', created: 3, updated: 0, unchanged: 0 }

describe('bindery seed', () => {
  it('stores the records once, and changes those that differ', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, command)
    assert.deepEqual(await bindery.values('seed'), [{ name: 'places', created: 2, updated: 0, unchanged: 0 }, shelf])
    assert.deepEqual(await bindery.values('seed', 'shelf'), [{ ...shelf, created: 0, unchanged: 3 }])
    const renamed = { env: { SHELF_TITLE: 'Emma II' } }
    const { stdout } = await bindery.run(['seed', 'shelf'], renamed)
    assert.equal(stdout, 'shelf: 0 created, 1 updated, 2 unchanged\n')
  })

  it('asks where others reach the server, but for what belongs everywhere', async (t: TestContext) => {
    const bindery = makeBindery(t, { PUBLIC_URL: 'https://shop.example' }, command)
    const refused = await bindery.run(['seed'])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /others reach this server \(PUBLIC_URL\), and shelf may be for development alone/)
    assert.equal((await bindery.run(['seed', 'places'])).code, 0)
    assert.equal((await bindery.run(['seed', '--yes'])).code, 0)
    const unknown = await bindery.run(['seed', 'shelff'])
    assert.match(unknown.stderr, /there is no seed "shelff"; did you mean "shelf"\?/)
  })

  it('that fails has stored nothing', async (t: TestContext) => {
    const bindery = makeBindery(t, {}, command)
    const failed = await bindery.run(['seed', 'shelf'], { env: { SHELF_TITLE: 'Broken' } })
    assert.equal(failed.code, 1)
    assert.match(failed.stderr, /No broken books/)
    assert.deepEqual(await bindery.values('seed', 'shelf'), [shelf])
  })
})

it('a test begins with seeds, whose effects stay quiet', async (t) => {
  noted.length = 0
  const service = await startService(seeded, { seed: true })
  t.after(() => service.stop())
  const books = await service.ask('GET', '/api/v1/books')
  assert.deepEqual(books.body.data.map(({ title }: { title: string }) => title).toSorted(), ['Emma', 'Faust', 'Kosmos'])
  await service.runEffects()
  assert.deepEqual(noted.toSorted(), ['Utrecht', 'Wien'], 'the effects of the seed that wants them')
  await assert.rejects(startService(seeded, { seed: ['shelv'] }), /there is no seed "shelv"/)
})
