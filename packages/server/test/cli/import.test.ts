/** Import and export: bad lines among good ones, round trips, size, progress, interruption. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { long, shortOr } from '../helpers/long.ts'
import { makeBindery } from './bindery.ts'

const readLines = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

function editions(count: number): string {
  return Array.from(
    { length: count },
    (_, i) => `{"title":"Part ${i}","price":${(i % 1000) / 100},"subject":"Parts"}\n`,
  ).join('')
}

describe('import', { concurrency: 2 }, () => {
  it('takes the good lines, reports and keeps the bad ones', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const file = bindery.path('editions.ndjson')
    writeFileSync(
      file,
      '\u{feff}{"title":"Saw","price":1.5}\n{"title":"Axe"}\n\nnonsense\n[1]\r\n{"title":"Nail","price":0.001}\n{"title":"Hammer","price":3,"copies":0}',
    )
    const { code, stdout, stderr } = await bindery.run(['import', 'editions', file])
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^editions: 2 created, 0 updated, 4 rejected \(with their reasons in .*editions\.ndjson\.rejects\.ndjson\) in \d+s\n$/,
    )
    assert.match(
      stderr,
      /^line 2: price is required\nline 4: The line is not valid JSON\nline 5: The line must be a JSON object\n/,
    )
    assert.match(stderr, /error: 4 of 6 lines were rejected\n$/)
    assert.deepEqual(readLines(`${file}.rejects.ndjson`), [
      { line: 2, error: 'price is required', text: '{"title":"Axe"}' },
      { line: 4, error: 'The line is not valid JSON', text: 'nonsense' },
      { line: 5, error: 'The line must be a JSON object', text: '[1]' },
      { line: 6, error: 'price must have at most two decimals', text: '{"title":"Nail","price":0.001}' },
    ])
    const stored = await bindery.values('export', 'editions')
    assert.deepEqual(
      stored.map(({ title, price, copies, available }) => ({ title, price, copies, available })),
      [
        { title: 'Saw', price: 1.5, copies: null, available: true },
        { title: 'Hammer', price: 3, copies: 0, available: false },
      ],
    )
  })

  it('warns of members without a password, and only of them', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const line = (email: string, more: object = {}) => `${JSON.stringify({ email, ...more })}\n`
    const withOne = (email: string) => line(email, { password: 'correct horse' })
    const imports: [string, string, boolean][] = [
      ['all with one', withOne('a@b.c') + withOne('b@b.c'), false],
      ['one without', withOne('c@b.c') + line('d@b.c'), true],
      ['rejected without', withOne('e@b.c') + line('no address'), false],
    ]
    for (const [what, input, warned] of imports) {
      const { stderr } = await bindery.run(['import', 'members', '-', '--format', 'ndjson'], { input })
      assert.equal(/without a password/.test(stderr), warned, `${what}: ${stderr}`)
    }
    const csv = await bindery.run(['import', 'members', '-', '--format', 'csv'], {
      input: 'email,password\nf@b.c,correct horse\ng@b.c,\n',
    })
    assert.match(csv.stderr, /without a password/)
  })

  it('answers programs with one value, from standard input', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const rejects = bindery.path('bad.ndjson')
    const ran = await bindery.run(['import', 'shelves', '-', '--json', '--rejects', rejects], {
      input: '{"label":"A"}\n{"label":"B","room":"C"}\n',
    })
    assert.equal(ran.code, 1)
    assert.deepEqual(JSON.parse(ran.stdout), {
      resource: 'shelves',
      created: 1,
      updated: 0,
      rejected: 1,
      lastLine: 2,
      rejects,
      stopped: false,
    })
    assert.deepEqual(
      ran.stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      [{ error: 'label and room required', line: 1 }, { error: '1 of 2 lines were rejected' }],
    )
    const good = await bindery.run(['import', 'shelves', '--from-line', '2'], {
      input: '{"label":"A"}\n{"label":"B","room":"D"}\n',
    })
    assert.deepEqual([good.code, good.stderr], [0, ''])
    assert.ok(!existsSync(bindery.path('shelves.rejects.ndjson')))
  })

  it('takes the lines as if one after another, though many are stored at once', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const id = (n: number) => `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
    const named = (email: string, n?: number) => ({ ...(n ? { id: id(n) } : {}), name: 'N', email })
    const members = [
      named('a@example.com', 1),
      named('A@example.com'), // taken by the previous line
      // the line before the previous one, not stored yet when this one is read
      { id: id(1), name: 'Ann' },
      named('a@example.com'), // still taken
      { id: id(1), email: 'ann@example.com' },
      named('a@example.com', 2), // released by the previous line
      named('c@example.com'),
      { id: id(3), name: 'Nobody' }, // no such member, and no e-mail address
    ]
    const input = members.map((member) => JSON.stringify(member)).join('\n')
    const { stdout } = await bindery.run(['import', 'members', '--json', '--rejects', bindery.path('r')], { input })
    const { created, updated, rejected } = JSON.parse(stdout)
    assert.deepEqual({ created, updated, rejected }, { created: 3, updated: 2, rejected: 3 })
    assert.deepEqual(
      readLines(bindery.path('r')).map(({ line, error }) => [line, error]),
      [
        [2, 'email is already taken'],
        [4, 'email is already taken'],
        [8, 'email is required'],
      ],
    )
    const stored = await bindery.values('export', 'members')
    assert.deepEqual(stored.map(({ name, email }) => [name, email]).sort(), [
      ['Ann', 'ann@example.com'],
      ['N', 'a@example.com'],
      ['N', 'c@example.com'],
    ])
  })

  it('reads CSV by the type of each field', async (t: TestContext) => {
    const bindery = makeBindery(t)
    const file = bindery.path('articles.csv')
    writeFileSync(
      file,
      'title,body,published,tags\r\n"Two\nlines","",TRUE,a;b\r\nPlain,,,"[""x;y""]"\r\nWrong,,maybe,\r\nShort\r\n5\'9",,false,\r\n',
    )
    const { code } = await bindery.run(['import', 'articles', file])
    assert.equal(code, 1)
    assert.deepEqual(readLines(`${file}.rejects.ndjson`), [
      { line: 5, error: 'published must be true or false', text: 'Wrong,,maybe,' },
      { line: 6, error: 'The row has 1 cells, the header has 4', text: 'Short' },
    ])
    const stored = await bindery.values('export', 'articles')
    assert.deepEqual(
      stored.map(({ title, body, published, tags, authorId }) => [title, body, published, tags, authorId]),
      [
        ['Two\nlines', '', true, ['a', 'b'], null],
        ['Plain', null, false, ['x;y'], null],
        ['5\'9"', null, false, [], null],
      ],
    )
  })

  it('refuses a CSV whose header names no fields, before it takes anything', long, async (t: TestContext) => {
    const bindery = makeBindery(t)
    const unknown = await bindery.run(['import', 'shelves', '--format', 'csv'], { input: 'label,rom\nA,B\n' })
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, /^error: The header names rom; shelves have id, label, room and since\n$/)
    const open = await bindery.run(['import', 'shelves', '--format', 'csv'], { input: 'label,room\nA,B\n"C,D\nE,F\n' })
    assert.equal(open.code, 1)
    assert.match(open.stderr, /line 3: A quote is never closed; from here on nothing was read/)
    assert.match(open.stdout, /1 created, 0 updated, 1 rejected/)
    writeFileSync(bindery.path('latin.csv'), Buffer.from('label,room\nCaf\xe9,B\n', 'latin1'))
    const latin = await bindery.run(['import', 'shelves', bindery.path('latin.csv')])
    assert.deepEqual([latin.code, latin.stderr], [1, 'error: The file is not UTF-8; save it as CSV UTF-8\n'])
  })

  it('brings an export back with its ids and times, as NDJSON and as CSV', long, async (t: TestContext) => {
    const from = makeBindery(t)
    const [ann] = await from.values(
      'user',
      'create',
      '--email',
      'ann@example.com',
      '--name',
      '=1+1, "Ann"',
      '--role',
      'EDITOR',
    )
    const articles = [
      `{"title":"One","authorId":"${ann?.id}","tags":["a;b","c"],"published":true}`,
      '{"title":"Two","body":""}',
    ]
    await from.run(['import', 'articles'], { input: articles.join('\n') })
    await from.run(['import', 'shelves'], {
      input: '{"id":7,"label":"Seven","room":"S"}\n{"label":"Eight","room":"E"}\n',
    })
    await from.run(['import', 'editions'], { input: '{"title":"Saw","price":19.99,"copies":3}\n' })
    const originals = new Map<string, string>()
    const [first, second] = [makeBindery(t), makeBindery(t)]
    const roundTrip = async (resource: string) => {
      const bytes = (await from.run(['export', resource])).stdout
      assert.ok(bytes.length > 0 && !/argon2|password/.test(bytes))
      originals.set(resource, bytes)
      const asNdjson = await first.run(['import', resource], { input: bytes })
      assert.equal(asNdjson.code, 0, asNdjson.stderr)
      const file = first.path(`${resource}.csv`)
      const [exported] = await first.values('export', resource, file)
      assert.equal(exported?.format, 'csv')
      const asCsv = await second.run(['import', resource, file])
      assert.equal(asCsv.code, 0, asCsv.stderr)
      assert.equal((await second.run(['export', resource])).stdout, bytes)
    }
    await roundTrip('members') // the articles refer to them
    await Promise.all(['articles', 'shelves', 'editions'].map(roundTrip))
    const again = await second.run(['import', 'editions', '--json'], { input: originals.get('editions') ?? '' })
    assert.equal((JSON.parse(again.stdout) as { updated: number }).updated, 1)
    assert.equal((await second.run(['export', 'editions'])).stdout, originals.get('editions'))
  })

  it('exports what the filters of the API match', long, async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['import', 'editions'], { input: editions(200) })
    const dear = await bindery.run([
      'export',
      'editions',
      '--where',
      'price[gte]=1.98',
      '--where',
      'q=part',
      '--sort',
      '-price',
      '--fields',
      'title,price',
      '--format',
      'csv',
    ])
    assert.deepEqual(
      dear.stdout.split('\n').map((line) => line.split(',').slice(1)),
      [['title', 'price'], ['Part 199', '1.99'], ['Part 198', '1.98'], []],
    )
    assert.equal(dear.code, 0)
  })

  it('refuses resources that an import can never complete', long, async (t: TestContext) => {
    const { code, stderr } = await makeBindery(t).run(['import', 'refresh-tokens'], { input: '{}\n' })
    assert.deepEqual([code, stderr], [1, 'error: refresh-tokens cannot be imported: their hash is never exported\n'])
  })

  const many = shortOr(5_000, 20_000)
  it(`takes ${many} rows in little memory`, async (t: TestContext) => {
    const bindery = makeBindery(t)
    const file = bindery.path('editions.ndjson')
    writeFileSync(file, editions(many))
    const { code, stdout } = await bindery.run(['import', 'editions', file], { nodeArgs: ['--max-old-space-size=48'] })
    assert.equal(code, 0)
    assert.ok(stdout.startsWith(`editions: ${many} created`), stdout)
    const exported = await bindery.run(['export', 'editions', bindery.path('editions.csv')], {
      nodeArgs: ['--max-old-space-size=48'],
    })
    assert.ok(exported.stderr.includes(`editions: ${many} exported`), exported.stderr)
  })

  it('says how far it is once a second, where there is no terminal', long, async (t: TestContext) => {
    const bindery = makeBindery(t)
    const child = await bindery.start(['import', 'editions'])
    const closed = once(child, 'close')
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    const feed = setInterval(() => child.stdin?.write(editions(500)), 250)
    while (!stderr.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 50))
    clearInterval(feed)
    child.stdin?.end()
    assert.equal((await closed)[0], 0)
    assert.match(stderr, /^import editions: \d+ rows, \d+ rows\/s\n/)
  })

  it('finishes the running batch on Ctrl-C, says how far it got, and ends with 130', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.values('migrate')
    const child = await bindery.start(['import', 'editions', '--json'])
    const stdout = text(child.stdout as NodeJS.ReadableStream)
    const stderr = text(child.stderr as NodeJS.ReadableStream)
    const closed = once(child, 'close')
    child.stdin?.write(editions(600))
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      if ((await bindery.values('export', 'editions')).length >= 500) break
    }
    child.kill('SIGINT')
    assert.equal((await closed)[0], 130)
    assert.deepEqual(JSON.parse(await stdout), {
      resource: 'editions',
      created: 600,
      updated: 0,
      rejected: 0,
      lastLine: 600,
      rejects: null,
      stopped: true,
    })
    assert.deepEqual(JSON.parse(await stderr), { error: 'stopped after line 600; go on with --from-line 601' })
  })

  it('ends quietly when the reader goes away', async (t: TestContext) => {
    const bindery = makeBindery(t)
    await bindery.run(['import', 'editions'], { input: editions(3000) })
    const child = await bindery.start(['export', 'editions'])
    child.stdin?.end()
    const stderr = text(child.stderr as NodeJS.ReadableStream)
    const closed = once(child, 'close')
    child.stdout?.once('data', () => child.stdout?.destroy())
    assert.deepEqual([(await closed)[0], await stderr], [0, ''])
  })
})
