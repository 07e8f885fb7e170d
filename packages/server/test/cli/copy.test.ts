/**
 * `bindery copy` from one database into another: the same bytes, users and ids in the target;
 * refusals; and the state after an interruption.
 */
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { adminEmail, startService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { type Bindery, embedded, makeBindery } from './bindery.ts'
import {
  assertUnfinished,
  catalog,
  fill,
  makePlace,
  makeSlow,
  makeSource,
  on,
  type Place,
  startCopying,
  stored,
} from './places.ts'

type Sum = { rows: number; checksum: string }
type Report = { same: boolean; rows: number; tables: { table: string; source: Sum; target: Sum }[] }
const copyArgs = (from: string, to: string) => ['copy', '--from', from, '--to', to]

async function copied(bindery: Bindery, from: string, to: string): Promise<Report> {
  return (await bindery.values(...copyArgs(from, to)))[0] as unknown as Report
}

async function assertGoesOn(bindery: Bindery, from: string, to: Place): Promise<void> {
  const again = await copied(bindery, from, to.url)
  assert.deepEqual([again.same, again.rows], [true, 400])
  const { code, stdout } = await bindery.run(['export', 'editions'], on(to.url))
  assert.equal(code, 0)
  assert.equal(stdout, (await bindery.run(['export', 'editions'])).stdout)
}

describe('copy', { concurrency: 4 }, () => {
  it('brings everything to PostgreSQL and back, and between two of a kind', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const DATABASE_URL = `sqlite:${bindery.path('bindery.db')}`
    const first = await startService({ DATA_DIR: bindery.folder, DATABASE_URL })
    const { refreshToken, lastShelf } = await fill(first).finally(() => first.service.stop())
    const places = await Promise.all(
      (['postgres', 'postgres', 'sqlite', 'sqlite'] as const).map((kind) => makePlace(t, bindery, kind)),
    )
    const before = await stored(DATABASE_URL)
    const reports: Report[] = []
    let from = DATABASE_URL
    for (const { url } of places) {
      reports.push(await copied(bindery, from, url))
      from = url
    }
    assert.deepEqual(
      reports.map(({ same }) => same),
      [true, true, true, true],
    )
    for (const { tables } of reports) assert.deepEqual(tables, reports[0]?.tables)
    const filled = reports[0]?.tables.filter(
      ({ source, target }) => source.rows > 0 && target.checksum === source.checksum,
    )
    assert.deepEqual(
      filled?.map(({ table }) => table).sort(),
      [...catalog.resources.values()].map(({ table }) => table).sort(),
    )

    for (const { url } of [places[1] as Place, places[3] as Place]) {
      assert.deepEqual(await stored(url), before)
      const copy = await startService({ DATA_DIR: join(bindery.folder, 'other'), DATABASE_URL: url })
      try {
        const { token } = await copy.logIn(adminEmail)
        const shelf = await copy.ask('POST', '/shelves', { body: { label: 'E', room: 'F' }, token })
        assert.equal(shelf.body.id, lastShelf + 1)
        assert.equal((await copy.ask('GET', '/api/v1/editions?q=strasse', { token })).body.data.length, 1)
        const refreshed = await copy.ask('POST', '/auth/refresh', { body: { refreshToken } })
        assert.equal(refreshed.status, 200, refreshed.text)
      } finally {
        // Hooks run in the order in which they are registered, and that of its place removes the
        // database.
        await copy.service.stop()
      }
    }
  })

  it('says in a table what was compared, and what was not copied', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const from = await makeSource(bindery)
    const { url } = await makePlace(t, bindery, 'postgres')
    const { code, stdout, stderr } = await bindery.run(copyArgs(from, url))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^TABLE +SOURCE ROWS +TARGET ROWS +SOURCE SHA256 +TARGET SHA256\n/)
    assert.match(stdout, /^editions +400 +400 +([0-9a-f]{16}) +\1$/m)
    assert.match(
      stderr,
      /^400 rows of 15 tables copied from sqlite:.* to postgres:\/\/127\.0\.0\.1:\d+\/copy_\w+, and both are the same$/m,
    )
    assert.match(
      stderr,
      /Set JWT_SECRET to the same value on both sides.* A generated one of the source is in jwt-secret of its DATA_DIR/,
    )
    assert.ok(!stderr.includes('bindery@'))
  })

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`refuses a target on ${kind} that is not empty, and changes nothing`, long, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded)
      const from = await makeSource(bindery)
      const used = await makePlace(t, bindery, kind)
      await bindery.run(['import', 'shelves'], { input: '{"label":"A","room":"B"}\n', ...on(used.url) })
      const meta = await used.query('SELECT name, value FROM bindery_meta ORDER BY name')
      const refused = await bindery.run(copyArgs(from, used.url))
      assert.deepEqual(
        [refused.code, refused.stdout, refused.stderr],
        [1, '', 'error: The target is not empty: shelves has rows. Nothing was changed; take a new database\n'],
      )
      assert.deepEqual(await used.query('SELECT name, value FROM bindery_meta ORDER BY name'), meta)
      assert.deepEqual(
        (await used.query('SELECT label FROM shelves')).map(({ label }) => label),
        ['A'],
      )

      const foreign = await makePlace(t, bindery, kind)
      await foreign.query('CREATE TABLE members (id integer)')
      const other = await bindery.run(copyArgs(from, foreign.url))
      assert.deepEqual(
        [other.code, other.stderr],
        [1, 'error: The target has a table members of something else; take a new database\n'],
      )
    })

    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      it(
        `is run again after ${signal} in the middle, into ${kind}`,
        signal === 'SIGINT' ? long : {},
        async (t: TestContext) => {
          const bindery = makeBindery(t, embedded)
          const from = await makeSource(bindery)
          const slow = await makeSlow(t, bindery, kind)
          const { child, ended } = await startCopying(bindery, copyArgs(from, slow.url), slow)
          child.kill(signal)
          const { code, stdout, stderr } = await ended
          assert.deepEqual([code, stdout], [signal === 'SIGKILL' ? null : 130, ''])
          if (signal === 'SIGINT')
            assert.match(stderr, /^error: Stopped: nothing was copied. The same command starts anew\n$/m)
          await slow.mend()
          await assertUnfinished(bindery, from, slow)
          await assertGoesOn(bindery, from, slow)
        },
      )
    }

    it(`finds a row that ${kind} stored otherwise, and keeps nothing`, long, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded)
      const from = await makeSource(bindery)
      const place = await makePlace(t, bindery, kind)
      await bindery.run(['migrate'], on(place.url))
      const change = "UPDATE editions SET title = 'Part  7' WHERE id = NEW.id AND title = 'Part 7';"
      if (kind === 'postgres')
        await place.query(
          `CREATE FUNCTION bad() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change} RETURN NULL; END $$`,
        )
      await place.query(
        kind === 'postgres'
          ? 'CREATE TRIGGER bad AFTER INSERT ON editions FOR EACH ROW EXECUTE FUNCTION bad()'
          : `CREATE TRIGGER bad AFTER INSERT ON editions BEGIN ${change} END`,
      )
      const { code, stdout, stderr } = await bindery.run(copyArgs(from, place.url))
      assert.equal(code, 1)
      assert.match(stdout, /^editions +400 +400 +([0-9a-f]{16}) +(?!\1)[0-9a-f]{16}$/m)
      assert.match(stderr, /^error: The copy differs from its source in editions, and nothing of it was kept/m)
      await place.query(`DROP TRIGGER bad${kind === 'postgres' ? ' ON editions' : ''}`)
      await assertUnfinished(bindery, from, place)
      await assertGoesOn(bindery, from, place)
    })
  }

  it('is run again after a lost connection', long, async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const from = await makeSource(bindery)
    const slow = await makeSlow(t, bindery, 'postgres')
    const { ended } = await startCopying(bindery, copyArgs(from, slow.url), slow)
    await slow.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'insert into%'",
    )
    const { code, stderr } = await ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^error: The connection to postgres:\/\/127\.0\.0\.1:\d+\/copy_\w+ was lost: .*Run the same copy again/,
    )
    await slow.mend()
    await assertUnfinished(bindery, from, slow)
    await assertGoesOn(bindery, from, slow)
  })

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`reads ${kind} as it was at the start`, long, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded)
      const sqlite = await makeSource(bindery)
      const other = await makePlace(t, bindery, 'postgres')
      if (kind === 'postgres') await copied(bindery, sqlite, other.url)
      const from = kind === 'postgres' ? other.url : sqlite
      const slow = await makeSlow(t, bindery, 'postgres')
      const { ended } = await startCopying(bindery, copyArgs(from, slow.url), slow)
      const late = { input: '{"label":"Late","room":"B"}\n', ...on(from) }
      assert.equal((await bindery.run(['import', 'shelves'], late)).code, 0)
      const { code, stdout, stderr } = await ended
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^shelves +0 +0 /m)
      assert.deepEqual(await slow.query('SELECT 1 FROM shelves'), [])
    })
  }

  it('refuses itself, a source that is not there, and one of something else', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const from = await makeSource(bindery, 1)
    symlinkSync(bindery.path('bindery.db'), bindery.path('link.db'))
    const itself = await bindery.run(copyArgs(from, `sqlite:${bindery.path('link.db')}`))
    assert.deepEqual([itself.code, itself.stderr], [2, 'error: --from and --to are the same database\n'])
    const nowhere = bindery.path('none.db')
    const none = await bindery.run(copyArgs(`sqlite:${nowhere}`, `sqlite:${bindery.path('to.db')}`))
    assert.deepEqual([none.code, none.stderr], [1, `error: There is no database ${nowhere}\n`])
    const { url } = await makePlace(t, bindery, 'postgres')
    const other = await bindery.run(copyArgs(url, `sqlite:${bindery.path('to.db')}`))
    assert.deepEqual(
      [other.code, other.stderr],
      [1, 'error: The source is no database of Bindery: it has no tables of it\n'],
    )
  })
})
