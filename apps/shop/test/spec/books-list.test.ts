/**
 * The list of books: complete and streamed unless a page is asked for; `author` matches a part of
 * the name, ignoring case by Unicode.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, startService, type TestService } from '../helpers/service.ts'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.stop())

test('author: a part of it, ignoring case by Unicode, nothing else special', async (t) => {
  const { ask } = service
  const authors = [
    'Jane Austen',
    'Émile Zola',
    'STRAßER, Ödön',
    'Ελένη Σίσυφος',
    'Лев Толстой',
    '100% Proof_Reader',
    'a\\b',
    '村上春樹',
    "O'Brien",
    'İbrahim',
  ]
  for (const author of authors) await ask('POST', '/books', { body: { title: 'x', author } })
  const cases: [string, string[]][] = [
    ['austen', ['Jane Austen']],
    ['NE AU', ['Jane Austen']],
    ['émile', ['Émile Zola']],
    ['ÉMILE', ['Émile Zola']],
    ['E\u0301MILE', ['Émile Zola']],
    ['emile', []],
    ['strasser', ['STRAßER, Ödön']],
    ['STRASSER, ÖDÖN', ['STRAßER, Ödön']],
    ['straẞer', ['STRAßER, Ödön']],
    ['ΣΊΣΥΦΟΣ', ['Ελένη Σίσυφος']],
    ['σίσυφος', ['Ελένη Σίσυφος']],
    ['ЛЕВ', ['Лев Толстой']],
    ['0%', ['100% Proof_Reader']],
    ['%', ['100% Proof_Reader']],
    ['_', ['100% Proof_Reader']],
    ['J%n', []],
    ['J_ne', []],
    ['\\', ['a\\b']],
    ['上春', ['村上春樹']],
    ["o'b", ["O'Brien"]],
    ['i̇BRAHIM', ['İbrahim']],
    ['nobody', []],
    ["' OR 1=1 --", []],
    ['', authors],
  ]
  for (const [author, found] of cases) {
    await t.test(JSON.stringify(author), async () => {
      const reply = await ask('GET', `/books?author=${encodeURIComponent(author)}`)
      assert.equal(reply.status, 200)
      assert.deepEqual(
        reply.body.data.map((book: { author: string }) => book.author),
        found,
      )
      assert.equal(reply.body.count, found.length)
      assert.deepEqual(Object.keys(reply.body), ['data', 'count'])
    })
  }
  const { data } = (await ask('GET', '/books')).body
  const [first, second, third] = data
  await check(t, ask, [
    { it: 'a page of two', ask: 'GET /books?limit=2', status: 200, body: { data: [first, second], count: 2 } },
    { it: 'the second page', ask: 'GET /books?limit=2&page=2&fields=author', status: 200, says: '"count":2' },
    { it: 'page alone has 20', ask: 'GET /books?page=1', status: 200, body: { data, count: authors.length } },
    { it: 'past the end', ask: 'GET /books?page=99999999999999999999', status: 200, body: { data: [], count: 0 } },
    { it: 'limit of no number', ask: 'GET /books?limit=x', status: 200, body: { data, count: authors.length } },
    { it: 'sorted', ask: 'GET /books?sort=-id&limit=1', status: 200, says: 'İbrahim', hides: ['Jane'] },
    { it: 'fields', ask: `GET /books?fields=title&author=lev`, status: 200, body: { data: [], count: 0 } },
    {
      it: 'fields',
      ask: 'GET /books?fields=title&limit=1',
      status: 200,
      body: { data: [{ id: first.id, title: 'x' }], count: 1 },
    },
    {
      it: 'fields of one',
      ask: `GET /books/${third.id}?fields=author`,
      status: 200,
      body: { id: third.id, author: third.author },
    },
    { it: 'no cursor here', ask: 'GET /books?cursor=', status: 400, says: 'cursor' },
    { it: 'mistyped', ask: 'GET /books?autor=zola', status: 400, says: 'autor', hides: ['Zola'] },
    { it: 'mistyped', ask: 'GET /books?Author=zola', status: 400, says: 'Author', hides: ['Zola'] },
    { it: 'twice', ask: 'GET /books?author=a&author=b', status: 400, says: 'author' },
  ])
})

test('all of them, streamed, in the asked order, none lost among ties', async () => {
  const { ask } = service
  const before = (await ask('GET', '/books')).body.count
  for (let i = 0; i < 1300; i += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, k) =>
        ask('POST', '/books', { body: { title: `T${i + k}`, author: 'Many', year: 1900 + ((i + k) % 3) } }),
      ),
    )
  }
  const all = (await ask('GET', '/books')).body
  assert.equal(all.count, before + 1300)
  assert.equal(all.data.length, all.count)
  const sorted = (await ask('GET', '/books?sort=-year,title&author=many')).body
  assert.equal(sorted.count, 1300)
  assert.equal(new Set(sorted.data.map((book: { id: number }) => book.id)).size, 1300)
  const expected = sorted.data.toSorted(
    (a: { year: number; title: string }, b: { year: number; title: string }) =>
      b.year - a.year || (a.title < b.title ? -1 : 1),
  )
  assert.deepEqual(sorted.data, expected)
})
