/**
 * Records by their ids, for the admin panel providers: a failed request must not look like a
 * missing record.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'bindery-server/client'
import { makeDataProvider } from 'bindery-server/react-admin'

/** A provider whose server answers lists and records so; undefined: no answer comes. */
function providerOf(list: number | undefined, record: (id: string) => number | undefined) {
  const answer: typeof fetch = async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input))
    const id = pathname.split('/')[4]
    const status = id === undefined ? list : record(id)
    if (status === undefined) throw new TypeError('fetch failed')
    return Response.json(status === 200 ? { id, label: 'A' } : { error: 'So it is' }, { status })
  }
  return makeDataProvider(createClient({ url: 'http://127.0.0.1:1', fetch: answer, retries: 0 }))
}

const many = (list: number | undefined, record: (id: string) => number | undefined) =>
  providerOf(list, record).getMany('shelves', { ids: ['1', '2'] })

test('where nobody may list, what is there is found one by one', async () => {
  for (const refusal of [400, 403, 404, 405]) {
    const { data } = await many(refusal, (id) => (id === '1' ? 200 : 404))
    assert.deepEqual(
      data.map(({ id }: { id: unknown }) => id),
      ['1'],
    )
  }
})

test('a failure is no record that is missing', async () => {
  for (const status of [401, 429, 500, 503, undefined])
    await assert.rejects(
      many(403, (id) => (id === '1' ? 200 : status)),
      `a record answers ${status}`,
    )
  let asked = 0
  const count = () => {
    asked += 1
    return 404
  }
  for (const status of [401, 429, 503, undefined])
    await assert.rejects(many(status, count), `the list answers ${status}`)
  assert.equal(asked, 0)
})
