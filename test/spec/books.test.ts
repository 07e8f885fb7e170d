/** The book collection: its five operations, its own messages, its year, and the list that is whole unless a page is asked for. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario } from '../helpers/scenario.ts'
import { startService, type TestService } from '../helpers/service.ts'

let service: TestService
const missing = 'title and author required'
const thisYear = new Date().getUTCFullYear()

before(async () => {
  service = await startService()
})
after(() => service.stop())

test('create, read, update, delete', async () => {
  const { ask } = service
  const made = await ask('POST', '/books', { body: { title: 'Emma', author: 'Jane Austen', year: 1815 } })
  checkReply({ status: 201 }, made)
  const { id } = made.body
  assert.ok(Number.isInteger(id))
  assert.deepEqual(made.body, { id, title: 'Emma', author: 'Jane Austen', year: 1815 })
  checkReply({ status: 200, body: made.body }, await ask('GET', `/books/${id}`))
  const patched = { ...made.body, year: 1816 }
  checkReply({ status: 200, body: patched }, await ask('PATCH', `/books/${id}`, { body: { year: 1816 } }))
  checkReply({ status: 200, body: patched }, await ask('PATCH', `/books/${id}`, { body: patched }))
  const put = { id, title: 'Persuasion', author: 'Austen', year: thisYear }
  checkReply({ status: 200, body: put }, await ask('PUT', `/books/${id}`, { body: { title: 'Persuasion', author: 'Austen' } }))
  const deleted = await ask('DELETE', `/books/${id}`)
  checkReply({ status: 204 }, deleted)
  assert.equal(deleted.text, '')
  assert.equal(deleted.headers.get('content-type'), null)
  checkReply({ status: 404, body: { error: 'Not found' } }, await ask('DELETE', `/books/${id}`))
  checkReply({ status: 404, body: { error: 'Book not found' } }, await ask('GET', `/books/${id}`))
  checkReply({ status: 404, body: { error: 'Book not found' } }, await ask('PATCH', `/books/${id}`, { body: { year: 1 } }))
  checkReply({ status: 404 }, await ask('PUT', `/books/${id}`, { body: { title: 'x', author: 'y' } }))
  const next = await ask('POST', '/books', { body: { title: 'Next', author: 'Somebody' } })
  assert.ok(next.body.id > id, 'an id is never used twice')
  await ask('DELETE', `/books/${next.body.id}`)
})

test('what a new book needs', async (t) => {
  const bodies: unknown[] = [
    {},
    { title: 'x' },
    { author: 'y' },
    { title: '', author: 'y' },
    { title: 'x', author: '' },
    { title: '   ', author: 'y' },
    { title: 'x', author: '\t\n\u00a0\u2003' },
    { title: null, author: 'y' },
    { title: '', author: 'y', bogus: 1 },
    { title: 'x', year: 'no year' },
    { id: 5, title: '' },
    { title: 5 },
    { author: ['y'], title: '' },
  ]
  const scenarios: Scenario[] = bodies.map((body) => ({ it: JSON.stringify(body), ask: 'POST /books', send: { body }, status: 400, error: missing }))
  await check(t, service.ask, scenarios)
  await check(t, service.ask, [
    { it: 'no body at all', ask: 'POST /books', status: 400, error: missing },
    { it: 'a number', ask: 'POST /books', send: { body: { title: 5, author: 'y' } }, status: 400, error: 'title must be a string' },
    { it: 'a list', ask: 'POST /books', send: { body: { title: 'x', author: ['y'] } }, status: 400, error: 'author must be a string' },
    { it: 'too long', ask: 'POST /books', send: { body: { title: 'x'.repeat(1001), author: 'y' } }, status: 400, says: 'title' },
    { it: 'an id', ask: 'POST /books', send: { body: { id: 7, title: 'x', author: 'y' } }, status: 400, error: 'id is read-only' },
    { it: 'unknown', ask: 'POST /books', send: { body: { title: 'x', author: 'y', isbn: '1' } }, status: 400, says: 'isbn' },
    { it: 'the version is no field', ask: 'POST /books', send: { body: { title: 'x', author: 'y', version: 1 } }, status: 400, says: 'version' },
    { it: 'nothing was stored', ask: 'GET /books', status: 200, body: { data: [], count: 0 } },
  ])
})

test('the year: omitted or falsy is this one, on any write', async (t) => {
  const { ask } = service
  for (const year of [undefined, 0, null, '', false]) {
    await t.test(String(JSON.stringify(year)), async () => {
      const made = await ask('POST', '/books', { body: { title: 'x', author: 'y', year } })
      checkReply({ status: 201 }, made)
      assert.equal(made.body.year, thisYear)
      await ask('PATCH', `/books/${made.body.id}`, { body: { year: 1900 } })
      const patched = await ask('PATCH', `/books/${made.body.id}`, { body: { year } })
      assert.equal(patched.body.year, year === undefined ? 1900 : thisYear)
      const put = await ask('PUT', `/books/${made.body.id}`, { body: { title: 'x', author: 'y', year } })
      assert.equal(put.body.year, thisYear)
      await ask('DELETE', `/books/${made.body.id}`)
    })
  }
  const wrong = ['1999', 1999.5, true, [1999], { year: 1 }, 2 ** 40]
  await check(
    t,
    ask,
    wrong.map((year) => ({ it: JSON.stringify(year), ask: 'POST /books', send: { body: { title: 'x', author: 'y', year } }, status: 400, says: /^\{"error":"year must be / })),
  )
  checkReply({ status: 400, error: 'year must be an integer' }, await ask('POST', '/books', { body: { title: 'x', author: 'y', year: '1999' } }))
  const old = await ask('POST', '/books', { body: { title: 'Iliad', author: 'Homer', year: -750 } })
  assert.equal(old.body.year, -750)
  const whole = await ask('POST', '/books', { raw: '{"title":"x","author":"y","year":1.999e3}' })
  assert.equal(whole.body.year, 1999)
  for (const { id } of [old.body, whole.body]) await ask('DELETE', `/books/${id}`)
})

test('a change cannot take away what is required', async (t) => {
  const { ask } = service
  const { body: book } = await ask('POST', '/books', { body: { title: 'Emma', author: 'Jane Austen', year: 1815 } })
  const path = `/books/${book.id}`
  await check(t, ask, [
    { it: 'title null', ask: `PATCH ${path}`, send: { body: { title: null } }, status: 400, error: missing },
    { it: 'author blank', ask: `PATCH ${path}`, send: { body: { author: ' ' } }, status: 400, error: missing },
    { it: 'replace without author', ask: `PUT ${path}`, send: { body: { title: 'x' } }, status: 400, error: missing },
    { it: 'another id', ask: `PATCH ${path}`, send: { body: { id: book.id + 1 } }, status: 400, error: 'id is read-only' },
    { it: 'the id as text', ask: `PATCH ${path}`, send: { body: { id: String(book.id) } }, status: 400, error: 'id is read-only' },
    { it: 'the same id', ask: `PATCH ${path}`, send: { body: { id: book.id } }, status: 200, body: book },
    { it: 'unknown', ask: `PATCH ${path}`, send: { body: { title: 'y', isbn: null } }, status: 400, says: 'isbn' },
    { it: 'no object', ask: `PATCH ${path}`, send: { raw: 'null' }, status: 400 },
    { it: 'no object', ask: `PATCH ${path}`, send: { raw: '[{"title":"y"}]' }, status: 400 },
    { it: 'as a merge patch', ask: `PATCH ${path}`, send: { body: { year: 1815 }, type: 'application/merge-patch+json' }, status: 200, body: book },
    { it: 'it is as it was', ask: `GET ${path}`, status: 200, body: book },
  ])
  await ask('DELETE', path)
})

test('author: a part of it, ignoring case by Unicode, nothing else special', async (t) => {
  const { ask } = service
  const authors = ['Jane Austen', 'Émile Zola', 'STRAßER, Ödön', 'Ελένη Σίσυφος', 'Лев Толстой', '100% Proof_Reader', 'a\\b', '村上春樹', "O'Brien", 'İbrahim']
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
      assert.deepEqual(reply.body.data.map((book: { author: string }) => book.author), found)
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
    { it: 'fields', ask: 'GET /books?fields=title&limit=1', status: 200, body: { data: [{ id: first.id, title: 'x' }], count: 1 } },
    { it: 'fields of one', ask: `GET /books/${third.id}?fields=author`, status: 200, body: { id: third.id, author: third.author } },
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
    await Promise.all(Array.from({ length: 50 }, (_, k) => ask('POST', '/books', { body: { title: `T${i + k}`, author: 'Many', year: 1900 + ((i + k) % 3) } })))
  }
  const all = (await ask('GET', '/books')).body
  assert.equal(all.count, before + 1300)
  assert.equal(all.data.length, all.count)
  const sorted = (await ask('GET', '/books?sort=-year,title&author=many')).body
  assert.equal(sorted.count, 1300)
  assert.equal(new Set(sorted.data.map((book: { id: number }) => book.id)).size, 1300)
  const expected = sorted.data.toSorted((a: { year: number; title: string }, b: { year: number; title: string }) => b.year - a.year || (a.title < b.title ? -1 : 1))
  assert.deepEqual(sorted.data, expected)
})
