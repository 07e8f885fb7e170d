/**
 * `/` and `/docs` for programs and for browsers: generated from the declarations, with strict
 * headers, and only for clients that accept HTML.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { anyone, defineResource, id, text } from 'bindery-server'
import { startService as startOf } from 'bindery-server/test'
import { startService, type TestService } from '../helpers/application.ts'
import { openWire } from '../helpers/wire.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const unescaped = (html: string) =>
  html.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name as 'lt'],
  )
const linesOf = (html: string) =>
  [...html.matchAll(/<code>(curl [^<]*|TOKEN=[^<]*)<\/code>/g)].map((match) => unescaped(match[1] as string))

describe('pages', () => {
  let library: TestService
  let html: string
  before(async () => {
    library = await startService()
    await library.make('shelf', { label: 'A', room: 'B' })
    html = (await library.ask('GET', '/', { headers: browser })).text
  })
  after(() => library.stop())

  test('a program gets an index as JSON, whose links lead somewhere', async () => {
    const accepts: Record<string, string>[] = [{}, { accept: '*/*' }, { accept: 'application/json' }]
    for (const headers of accepts) {
      const { status, body, headers: got } = await library.ask('GET', '/', { headers })
      assert.equal(status, 200)
      assert.match(got.get('content-type') ?? '', /^application\/json/)
      assert.match(got.get('vary') ?? '', /Accept/)
      assert.deepEqual([body.name, body.api], ['Bindery', '/api/v1'])
      for (const [name, path] of Object.entries<string>(body.links)) {
        const reply = await library.ask(name === 'login' ? 'POST' : 'GET', path)
        assert.notEqual(reply.status, 404, path)
      }
      const shelves = body.resources.find((one: { name: string }) => one.name === 'shelves')
      assert.deepEqual(shelves, { name: 'shelves', path: '/api/v1/shelves', operations: 6 })
      assert.ok(body.resources.some(({ path }: { path: string }) => path === '/api/v1/members/{id}/basket'))
    }
  })

  test('a browser gets a page: every resource with its operations and a line that works as it stands', async () => {
    const names = (await library.ask('GET', '/')).body.resources.length
    assert.equal(html.match(/<li>/g)?.length, names)
    assert.match(html, /Bindery <small>\d+\.\d+\.\d+/)
    for (const path of ['/docs', '/graphql', '/openapi.json']) assert.ok(html.includes(`href="${path}"`))
    const open = linesOf(html).filter((line) => /^curl \S+$/.test(line))
    assert.ok(open.length > 3)
    for (const line of open) {
      const reply = await fetch(line.slice('curl '.length))
      assert.equal(reply.status, 200, line)
    }
  })

  test('the lines about logging in work in a shell', async () => {
    const lines = linesOf(html)
    const account = lines.find((line) => line.includes('/members') && line.includes('-d'))
    const token = lines.find((line) => line.startsWith('TOKEN='))
    const guarded = lines.find((line) => line.includes('/letters') && line.includes('$TOKEN'))
    const script = `${account?.replace('{"', '{"name":"You","')} -sf >/dev/null && ${token} && ${guarded} -sf`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { timeout: 240_000 })
    assert.deepEqual(JSON.parse(stdout).data, [])
  })

  test('pages have strict headers, and a bad Host is not repeated', async () => {
    for (const path of ['/', '/docs', '/graphql']) {
      const { status, headers, text } = await library.ask('GET', path, { headers: browser })
      assert.equal(status, 200)
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'.*frame-ancestors 'none'$/)
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /https?:|unsafe-eval|script-src[^;]*unsafe/)
      assert.equal(headers.get('cache-control'), 'no-cache')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.doesNotMatch(text, /<script(?! src="\/)|style=/)
      for (const [, address] of text.matchAll(/(?:src|href)="(\/[^"]*assets\/[^"]+)"/g)) {
        const file = await fetch(`${library.url}${address}`)
        assert.equal(file.status, 200)
        assert.match(file.headers.get('cache-control') ?? '', /immutable/)
      }
    }
    const wire = await openWire(library.url)
    wire.send('GET / HTTP/1.1\r\nHost: "><b>elsewhere\r\nAccept: text/html\r\n\r\n')
    assert.doesNotMatch((await wire.next()).body, /elsewhere/)
    wire.end()
    for (const path of ['/assets/constructor', '/docs/assets/..%2fpackage.json', '/assets/'])
      assert.equal((await library.ask('GET', path)).status, 404)
  })

  test('a program that takes no HTML gets none', async () => {
    const { status, body } = await library.ask('GET', '/docs', { headers: { accept: 'application/json' } })
    assert.deepEqual([status, body], [406, { error: 'The answer is text/html' }])
    assert.equal((await library.ask('POST', '/')).status, 405)
    assert.equal((await library.ask('HEAD', '/', { headers: browser })).status, 200)
  })

  test('what errors and scalars mean is on pages whose one style is the only thing that runs', async () => {
    const pages = [
      ['/errors', '<h2 id="not-found">404 Not found</h2>'],
      ['/graphql/scalars', '<h2 id="Money">Money</h2>'],
    ] as const
    for (const [path, section] of pages) {
      const { status, headers, text } = await library.ask('GET', path)
      assert.equal(status, 200, path)
      assert.ok(text.includes(section), text)
      assert.match(text, /<header class="bar"><nav[^>]*><a href="\/">/)
      const style = /<style>([^<]+)<\/style>/.exec(text)?.[1] ?? ''
      const policy = headers.get('content-security-policy') ?? ''
      assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`), policy)
      assert.doesNotMatch(policy, /unsafe|script-src/)
    }
  })

  test('an unknown address is a page for who looks with a browser, and JSON for every program', async () => {
    const navigation = { ...browser, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }
    for (const path of ['/nothing', '/docs/', '/api/v1/nothing', '/api/v2/shelves', '/a/b?c=<b>'])
      for (const headers of [browser, navigation]) {
        const { status, headers: got, text } = await library.ask('GET', path, { headers })
        assert.deepEqual([status, got.get('content-type')], [404, 'text/html; charset=utf-8'], path)
        assert.match(
          got.get('content-security-policy') ?? '',
          /^default-src 'none'; style-src 'sha256-.*frame-ancestors/,
        )
        assert.deepEqual([got.get('cache-control'), got.get('vary')], ['no-store', 'Accept'])
        assert.match(text, /<h1>Not found<\/h1>/)
        for (const link of ['/', '/docs', '/graphql', '/errors']) assert.ok(text.includes(`href="${link}"`), link)
        assert.doesNotMatch(text, /<script|<b>/)
      }
    const head = await library.ask('HEAD', '/nothing', { headers: browser })
    assert.deepEqual([head.status, head.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
    const programs: Record<string, string>[] = [
      {},
      { accept: '*/*' },
      { accept: 'application/json, text/plain, */*' },
      { accept: 'text/html, application/json;q=0.9' },
      { ...browser, 'sec-fetch-dest': 'empty' },
    ]
    for (const headers of programs) {
      const { status, headers: got, body } = await library.ask('GET', '/api/v1/nothing', { headers })
      assert.match(got.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual([status, body], [404, { error: 'Not found' }])
    }
    const post = await library.ask('POST', '/nothing', { headers: browser, body: {} })
    assert.deepEqual([post.status, post.body], [404, { error: 'Not found' }])
    const record = await library.ask('GET', '/api/v1/shelves/99', { headers: browser })
    assert.deepEqual([record.status, record.body], [404, { error: 'Shelf not found' }])
    const other = await library.ask('GET', '/auth/login', { headers: browser })
    assert.deepEqual([other.status, other.headers.get('allow')], [405, 'POST, OPTIONS'])
    assert.match(other.text, /GET is not allowed here; allowed: POST, OPTIONS\./)
  })

  test('without users nothing is said of logging in', async () => {
    const note = defineResource({
      name: 'note',
      path: '/notes',
      fields: { id: id(), about: text() },
      list: { style: 'page', sortable: ['id'] },
      access: { list: anyone, create: anyone },
    })
    const open = await startOf([note])
    try {
      assert.equal((await open.ask('GET', '/')).body.links.login, undefined)
      assert.doesNotMatch((await open.ask('GET', '/', { headers: browser })).text, /log in/i)
      assert.doesNotMatch((await open.ask('GET', '/docs', { headers: browser })).text, /<form/)
    } finally {
      await open.stop()
    }
  })
})
