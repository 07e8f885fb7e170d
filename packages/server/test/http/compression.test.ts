/**
 * Compressed responses: the clients that get them, equal content, and the responses that are never
 * compressed.
 */
import assert from 'node:assert/strict'
import { get as httpGet, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'
import { startServer } from '../helpers/server.ts'

type Got = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }
type Sent = { method?: string; body?: unknown; headers?: Record<string, string> }

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}
const textOf = ({ headers, bytes }: Got) => (decoders[headers['content-encoding'] ?? '']?.(bytes) ?? bytes).toString()

/** The bytes on the wire; `fetch` would decode them. */
function ask(url: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = httpRequest(url, { method, headers: { ...type, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}
const vary = 'Origin, Accept-Encoding'
/** Not every caller sees the same fields of an edition, and a page depends on `count=none` too. */
const varyOfRecord = 'Origin, Authorization, X-API-Key, Accept-Encoding'
const varyOfPage = 'Origin, Prefer, Authorization, X-API-Key, Accept-Encoding'
const accepting = (coding: string, more: Sent = {}): Sent => ({
  ...more,
  headers: { 'accept-encoding': coding, ...more.headers },
})

describe('compression', () => {
  let library: TestService
  let editor: TestPerson
  let long: string
  let short: string
  before(async () => {
    // which says Origin in each Vary
    library = await startService({ CORS_ORIGINS: 'https://app.example' })
    editor = await library.person('EDITOR')
    for (let i = 0; i < 40; i += 1)
      await library.make('edition', { title: `Edition ${i}`, summary: 'of many words '.repeat(5) })
    for (let i = 0; i < 300; i += 1) await library.make('shelf', { label: `Shelf ${i}`, room: 'A room' })
    long = String(
      (await library.make('edition', { title: 'Long', summary: 'words '.repeat(160), subject: 'x'.repeat(900) })).id,
    )
    short = String((await library.make('edition', { title: 'Short' })).id)
  })
  after(() => library.stop())

  const paths = ['/api/v1/editions?limit=30', '/openapi.json', '/shelves']
  for (const path of paths) {
    test(`${path}: each coding is the same answer, smaller, again when it is kept, and to HEAD`, async () => {
      const said = path.includes('limit') ? varyOfPage : vary
      const plain = await ask(library.url + path)
      assert.equal(plain.headers['content-encoding'], undefined)
      assert.equal(plain.headers.vary, said)
      for (const coding of ['gzip', 'br', 'zstd']) {
        for (let i = 0; i < 3; i += 1) {
          const coded = await ask(library.url + path, accepting(coding))
          assert.equal(coded.status, 200)
          assert.equal(coded.headers['content-encoding'], coding)
          assert.equal(coded.headers.vary, said)
          assert.ok(coded.bytes.length < plain.bytes.length / 3, `${coded.bytes.length} of ${plain.bytes.length}`)
          assert.equal(textOf(coded), plain.bytes.toString())
          if (path !== '/shelves') assert.equal(Number(coded.headers['content-length']), coded.bytes.length)
        }
        const head = await ask(library.url + path, accepting(coding, { method: 'HEAD' }))
        assert.equal(head.bytes.length, 0)
        assert.equal(head.headers.vary, said)
        if (path !== '/shelves') assert.equal(head.headers['content-encoding'], coding)
      }
    })
  }

  test('a page that says another total is compressed anew, and has another ETag', async () => {
    const address = `${library.url}/api/v1/editions?limit=30&sort=title`
    const etags = new Set<string>()
    for (const title of ['Zebras', 'Zephyrs', 'Zithers']) {
      await library.make('edition', { title })
      const plain = await ask(address)
      for (let i = 0; i < 3; i += 1) {
        const coded = await ask(address, accepting('gzip'))
        assert.equal(coded.headers['content-encoding'], 'gzip')
        assert.equal(textOf(coded), plain.bytes.toString(), title)
        etags.add(String(coded.headers.etag))
      }
    }
    assert.equal(etags.size, 3)
  })

  test('the document is under 25,000 bytes on the wire, in each coding', async () => {
    for (const coding of ['gzip', 'br', 'zstd'])
      assert.ok((await ask(`${library.url}/openapi.json`, accepting(coding))).bytes.length < 25_000)
  })

  const weights: readonly (readonly [string, string | undefined])[] = [
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['br;q=0.5, GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q=0, br;q=0, *', 'zstd'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0', undefined],
    ['deflate, compress', undefined],
    ['gzip;q=2', undefined],
    ['gzip;q=often', undefined],
    [', ,', undefined],
    ['gzip, deflate', 'gzip'],
  ]
  test('weights decide', async () => {
    for (const [header, coding] of weights) {
      const { headers } = await ask(`${library.url}/api/v1/editions?limit=31`, accepting(header))
      assert.equal(headers['content-encoding'], coding, header)
    }
  })

  test('what is small stays as it is', async () => {
    for (const path of [`/api/v1/editions/${short}`, '/livez', '/api/v1/nothing', '/api/v1/editions?limit=1']) {
      const { headers } = await ask(library.url + path, accepting('gzip, br, zstd'))
      assert.equal(headers['content-encoding'], undefined, path)
    }
  })

  test('the ETag of a compressed record is weak, and is as good for conditions', async () => {
    const address = `${library.url}/api/v1/editions/${long}`
    const etag = String((await ask(address)).headers.etag)
    assert.match(etag, /^"1\./)
    const coded = await ask(address, accepting('br'))
    assert.equal(coded.headers['content-encoding'], 'br')
    assert.equal(coded.headers.etag, `W/${etag}`)
    const known = await ask(address, accepting('br', { headers: { 'if-none-match': `W/${etag}` } }))
    assert.deepEqual([known.status, known.headers.etag, known.headers.vary], [304, `W/${etag}`, varyOfRecord])
    const knownPlain = await ask(address, { headers: { 'if-none-match': etag } })
    assert.deepEqual([knownPlain.status, knownPlain.headers.etag, knownPlain.headers.vary], [304, etag, varyOfRecord])
    const change = (etag: string) =>
      ask(address, {
        method: 'PATCH',
        body: { subject: 'y'.repeat(900) },
        headers: { 'if-match': etag, authorization: `Bearer ${editor.token}`, 'accept-encoding': 'br' },
      })
    const written = await change(`W/${etag}`)
    assert.deepEqual([written.status, written.headers['content-encoding']], [200, undefined])
    assert.match(String(written.headers.etag), /^"2\./)
    assert.equal((await change('W/"1"')).status, 412)
  })

  test('nothing is compressed that mixes a secret with what the caller sent', async () => {
    const token = { authorization: `Bearer ${editor.token}` }
    const key = await library.key(editor)
    const long = 'a'.repeat(990)
    const login = { email: editor.email, password: 'correct horse' }
    const secret: readonly (readonly [string, Sent])[] = [
      ['/auth/login', { method: 'POST', body: login }],
      ['/api/v1/access-keys', { method: 'POST', body: { name: long }, headers: token }],
      ['/api/v1/editions', { method: 'POST', body: { title: long, summary: long, price: 1 }, headers: token }],
      [`/api/v1/editions?api_key=${key}`, {}],
      [
        '/graphql',
        {
          method: 'POST',
          body: {
            query: `mutation { createEdition(input: { title: "${long}", summary: "${long}", price: 1 }) { id title summary } }`,
          },
          headers: token,
        },
      ],
    ]
    for (const [path, sent] of secret) {
      const got = await ask(library.url + path, accepting('gzip, br, zstd', sent))
      assert.ok(got.status < 300, `${path} ${got.bytes}`)
      assert.equal(got.headers['content-encoding'], undefined, path)
      assert.ok(path === '/auth/login' || got.bytes.length > 1024, path)
    }
  })

  test('a GraphQL query is, by POST too; a query that fails is not', async () => {
    const query = '{ editions(limit: 30) { data { id title summary } } }'
    for (let i = 0; i < 3; i += 1) {
      const coded = await ask(`${library.url}/graphql`, accepting('br', { method: 'POST', body: { query } }))
      assert.equal(coded.headers['content-encoding'], 'br')
      assert.match(textOf(coded), /"data":\{"editions"/)
    }
  })

  test('Vary is joined with what other parts say', async () => {
    const sent = { headers: { origin: 'https://app.example', 'accept-encoding': 'br' } }
    const { headers } = await ask(`${library.url}/api/v1/editions?limit=30`, sent)
    assert.equal(headers['access-control-allow-origin'], 'https://app.example')
    assert.equal(headers.vary, varyOfPage)
    const page = await ask(`${library.url}/graphql`, { headers: { ...sent.headers, accept: 'text/html' } })
    assert.match(String(page.headers.vary), /^Origin, Accept\b/)
  })

  test('an export is compressed while it is read, and a client that leaves ends it', async () => {
    const headers = { 'x-api-key': await library.key(editor) }
    const address = `${library.url}/api/v1/editions/export`
    const plain = await ask(address, { headers })
    for (const coding of ['gzip', 'br', 'zstd'])
      assert.equal(textOf(await ask(address, accepting(coding, { headers }))), plain.bytes.toString())
    await new Promise<void>((resolve) => {
      const request = httpGet(
        address,
        { headers: { ...headers, 'accept-encoding': 'gzip' }, agent: false },
        (response) =>
          response
            .once('data', () => request.destroy())
            .once('close', resolve)
            .on('error', () => undefined),
      )
      request.on('error', () => undefined)
    })
    assert.equal((await ask(`${library.url}/livez`)).status, 200)
  })
})

test('streams that fail, bounds, and the switch', async () => {
  const ended: string[] = []
  const stream = (name: string, end: () => void) => ({
    methods: ['GET'] as const,
    path: `/${name}`,
    async answer() {
      async function* pieces() {
        try {
          yield `${name} `.repeat(2000)
          await new Promise((resolve) => setTimeout(resolve, 150))
          end()
          yield 'the end'
        } finally {
          ended.push(name)
        }
      }
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: pieces() }
    },
  })
  const routes = [
    stream('good', () => undefined),
    stream('bad', () => {
      throw new Error('in the middle')
    }),
  ]
  const server = await startServer(routes, { limits: { compressionsMax: 2 } })
  const off = await startServer(routes, { env: { COMPRESSION: 'off' } })
  try {
    await assert.rejects(ask(`${server.url}/bad`, accepting('gzip')))
    const many = await Promise.all(Array.from({ length: 6 }, () => ask(`${server.url}/good`, accepting('gzip'))))
    const texts = many.map(textOf)
    assert.ok(texts.every((text) => text.endsWith('the end')))
    assert.equal(many.filter(({ headers }) => headers['content-encoding'] === 'gzip').length, 2)
    assert.equal((await ask(`${server.url}/good`, accepting('gzip'))).headers['content-encoding'], 'gzip')
    assert.equal(ended.length, 8)
    const plain = await ask(`${off.url}/good`, accepting('gzip'))
    assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, undefined])
  } finally {
    await server.stop()
    await off.stop()
  }
})
