/** Output of every command: help, exit codes, errors for people and for programs. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { describeRule } from '../../src/cli/documents/describe-rules.ts'
import { anyOf, apiKey, onlyWhen, owner, role, through, user, where } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { resources } from '../application/resources/index.ts'
import { long } from '../helpers/long.ts'
import { embedded, makeBindery, type Ran } from './bindery.ts'

const commands =
  'user,key,serve,migrate,copy,user create,user list,user set,key create,key list,key revoke,import,export,explain,routes,openapi,sdl'

const wrongCalls: readonly (readonly [readonly string[], RegExp])[] = [
  [['export', '--all'], /--all <file> needs a value/],
  [['import', 'shelves', '--rejects', '--dry-run'], /--rejects <file> needs a value, and is given --dry-run/],
  [['fly'], /unknown command 'fly'/],
  [['import'], /missing required argument 'resource'/],
  [['import', 'shelves', 'shelves.txt'], /cannot tell the format of shelves.txt/],
  [['export', 'zebras'], /unknown resource zebras; there are shelves, editions/],
  [['export', 'shelves', '--format', 'xml'], /Allowed choices are ndjson, csv/],
  [['export', 'shelves', '--where', 'limit=3'], /--where must be a filter/],
  [['export', 'shelves', '--where', 'colour=red'], /colour/],
  [['user', 'list', '--color'], /unknown option '--color'/],
  [['user', 'set', 'a@b.c'], /nothing to set/],
  [['user', 'set', '', '--role', 'USER'], /the argument id-or-email is empty/],
  [['key', 'revoke', ''], /the argument id is empty/],
  [['remove', 'shelves', ''], /the argument id is empty/],
  [['export', ''], /the argument resource is empty/],
  [['user', 'list', '--role', 'NOPE'], /--role must be one of USER, EDITOR, ADMIN/],
  [['user', 'create', '--email', 'a@b.c', '--role', 'BOSS'], /--role must be one of USER, EDITOR, ADMIN/],
  [['user', 'set', 'a@b.c', '--role', 'BOSS'], /--role must be one of USER, EDITOR, ADMIN/],
  [['user', 'set', 'a@b.c', '--status', 'GONE'], /--status must be one of ACTIVE, WAITING, BARRED/],
  [['key', 'create', '--user', 'a@b.c', '--name', 'x', '--scopes', 'foo:bar'], /--scopes has foo:bar, which names no/],
  [['key', 'create', '--name', 'x'], /required option '--user/],
  [['copy', '--from', 'sqlite:a.db'], /required option '--to/],
  [
    ['copy', '--from', 'sqlite:a.db', '--to', 'mysql://ann:secret@h/d'],
    /error: --to must be sqlite:PATH or postgres:(?!.*secret)/,
  ],
  [['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:./a.db'], /--from and --to are the same database/],
]

describe('bindery', { concurrency: 2 }, () => {
  it('lists its commands, and each shows examples', long, async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const { code, stdout } = await bindery.run(['--help'])
    assert.equal(code, 0)
    assert.match(stdout, /Examples:\n {2}\$ /)
    for (const name of [
      'serve',
      'migrate',
      'copy',
      'user',
      'key',
      'import',
      'export',
      'explain',
      'routes',
      'openapi',
      'sdl',
    ])
      assert.match(stdout, new RegExp(`^  ${name}[ |]`, 'm'))
    const helps = commands.split(',').map((words) => words.split(' '))
    const ran = await Promise.all(helps.map((words) => bindery.run([...words, '--help'])))
    for (const [i, help] of ran.entries()) {
      assert.equal(help.code, 0)
      assert.match(help.stdout, /Examples:\n {2}\$ /, String(helps[i]))
      assert.match(help.stdout, /--json/)
    }
  })

  it('tells a wrong call in one line, with exit code 2', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    await bindery.run(['migrate'])
    const ran = await Promise.all(wrongCalls.map(([args]) => bindery.run(args)))
    for (const [i, [args, message]] of wrongCalls.entries()) {
      const { code, stdout, stderr } = ran[i] as Ran
      assert.deepEqual([code, stdout], [2, ''], args.join(' '))
      assert.match(stderr, message)
      assert.equal(stderr.trim().split('\n').length, 1, stderr)
    }
    const { code, stdout, stderr } = await bindery.run(['export', 'zebras', '--json'])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match((JSON.parse(stderr) as { error: string }).error, /^unknown resource zebras/)
    assert.equal((await bindery.run([])).code, 2)
  })

  it('tells a failure in one line without a stack, with exit code 1', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const badPort = await bindery.run(['user', 'list'], { env: { PORT: 'abc' } })
    assert.deepEqual([badPort.code, badPort.stderr], [1, 'error: PORT must be a number from 0 to 65535, not abc\n'])
    const noFile = await bindery.run(['import', 'shelves', bindery.path('none.csv'), '--json'])
    assert.deepEqual([noFile.code, noFile.stdout], [1, ''])
    assert.match((JSON.parse(noFile.stderr) as { error: string }).error, /^Cannot read .*none.csv: no such file/)
  })

  it('uses no colour where there is no terminal', async (t: TestContext) => {
    const { stdout, stderr } = await makeBindery(t, embedded).run(['user', 'create', '--email', 'a@example.com'])
    assert.ok(!`${stdout}${stderr}`.includes('\u001b'))
  })

  it('migrate shows the steps, and --dry-run touches nothing', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const dry = await bindery.run(['migrate', '--dry-run'])
    assert.equal(dry.code, 0)
    assert.match(dry.stdout, /^create table shelves \(\d+ columns\)$/m)
    assert.ok(!existsSync(bindery.path('bindery.db')))
    const done = await bindery.run(['migrate'])
    assert.equal(done.stdout, dry.stdout)
    assert.deepEqual(await bindery.values('migrate', '--dry-run'), [{ dryRun: true, steps: [] }])
    assert.deepEqual(await bindery.values('migrate'), [{ dryRun: false, steps: [] }])
  })

  it('migrate refuses what would lose data', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    await bindery.run(['migrate'])
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(bindery.path('bindery.db'))
    const { value } = database.prepare("SELECT value FROM bindery_meta WHERE name = 'model'").get() as { value: string }
    const model = JSON.parse(value) as { tables: { columns: unknown[] }[] }
    model.tables[0]?.columns.push({ name: 'isbn', type: 'text', notNull: false })
    database.prepare("UPDATE bindery_meta SET value = ? WHERE name = 'model'").run(JSON.stringify(model))
    database.exec('ALTER TABLE shelves ADD COLUMN isbn TEXT')
    database.exec("INSERT INTO shelves (label, room, since, version, isbn) VALUES ('A', 'a', 1, 1, '1')")
    database.close()
    for (const args of [['migrate'], ['migrate', '--dry-run']]) {
      const { code, stderr } = await bindery.run(args)
      assert.equal(code, 1)
      assert.match(stderr, /shelves.isbn \(text\) is no longer declared: its values would be lost/)
    }
    const planned = await bindery.values('migrate', '--plan', '--allow-loss', 'shelf.isbn')
    assert.deepEqual(planned, [
      {
        steps: [
          {
            step: 'drop column shelves.isbn',
            sql: ['ALTER TABLE "shelves" DROP COLUMN "isbn"'],
            waits: false,
            wayBack: {
              is: 'none',
              how: 'a backup from before; what goes is also written to lost-….ndjson in DATA_DIR',
            },
          },
        ],
      },
    ])
    const rehearsed = await bindery.run(['migrate', '--rehearse', '--allow-loss', 'shelf.isbn'])
    assert.match(
      rehearsed.stderr,
      /1 step taken on a copy in [\d.]+ s\. The copy is gone, and nothing else was changed/,
    )
    const done = await bindery.run(['migrate', '--allow-loss', 'shelf.isbn'])
    assert.equal(done.code, 0)
    const file = /1 value of shelves\.isbn was written to (\S+) before/.exec(done.stderr)?.[1] ?? ''
    assert.equal(readFileSync(file, 'utf8'), '{"id":1,"isbn":"1"}\n')
    assert.deepEqual(await bindery.values('migrate', '--dry-run'), [{ dryRun: true, steps: [] }])
  })

  it('help names the resources and actions of the application, in its words', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const help = (await bindery.run(['routes', '--help'])).stdout
    assert.match(help, /^Resources of this application:\n {2}shelves +\S.*\.$/m)
    assert.match(help, /^Their actions:\n( {2}[a-z-]+ \w+ +\S.*\n)+/m)
    assert.match((await bindery.run(['import', '--help'])).stdout, /^ {2}shelves +\S.*\.$/m)
    assert.doesNotMatch((await bindery.run(['--help'])).stdout, /shelves/)
  })

  it('routes lists every path, who may and what comes back', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const { code, stdout } = await bindery.run(['routes'])
    assert.equal(code, 0)
    assert.ok(!existsSync(bindery.path('bindery.db')))
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/))
    const find = (method: string, path: string) =>
      lines.find((line) => line[0] === method && line[1] === path)?.slice(2)
    assert.deepEqual(find('GET', '/shelves'), ['list shelves', 'anyone', '200 all Shelves'])
    assert.deepEqual(find('POST', '/api/v1/editions/import'), [
      'import editions',
      'API key of EDITOR',
      '200 counts of lines',
    ])
    assert.deepEqual(find('PATCH', '/api/v1/articles/:id'), [
      'update articles',
      'owner (authorId) or ADMIN',
      '200 Article',
    ])
    assert.deepEqual(find('POST', '/api/v1/members/:id/basket/borrow'), [
      'borrow baskets',
      'that member or ADMIN; and owner (memberId) or ADMIN',
      '201 Loan',
    ])
    assert.deepEqual(find('GET', '/api/v1/members/:id/loans'), [
      'list loans',
      'that member or ADMIN; and owner (memberId) or EDITOR',
      '200 page of Loan',
    ])
    assert.equal(find('GET', '/api/v1/loans/:id/lines')?.[1], 'as of its loan: owner (memberId) or EDITOR')
    assert.equal(find('GET', '/api/v1/editions/:id/opinions')?.[1], 'anyone')
    for (const path of ['/auth/login', '/api/v1/auth/refresh-token', '/livez', '/readyz', '/openapi.json'])
      assert.match(stdout, new RegExp(` ${path} `))
    assert.deepEqual(find('POST', '/auth/refresh'), ['refresh', 'holder of a refresh token', '200 A new access token'])
    const env = { SIGN_UP: 'closed', OIDC_PROVIDERS: 'google', OIDC_GOOGLE_CLIENT_ID: 'x', JWT_ALG: 'EdDSA' }
    const closed = await bindery.run(['routes', '--json'], { env })
    const routes = JSON.parse(closed.stdout) as { method: string; path: string; who: string }[]
    assert.equal(routes.find(({ method, path }) => method === 'POST' && path === '/api/v1/members')?.who, 'ADMIN')
    const listed = new Set(routes.flatMap(({ method, path }) => method.split(', ').map((one) => `${one} ${path}`)))
    const document = JSON.parse((await bindery.run(['openapi'], { env })).stdout) as {
      paths: Record<string, { 'x-also-at'?: string[] }>
    }
    const documented = Object.entries(document.paths).flatMap(([path, { 'x-also-at': more = [], ...item }]) =>
      Object.keys(item)
        .filter((name) => ['get', 'post', 'put', 'patch', 'delete'].includes(name))
        .flatMap((method) =>
          [path, ...more].map((one) => `${method.toUpperCase()} ${one.replace(/\{(\w+)\}/g, ':$1')}`),
        ),
    )
    assert.ok(documented.includes('POST /auth/oidc/:provider'), 'what the variables add')
    assert.deepEqual(
      documented.filter((one) => !listed.has(one)),
      [],
    )
  })

  it('openapi and sdl print the documents', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const [document] = await bindery.values('openapi')
    assert.match(String(document?.openapi), /^3\.1/)
    const { stdout, code } = await bindery.run(['sdl'])
    assert.equal(code, 0)
    assert.match(stdout, /^type Query \{$/m)
  })
})

describe('describeRule', () => {
  const catalog = makeCatalog(resources)
  const say = (rule: Parameters<typeof describeRule>[2], name = 'article') =>
    describeRule({ catalog, settings: { currency: 'USD', signUp: 'closed' } }, catalog.get(name), rule)

  it('says each kind of rule', () => {
    assert.equal(say(user), 'any user')
    assert.equal(say(owner('id')), 'that article')
    assert.equal(
      say(anyOf([where({ published: true }), owner('authorId'), role('ADMIN')])),
      'anyone if published, owner (authorId) or ADMIN',
    )
    assert.equal(say(apiKey(role('EDITOR'))), 'API key of EDITOR')
    assert.equal(say(through('loanId', owner('memberId')), 'loanLine'), 'as of its loan: owner (memberId)')
    assert.equal(say(onlyWhen((settings) => settings.signUp === 'closed', role('ADMIN'), user)), 'ADMIN')
  })
})
