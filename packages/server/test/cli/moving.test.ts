/**
 * A whole database as one file: exported from one database and imported into another, with and
 * without secrets; refusals; and the state after an interruption.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readConfig } from '../../src/config.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { openStorage } from '../../src/storage/open.ts'
import { adminEmail, password, startService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { type Bindery, embedded, makeBindery } from './bindery.ts'
import {
  assertUnfinished,
  catalog,
  fill,
  type Kind,
  makePlace,
  makeSlow,
  makeSource,
  on,
  startCopying,
  stored,
} from './places.ts'

const kinds: readonly Kind[] = ['sqlite', 'postgres']
const club = new URL('./club.ts', import.meta.url).pathname

async function moved(bindery: Bindery, args: readonly string[], url: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await bindery.run([...args, '--json'], { env: { DATABASE_URL: url, ...env } })
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

/** The lines after the first. */
const rowsIn = (file: string) => readFileSync(file, 'utf8').split('\n').slice(1)

async function leaveWork(url: string): Promise<void> {
  const storage = await openStorage(readConfig({ DATABASE_URL: url }).database, catalog, { heldMs: 0, making: 'empty' })
  const effect = { kind: 'away', key: null, inOrder: false, dueMs: 1, leftMs: 1, payload: '{}', context: null }
  try {
    await storage.transaction(serviceAuthor, (transaction) =>
      transaction.leaveEffects(['a', 'b'].map((id) => ({ ...effect, id }))),
    )
  } finally {
    await storage.close()
  }
}

async function filled(bindery: Bindery) {
  const DATABASE_URL = `sqlite:${bindery.path('bindery.db')}`
  const first = await startService({ DATA_DIR: bindery.folder, DATABASE_URL })
  return { url: DATABASE_URL, ...(await fill(first).finally(() => first.service.stop())) }
}

describe('moving house', { concurrency: 2 }, () => {
  it('brings everything to PostgreSQL and back, with secrets', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const { url, refreshToken, lastShelf } = await filled(bindery)
    await leaveWork(url)
    const before = await stored(url)
    const packed = bindery.path('first.ndjson.gz')
    const told = await moved(bindery, ['export', '--all', packed, '--with-secrets'], url)
    assert.equal(told.secrets, true)
    assert.equal(statSync(packed).mode & 0o777, 0o600)
    const names = (told.resources as { resource: string; rows: number }[]).filter(({ rows }) => rows > 0)
    assert.deepEqual(
      names.map(({ resource }) => resource).sort(),
      [...catalog.resources.keys(), 'bindery_effects'].sort(),
    )
    writeFileSync(bindery.path('first.ndjson'), gunzipSync(readFileSync(packed)))

    const there = await makePlace(t, bindery, 'postgres')
    const report = await moved(bindery, ['import', '--all', packed], there.url)
    assert.deepEqual([report.same, report.rows], [true, told.rows])
    const second = bindery.path('second.ndjson')
    await moved(bindery, ['export', '--all', second, '--with-secrets'], there.url)
    assert.deepEqual(rowsIn(second), rowsIn(bindery.path('first.ndjson')))
    const back = await makePlace(t, bindery, 'sqlite')
    await moved(bindery, ['import', '--all', second], back.url)

    for (const place of [there, back]) {
      assert.deepEqual(await stored(place.url), before)
      const copy = await startService({ DATA_DIR: join(bindery.folder, 'other'), DATABASE_URL: place.url })
      try {
        const { token } = await copy.logIn(adminEmail)
        const shelf = await copy.ask('POST', '/shelves', { body: { label: 'E', room: 'F' }, token })
        assert.equal(shelf.body.id, lastShelf + 1)
        assert.equal((await copy.ask('GET', '/api/v1/editions?q=strasse', { token })).body.data.length, 1)
        assert.equal((await copy.ask('POST', '/auth/refresh', { body: { refreshToken } })).status, 200)
      } finally {
        await copy.service.stop() // before the hook that removes its database
      }
    }
  })

  it('leaves secrets out unless they are asked for', long, async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const { url, refreshToken } = await filled(bindery)
    const file = bindery.path('all.ndjson')
    const { secrets } = await moved(bindery, ['export', '--all', file], url)
    const [head = '', ...rows] = readFileSync(file, 'utf8').split('\n')
    assert.deepEqual([secrets, (JSON.parse(head) as { secrets: boolean }).secrets], [false, false])
    const kept = JSON.stringify(await stored(url))
    const hashes = kept.match(/\$argon2id[^"]+|(?<="(?:hash|key)":")[^"]+/g) ?? []
    assert.ok(hashes.length >= 4)
    for (const hash of hashes) assert.ok(!rows.join('\n').includes(hash), hash)
    assert.ok(!/"(password|hash|key)":/.test(head))

    for (const kind of kinds) {
      const place = await makePlace(t, bindery, kind)
      const { stderr } = await bindery.run(['import', '--all', file], on(place.url))
      assert.match(stderr, /The file holds no secrets: set passwords by bindery user set/)
      const copy = await startService({ DATA_DIR: join(bindery.folder, kind), DATABASE_URL: place.url })
      try {
        const login = await copy.ask('POST', '/auth/login', { body: { email: adminEmail, password } })
        assert.equal(login.status, 401)
        assert.equal((await copy.ask('POST', '/auth/refresh', { body: { refreshToken } })).status, 401)
      } finally {
        await copy.service.stop() // before the hook that removes its database
      }
      const again = bindery.path(`${kind}.ndjson`)
      await moved(bindery, ['export', '--all', again], place.url)
      assert.deepEqual(rowsIn(again), rowsIn(file))
    }
  })

  for (const kind of kinds) {
    it(`is run again after SIGKILL in the middle, into ${kind}`, long, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded)
      const from = await makeSource(bindery)
      const file = bindery.path('all.ndjson')
      await moved(bindery, ['export', '--all', file], from)
      const slow = await makeSlow(t, bindery, kind)
      const { child, ended } = await startCopying(bindery, ['import', '--all', file], slow)
      child.kill('SIGKILL')
      await ended
      await assertUnfinished(bindery, file, slow)
      const { stderr } = await bindery.run(['user', 'list'], on(slow.url))
      assert.match(stderr, /run the same bindery import --all again/)
      await slow.mend()
      assert.equal((await moved(bindery, ['import', '--all', file], slow.url)).rows, 400)
      assert.equal(
        (await bindery.run(['export', 'editions'], on(slow.url))).stdout,
        (await bindery.run(['export', 'editions'])).stdout,
      )
    })

    it(`brings circles and new names into ${kind}`, async (t: TestContext) => {
      const bindery = makeBindery(t, embedded, club)
      const place = await makePlace(t, bindery, 'sqlite')
      assert.equal((await bindery.run(['migrate'], on(place.url))).code, 0)
      const [ann, bob, seat, table] = ['5', '6', '7', '8'].map((end) => `01a20276-8240-7000-a34b-74585367a9b${end}`)
      await place.query(
        `INSERT INTO branches (id, name, name_folded, city, version) VALUES (7, 'Main', 'main', NULL, 3)`,
      )
      const person = 'INSERT INTO people (id, code, code_folded, nick, fee, state, branch_id, version, search)'
      await place.query(`${person} VALUES ('${ann}', 'A', 'a', 'Nick A', 1250, 'IN', 7, 1, '')`)
      await place.query(`${person} VALUES ('${bob}', 'B', 'b', 'Nick B', 1250, 'BACK', 7, 2, '')`)
      await place.query(`UPDATE people SET boss_id = CASE id WHEN '${ann}' THEN '${bob}' ELSE '${ann}' END`)
      await place.query(`UPDATE branches SET head_id = '${bob}'`)
      const database = new DatabaseSync(place.url.replace('sqlite:', ''))
      database.exec(`BEGIN; PRAGMA defer_foreign_keys = ON;
        INSERT INTO seats (id, label, table_id, version) VALUES ('${seat}', 'S', '${table}', 1);
        INSERT INTO tables (id, head_seat_id, version) VALUES ('${table}', '${seat}', 1); COMMIT`)
      database.close()
      const file = bindery.path('club.ndjson')
      await moved(bindery, ['export', '--all', file], place.url)
      const there = await makePlace(t, bindery, kind)
      await moved(bindery, ['import', '--all', file], there.url)
      const again = bindery.path('again.ndjson')
      await moved(bindery, ['export', '--all', again], there.url)
      assert.deepEqual(rowsIn(again), rowsIn(file))

      const renamed = await makePlace(t, bindery, kind)
      const env = { CLUB: 'after', DATABASE_URL: renamed.url }
      const refused = await bindery.run(['import', '--all', file], { env })
      assert.deepEqual(
        [refused.code, refused.stderr],
        [
          1,
          'error: The file does not fit the declarations, and nothing was changed:\n' +
            '  person.nick is in the file and not declared: --map person.nick=NAME says what it is called now, --leave-out person.nick leaves it out\n',
        ],
      )
      const wordless = await bindery.run(['import', '--all', file, '--map', 'person.nick=nickName'], { env })
      assert.equal(wordless.code, 1)
      assert.match(
        wordless.stderr,
        /person\.state has the word BACK, which is none of IN, RETURNED; --map person\.state\.BACK=WORD/,
      )
      const maps = ['--map', 'person.nick=nickName', '--map', 'person.state.BACK=RETURNED']
      await moved(bindery, ['import', '--all', file, ...maps], renamed.url, { CLUB: 'after' })
      const { stdout } = await bindery.run(['export', 'people', '--where', 'q=nick'], { env })
      const people = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      assert.deepEqual(
        people.map(({ code, nickName, fee, state, rank, bossId }) => [code, nickName, fee, state, rank, bossId]),
        [
          ['A', 'Nick A', 12.5, 'IN', 'LOW', bob],
          ['B', 'Nick B', 12.5, 'RETURNED', 'LOW', ann],
        ],
      )

      const told = { CLUB: 'told' }
      const known = await makePlace(t, bindery, kind)
      await moved(bindery, ['import', '--all', file], known.url, told)
      const members = await bindery.run(['export', 'members'], { env: { ...told, DATABASE_URL: known.url } })
      assert.match(
        members.stdout,
        /"nickName":"Nick B","fee":"12.5 a year","state":"RETURNED","badge":"B BACK","since":2020/,
      )
      await moved(bindery, ['migrate'], there.url, told)
      const files = [known, there].map(({ url }, at) => ({ url, path: bindery.path(`told-${at}.ndjson`) }))
      for (const { url, path } of files) await moved(bindery, ['export', '--all', path], url, told)
      assert.deepEqual(...(files.map(({ path }) => rowsIn(path)) as [string[], string[]]))
    })
  }

  it('refuses what is no whole file, and a database with anything in it', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const from = await makeSource(bindery, 3)
    const file = bindery.path('all.ndjson')
    await moved(bindery, ['export', '--all', file], from)
    const whole = readFileSync(file, 'utf8')
    const bad: [name: string, text: string, says: RegExp][] = [
      ['cut.ndjson', whole.slice(0, whole.indexOf('{"resource":"edition"')), /cut off in the middle of edition/],
      ['half.ndjson', whole.slice(0, whole.indexOf('"Part 1"') + 4), /A line of edition in the file is not as it was/],
      ['changed.ndjson', whole.replace('"Part 1"', '"Part 9"'), /edition in the file is not as it was written/],
      ['less.ndjson', whole.replace(/.*"Part 1".*\n/, ''), /edition in the file is not as it was written/],
      ['other.ndjson', '{"title":"One"}\n', /This is no file of bindery export --all/],
      ['empty.ndjson', '', /This is no file of bindery export --all/],
      [
        'later.ndjson',
        whole.replace('"formatVersion":1', '"formatVersion":2'),
        /format 2, and this version .* reads 1/,
      ],
      ['plain.ndjson.gz', whole, /Cannot read .*plain\.ndjson\.gz: incorrect header check/],
    ]
    for (const [name, text, says] of bad) {
      writeFileSync(bindery.path(name), text)
      const place = await makePlace(t, bindery, 'sqlite')
      const { code, stdout, stderr } = await bindery.run(['import', '--all', bindery.path(name)], on(place.url))
      assert.deepEqual([code, stdout], [1, ''], name)
      assert.match(stderr, says)
      assert.ok(
        !existsSync(place.url.replace('sqlite:', '')) || (await place.query('SELECT * FROM editions')).length === 0,
      )
    }
    for (const kind of kinds) {
      const used = await makePlace(t, bindery, kind)
      await bindery.run(['import', 'shelves'], { input: '{"label":"A","room":"B"}\n', ...on(used.url) })
      const { code, stderr } = await bindery.run(['import', '--all', file], on(used.url))
      const says = 'error: The target is not empty: shelves has rows. Nothing was changed; take a new database\n'
      assert.deepEqual([code, stderr], [1, says])
    }
  })

  it('replaces a file only on demand, whatever is exported', long, async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    await makeSource(bindery, 3)
    for (const args of [
      ['export', 'editions', bindery.path('editions.csv.gz')],
      ['export', '--all', bindery.path('all.ndjson')],
    ]) {
      assert.equal((await bindery.run(args)).code, 0)
      const file = args.at(-1) as string
      writeFileSync(file, 'mine')
      const { code, stderr } = await bindery.run(args)
      assert.deepEqual([code, stderr], [1, `error: ${file} is there already; --force replaces it\n`])
      assert.equal(readFileSync(file, 'utf8'), 'mine')
      assert.equal((await bindery.run([...args, '--force'])).code, 0)
    }
    const other = makeBindery(t, embedded)
    const { stdout } = await other.run(['import', 'editions', bindery.path('editions.csv.gz')])
    assert.match(stdout, /^editions: 3 created/)
    const inPipe = await bindery.run(['export', '--all', '-'])
    const third = makeBindery(t, embedded)
    assert.equal((await third.run(['import', '--all', '-'], { input: inPipe.stdout })).code, 0)
    assert.equal((await third.run(['export', 'editions'])).stdout, (await bindery.run(['export', 'editions'])).stdout)
  })

  it('refuses options that say nothing here', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    for (const args of [
      ['export', 'editions', '--with-secrets'],
      ['export', 'editions', '--all', 'a.ndjson'],
      ['export', '--all', 'a.ndjson', '--where', 'price=1'],
      ['import', 'editions', '--map', 'a=b'],
      ['import', 'editions', '--all', 'a.ndjson'],
      ['import', '--all', 'a.ndjson', '--map', 'a'],
    ]) {
      const { code, stderr } = await bindery.run(args)
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    }
  })
})
