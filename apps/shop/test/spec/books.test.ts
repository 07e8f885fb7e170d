/**
 * The book collection: its five operations, its own messages, its year, and the list that is
 * complete unless a page is asked for.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario, startService, type TestService } from '../helpers/service.ts'

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
  checkReply(
    { status: 200, body: put },
    await ask('PUT', `/books/${id}`, { body: { title: 'Persuasion', author: 'Austen' } }),
  )
  const deleted = await ask('DELETE', `/books/${id}`)
  checkReply({ status: 204 }, deleted)
  assert.equal(deleted.text, '')
  assert.equal(deleted.headers.get('content-type'), null)
  checkReply({ status: 404, body: { error: 'Not found' } }, await ask('DELETE', `/books/${id}`))
  checkReply({ status: 404, body: { error: 'Book not found' } }, await ask('GET', `/books/${id}`))
  checkReply(
    { status: 404, body: { error: 'Book not found' } },
    await ask('PATCH', `/books/${id}`, { body: { year: 1 } }),
  )
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
  const scenarios: Scenario[] = bodies.map((body) => ({
    it: JSON.stringify(body),
    ask: 'POST /books',
    send: { body },
    status: 400,
    error: missing,
  }))
  await check(t, service.ask, scenarios)
  await check(t, service.ask, [
    { it: 'no body at all', ask: 'POST /books', status: 400, error: missing },
    {
      it: 'a number',
      ask: 'POST /books',
      send: { body: { title: 5, author: 'y' } },
      status: 400,
      error: 'title must be a string',
    },
    {
      it: 'a list',
      ask: 'POST /books',
      send: { body: { title: 'x', author: ['y'] } },
      status: 400,
      error: 'author must be a string',
    },
    {
      it: 'too long',
      ask: 'POST /books',
      send: { body: { title: 'x'.repeat(1001), author: 'y' } },
      status: 400,
      says: 'title',
    },
    {
      it: 'an id',
      ask: 'POST /books',
      send: { body: { id: 7, title: 'x', author: 'y' } },
      status: 400,
      error: 'id is read-only',
    },
    {
      it: 'unknown',
      ask: 'POST /books',
      send: { body: { title: 'x', author: 'y', isbn: '1' } },
      status: 400,
      says: 'isbn',
    },
    {
      it: 'the version is no field',
      ask: 'POST /books',
      send: { body: { title: 'x', author: 'y', version: 1 } },
      status: 400,
      says: 'version',
    },
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
    wrong.map((year) => ({
      it: JSON.stringify(year),
      ask: 'POST /books',
      send: { body: { title: 'x', author: 'y', year } },
      status: 400,
      says: /^\{"error":"year must be /,
    })),
  )
  checkReply(
    { status: 400, error: 'year must be an integer' },
    await ask('POST', '/books', { body: { title: 'x', author: 'y', year: '1999' } }),
  )
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
    {
      it: 'another id',
      ask: `PATCH ${path}`,
      send: { body: { id: book.id + 1 } },
      status: 400,
      error: 'id is read-only',
    },
    {
      it: 'the id as text',
      ask: `PATCH ${path}`,
      send: { body: { id: String(book.id) } },
      status: 400,
      error: 'id is read-only',
    },
    { it: 'the same id', ask: `PATCH ${path}`, send: { body: { id: book.id } }, status: 200, body: book },
    { it: 'unknown', ask: `PATCH ${path}`, send: { body: { title: 'y', isbn: null } }, status: 400, says: 'isbn' },
    { it: 'no object', ask: `PATCH ${path}`, send: { raw: 'null' }, status: 400 },
    { it: 'no object', ask: `PATCH ${path}`, send: { raw: '[{"title":"y"}]' }, status: 400 },
    {
      it: 'as a merge patch',
      ask: `PATCH ${path}`,
      send: { body: { year: 1815 }, type: 'application/merge-patch+json' },
      status: 200,
      body: book,
    },
    { it: 'it is as it was', ask: `GET ${path}`, status: 200, body: book },
  ])
  await ask('DELETE', path)
})
