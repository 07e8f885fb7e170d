/**
 * The time that a caller waits for a PostgreSQL that does not respond; `faults.test.ts` checks the
 * responses.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import type { AskOptions, TestPerson, TestService } from '../helpers/application.ts'
import { runSql } from '../helpers/application.ts'
import { inLessThan } from '../helpers/least-time.ts'
import { type Instances, startInstances } from './instances.ts'

const v1 = '/api/v1'
let instances: Instances
let service: TestService
let editor: TestPerson
let edition: string

before(async () => {
  instances = await startInstances(1)
  service = instances.all[0] as TestService
  editor = await service.person('EDITOR')
  const made = await service.ask('POST', `${v1}/editions`, { body: { title: 'One', price: 1 }, token: editor.token })
  edition = `${v1}/editions/${made.body.id}`
})
after(() => instances.stop())

const statusOf = async (method: string, path: string, options: AskOptions = {}) =>
  (await service.ask(method, path, options)).status
const write = () => statusOf('PATCH', edition, { body: { title: 'changed' }, token: editor.token })

it('locks that take every connection: 503 within 5 seconds, and what needs none at once', async () => {
  const client = new pg.Client({ connectionString: instances.url })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE editions IN ACCESS EXCLUSIVE MODE')
  await inLessThan(5_500, async () => {
    const waiting = Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? statusOf('GET', edition) : write())))
    await new Promise((resolve) => setTimeout(resolve, 300))
    await inLessThan(1_400, async () => {
      const quick = [statusOf('GET', '/livez'), statusOf('GET', '/shelves', { token: 'a.b.c' })]
      assert.deepEqual(await Promise.all(quick), [200, 401])
    })
    assert.deepEqual([...new Set(await waiting)], [503])
  })
  await client.query('ROLLBACK')
  await client.end()
})

it('a statement that takes 20 seconds is ended before', async () => {
  const shelf = { label: 'Slow', room: 'Somewhere' }
  assert.equal(await statusOf('POST', '/shelves', { body: shelf, token: editor.token }), 201)
  await runSql(instances.url, 'ALTER TABLE shelves RENAME TO shelves_slow')
  await runSql(instances.url, 'CREATE VIEW shelves AS SELECT s.* FROM shelves_slow s, (SELECT pg_sleep(20)) AS slept')
  await inLessThan(10_000, async () => assert.equal(await statusOf('GET', '/shelves/1'), 503))
  await runSql(instances.url, 'DROP VIEW shelves')
  await runSql(instances.url, 'ALTER TABLE shelves_slow RENAME TO shelves')
})
