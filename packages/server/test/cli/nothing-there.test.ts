/**
 * Commands without an existing database: some may create one, the others say that there is none and
 * leave nothing behind.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { databaseOf, onPostgres } from '../../src/testing/database.ts'
import { embedded, makeBindery } from './bindery.ts'

const readers = [
  ['user', 'list'],
  ['user', 'create', '--email', 'ann@example.com'],
  ['key', 'list'],
  ['sessions', 'end', '--all'],
  ['export', 'articles', 'out.ndjson', '--force'],
  ['export', '--all', 'out.ndjson', '--force'],
  ['explain', '/api/v1/products'],
  ['backup', 'out.tar.zst'],
  ['import', 'articles', 'in.ndjson', '--dry-run'],
]

/** Names of files as paths in the folder. */
function given({ path }: { path(name: string): string }, args: readonly string[]): string[] {
  return args.map((arg) => (/^(in|out)\./.test(arg) ? path(arg) : arg))
}

test('what only reads or changes says that nothing is there', async (t: TestContext) => {
  const bindery = makeBindery(t, embedded)
  writeFileSync(bindery.path('in.ndjson'), '')
  const before = readdirSync(bindery.folder)
  for (const args of readers) {
    const { code, stderr } = await bindery.run(given(bindery, args))
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, /There is no database .*bindery\.db/, args.join(' '))
    assert.deepEqual(readdirSync(bindery.folder), before, args.join(' '))
  }
  assert.match((await bindery.run(['doctor'])).stdout, /there is no database/)
  assert.ok(!existsSync(bindery.path('bindery.db')))
})

test('what may make one makes it, beside what the one before has left, but for its log', async (t: TestContext) => {
  const source = makeBindery(t, embedded)
  assert.equal((await source.run(['migrate'])).code, 0)
  const whole = source.path('all.ndjson')
  assert.equal((await source.run(['export', '--all', whole])).code, 0)
  assert.equal((await source.run(['backup', source.path('b.tar.zst')])).code, 0)
  const makers = (path: (name: string) => string) => [
    ['migrate'],
    ['import', 'articles', path('in.ndjson')],
    ['import', '--all', whole],
    ['copy', '--from', `sqlite:${source.path('bindery.db')}`, '--to', `sqlite:${path('bindery.db')}`],
    ['restore', source.path('b.tar.zst'), '--yes'],
  ]
  for (const [i, [word = '']] of makers(String).entries()) {
    const bindery = makeBindery(t, embedded)
    const args = makers(bindery.path)[i] as string[]
    writeFileSync(bindery.path('in.ndjson'), '')
    writeFileSync(bindery.path('jwt-secret'), `${'s'.repeat(64)}\n`, { mode: 0o600 })
    writeFileSync(bindery.path('bindery.db-wal'), 'acknowledged')
    const refused = await bindery.run(args)
    assert.equal(refused.code, 1, word)
    assert.match(refused.stderr, /bindery\.db-wal/, word)
    assert.equal(readFileSync(bindery.path('bindery.db-wal'), 'utf8'), 'acknowledged', word)
    assert.ok(!existsSync(bindery.path('bindery.db')), word)
    const other = makeBindery(t, embedded)
    writeFileSync(other.path('in.ndjson'), '')
    writeFileSync(other.path('jwt-secret'), `${'s'.repeat(64)}\n`, { mode: 0o600 })
    const made = await other.run(makers(other.path)[i] as string[])
    assert.equal(made.code, 0, `${word}: ${made.stderr}`)
    assert.ok(existsSync(other.path('bindery.db')), word)
  }
})

test('a command tells of a log that is gone, as a start does, before it closes the file', async (t: TestContext) => {
  const bindery = makeBindery(t, embedded)
  assert.equal((await bindery.run(['migrate'])).code, 0)
  writeFileSync(bindery.path('bindery.db-shm'), Buffer.alloc(32_768))
  const { code, stderr } = await bindery.run(['user', 'list'])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /The log of .*bindery\.db is gone, and with it what was written since the last checkpoint/)
})

const onServer = onPostgres ? {} : { skip: 'it is about a server of PostgreSQL' }
test('at a mistyped schema nothing is made either', onServer, async (t: TestContext) => {
  const bindery = makeBindery(t)
  const { DATABASE_URL = '' } = await databaseOf(bindery.folder, 'postgres')
  const mistyped = new URL(DATABASE_URL)
  mistyped.searchParams.set('schema', 'shpo')
  writeFileSync(bindery.path('in.ndjson'), '')
  const made = async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
    const { rows } = await client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname = 'shpo' UNION SELECT relname FROM pg_class WHERE relname = 'bindery_meta'",
    )
    await client.end()
    return rows
  }
  for (const args of readers.filter(([word]) => word !== 'backup'))
    for (const url of [mistyped.href, DATABASE_URL]) {
      const { code, stderr } = await bindery.run(given(bindery, args), { env: { DATABASE_URL: url } })
      assert.equal(code, 1, args.join(' '))
      assert.match(
        stderr,
        /There is (no database of Bindery at|nothing to rehearse on)|The source is no database of Bindery/,
        args.join(' '),
      )
      assert.deepEqual(await made(), [], args.join(' '))
    }
})
