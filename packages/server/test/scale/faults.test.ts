/**
 * Faults of PostgreSQL on a real cluster of our own: it stops, it hangs, other sessions hold locks.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { serviceAuthor } from '../../src/storage/changes.ts'
import type { AskOptions, TestPerson, TestResponse, TestService } from '../helpers/application.ts'
import { type Cluster, runSql, startCluster } from '../helpers/application.ts'
import { type Instances, startInstances, until } from './instances.ts'

const v1 = '/api/v1'
let cluster: Cluster
let instances: Instances
let service: TestService
let editor: TestPerson
let editionId: string

before(async () => {
  cluster = await startCluster()
  instances = await startInstances(1, {}, cluster.url)
  service = instances.all[0] as TestService
  editor = await service.person('EDITOR')
  const made = await service.ask('POST', `${v1}/editions`, { body: { title: 'One', price: 1 }, token: editor.token })
  editionId = made.body.id
})
after(async () => {
  await instances.stop()
  await cluster.remove()
})

const ask = (method: string, path: string, options: AskOptions = {}): Promise<TestResponse> =>
  service.ask(method, path, options)

function checkUnavailable(reply: TestResponse): void {
  assert.equal(reply.status, 503, reply.text)
  assert.deepEqual(Object.keys(reply.body), ['error'])
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
  assert.doesNotMatch(reply.text, /ECONN|postgres|terminat|127\.0\.0\.1/i)
}

const write = (body: object = { title: 'changed' }) =>
  ask('PATCH', `${v1}/editions/${editionId}`, { body, token: editor.token })

/** Holds the locks of this SQL while the work runs. */
async function holding(sql: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: instances.url })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await work()
  } finally {
    await client.query('ROLLBACK')
    await client.end()
  }
}

describe('a PostgreSQL that is gone', () => {
  it('is 503 with Retry-After and a line in the log; its return is noticed', async () => {
    await cluster.stop()
    const asked = await Promise.all([
      ask('GET', `${v1}/editions`),
      ask('GET', '/shelves', { token: editor.token }),
      write(),
      ask('POST', '/auth/login', { body: { email: 'a@example.com', password: 'x' } }),
      ask('GET', '/readyz'),
    ])
    for (const reply of asked) checkUnavailable(reply)
    const graphql = await service.ask('POST', '/graphql', { body: { query: '{ editions { data { id } } }' } })
    assert.match(graphql.text, /cannot be reached/)
    assert.equal((await ask('GET', '/livez')).status, 200)
    assert.equal((await ask('GET', '/nowhere')).status, 404)
    assert.equal((await ask('GET', '/shelves', { token: 'a.b.c' })).status, 401)
    assert.match(service.logged.join('\n'), /ECONNREFUSED|terminating connection|Connection terminated/)
    await cluster.start()
    await until(async () => {
      assert.equal((await service.ask('GET', '/readyz')).status, 200)
      assert.equal((await service.ask('GET', `${v1}/editions`)).status, 200)
      assert.equal((await write()).status, 200)
    })
  })

  it('may be killed and recover by itself', async () => {
    const pid = Number(readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')[0])
    const [backend] = await runSql(
      instances.url,
      'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL LIMIT 1',
    )
    assert.ok(pid > 0)
    const other = new pg.Client({ connectionString: cluster.url })
    await other.connect()
    const ended = new Promise<void>((resolve) => other.on('error', () => undefined).on('end', resolve))
    // the server ends all sessions and recovers from its log
    process.kill(Number(backend?.pid), 'SIGKILL')
    await ended
    await until(async () => assert.equal((await write()).status, 200))
  })
})

describe('connections that are killed', () => {
  it('cost only the requests whose statements they carried their answers', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asks = Array.from({ length: 30 }, (_, i) =>
        i % 3 ? ask('GET', `${v1}/editions/${editionId}`) : write({ title: `n${i}` }),
      )
      await runSql(
        cluster.url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'scale%' AND pid <> pg_backend_pid()",
      )
      for (const reply of await Promise.all(asks)) if (reply.status !== 200) checkUnavailable(reply)
      assert.equal((await write()).status, 200)
    }
  })
})

describe('locks that others hold', () => {
  it('end in 503 while they are held, and hold up nothing else', async () => {
    await holding(`SELECT 1 FROM editions WHERE id = '${editionId}' FOR UPDATE`, async () => {
      let isWaiting = true
      const waiting = write().finally(() => (isWaiting = false))
      do assert.equal((await ask('GET', `${v1}/editions/${editionId}`)).status, 200)
      while (isWaiting)
      checkUnavailable(await waiting)
    })
    assert.equal((await write()).status, 200)
  })

  it('that take every connection: 503; bad credentials, 404 and /livez need none', async () => {
    const key = await service.key(editor)
    await holding('LOCK TABLE editions IN ACCESS EXCLUSIVE MODE', async () => {
      const waiting = Array.from({ length: 60 }, (_, i) => (i % 2 ? ask('GET', `${v1}/editions`) : write()))
      await new Promise((resolve) => setTimeout(resolve, 300))
      // One that needed a connection would be 503, as those are that wait for one.
      const quick = await Promise.all([
        ask('GET', '/livez'),
        ask('GET', '/nowhere'),
        ask('GET', '/shelves', { token: 'a.b.c' }),
        ask('GET', '/shelves', { key: `bk_${'A'.repeat(43)}` }),
        ask('GET', '/readyz'),
        ask('GET', `${v1}/loans`, { key }),
      ])
      assert.deepEqual(
        quick.slice(0, 5).map(({ status }) => status),
        [200, 404, 401, 401, 200],
      )
      for (const reply of await Promise.all(waiting)) checkUnavailable(reply)
    })
    await until(async () => assert.equal((await write()).status, 200))
  })

  it('that form a deadlock: one transaction begins again, and both succeed', async () => {
    const ids = await Promise.all(
      ['a', 'b'].map(async (title) => {
        const made = await service.ask('POST', `${v1}/editions`, { body: { title, price: 1 }, token: editor.token })
        return made.body.id as string
      }),
    )
    const { storage, records, catalog } = service.service.engine
    const resource = catalog.get('edition')
    let attempts = 0
    let locks = 0
    const bothHold = Promise.withResolvers<void>()
    const both = (order: readonly string[]) =>
      records.transaction(serviceAuthor, async (tx) => {
        attempts += 1
        for (const value of order) {
          const found = await tx.lock(resource, { kind: 'compare', field: 'id', operator: 'eq', value })
          locks += 1
          if (locks === 2) bothHold.resolve()
          await bothHold.promise
          if (found) await tx.change(resource, found.row, { summary: 'both' })
        }
      })
    await Promise.all([both(ids), both(ids.toReversed())])
    assert.ok(attempts > 2, 'they met')
    const { rows } = await storage.page(resource, {
      where: { kind: 'in', field: 'id', values: ids },
      sort: [],
      limit: 9,
      offset: 0,
    })
    assert.deepEqual(
      rows.map(({ version }) => version),
      [3, 3],
    )
  })
})

describe('writes of the same records in different orders', () => {
  const crossed = async (about: string, ask: (ids: readonly string[], i: number) => Promise<TestResponse>) => {
    const ids = await Promise.all(
      ['a', 'b', 'c'].map(async (title) => {
        const body = { title, price: 1 }
        return (await service.ask('POST', `${v1}/editions`, { body, token: editor.token })).body.id as string
      }),
    )
    const asked = Array.from({ length: 8 }, (_, i) => ask(i % 2 ? ids : ids.toReversed(), i))
    for (const { status, text } of await Promise.all(asked)) assert.equal(status, 200, `${about}: ${text}`)
    for (const id of ids) {
      const { headers } = await service.ask('GET', `${v1}/editions/${id}`)
      assert.match(headers.get('etag') ?? '', /^(W\/)?"9/, `${about}: each was done once`)
    }
  }

  it('are all done: batches', () =>
    crossed('batches', (ids, i) => {
      const operations = ids.map((id) => ({ method: 'PATCH', path: `/editions/${id}`, body: { summary: `${i}` } }))
      return service.ask('POST', `${v1}/batch`, { body: { operations }, token: editor.token })
    }))

  it('are all done: imports', async () => {
    const key = await service.key(editor)
    await crossed('imports', (ids, i) =>
      service.ask('POST', `${v1}/editions/import`, {
        raw: ids.map((id) => JSON.stringify({ id, title: id, summary: `${i}`, price: 2 })).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
        key,
      }),
    )
  })
})

describe('a statement that does not end', () => {
  it('is ended, and is 503', async () => {
    await service.ask('POST', '/shelves', { body: { label: 'Slow', room: 'Somewhere' }, token: editor.token })
    await runSql(instances.url, 'ALTER TABLE shelves RENAME TO shelves_slow')
    await runSql(instances.url, 'CREATE VIEW shelves AS SELECT s.* FROM shelves_slow s, (SELECT pg_sleep(20)) AS slept')
    try {
      // The statement itself would take 20 seconds, and answer.
      checkUnavailable(await ask('GET', `${v1}/shelves/1`))
    } finally {
      await runSql(instances.url, 'DROP VIEW shelves')
      await runSql(instances.url, 'ALTER TABLE shelves_slow RENAME TO shelves')
    }
  })
})
