/** Effects of a write on other records, also of a write in an action. Each case was once a bug. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PreparedRecord } from '../../src/record/prepared-record.ts'
import { type Ask, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'
import { boxes, following, parts } from './following.ts'

let service: TestService
let ask: Ask

before(async () => {
  service = await startService(following)
  ask = service.ask
})
after(() => service.stop())

const v1 = '/api/v1'

async function made(path: string, body: object): Promise<string> {
  const reply = await ask('POST', `${v1}/${path}`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

const get = (path: string): Promise<TestResponse> => ask('GET', `${v1}/${path}`)
async function versionOf(path: string): Promise<string | null> {
  const reply = await get(path)
  assert.equal(reply.status, 200, reply.text)
  return reply.headers.get('etag')
}

it('a follow that throws is a fault, which the log has with its field, and nothing is stored', async () => {
  const id = await made('gauges', { label: 'low' })
  const refused = await ask('PATCH', `${v1}/gauges/${id}`, { body: { label: 'none' } })
  assert.deepEqual([refused.status, refused.body], [500, { error: 'Internal server error' }])
  assert.match(
    service.logged.join('\n'),
    /gauge: field "level": onWrite must give a value .* threw Error: no such level/,
  )
  assert.deepEqual((await get(`gauges/${id}`)).body, { id, label: 'low', level: 'low' })
})

describe('deleteWhere in an action', () => {
  it('removes or clears what refers to the records, through all levels, and raises each version', async () => {
    const authorId = await made('authors', { name: 'Ann' })
    const draft = await made('articles', { authorId, draft: true })
    const article = await made('articles', { authorId })
    const comment = await made('comments', { articleId: draft })
    const remark = await made('remarks', { commentId: comment })
    const desk = await made('desks', {})
    const before = (await get(`articles/${article}`)).body

    const wiped = await ask('POST', `${v1}/desks/${desk}/wipe`, { body: { name: 'Ann' } })
    assert.equal(wiped.status, 200, wiped.text)
    for (const path of [`authors/${authorId}`, `articles/${draft}`, `comments/${comment}`])
      assert.equal((await get(path)).status, 404, path)
    assert.deepEqual((await get(`articles/${article}`)).body, { ...before, authorId: null })
    assert.equal(await versionOf(`articles/${article}`), '"2"')
    assert.deepEqual((await get(`remarks/${remark}`)).body, { id: remark, commentId: null, isLoose: true })
    assert.equal(await versionOf(`remarks/${remark}`), '"2"')
  })

  it('touches the records above however many rows go', async () => {
    const { records, catalog } = service.service.engine
    const box = await made('boxes', { name: 'full' })
    const author = { userId: null, role: null, credential: 'test' }
    const part = catalog.get(parts.name)
    await records.transaction(author, async (tx) => {
      const rows: PreparedRecord[] = []
      for (let i = 0; i < 10_050; i += 1) rows.push(await tx.prepare(part, { boxId: box }))
      await tx.insertAll(rows)
    })
    assert.equal(await versionOf(`boxes/${box}`), '"2"')
    const desk = await made('desks', {})
    assert.equal((await ask('POST', `${v1}/desks/${desk}/empty`, { body: { boxId: box } })).status, 200)
    assert.notEqual(await versionOf(`boxes/${box}`), '"2"')
    assert.equal((await get('parts?limit=1')).body.meta.total, 0)
  })
})

describe('a delete', () => {
  it('touches the parents of all that it deletes, also of what another reference deletes', async () => {
    const authorId = await made('authors', { name: 'Bob' })
    const box = await made('boxes', {})
    await made('parts', { boxId: box, authorId })
    const was = await versionOf(`boxes/${box}`)
    assert.equal((await ask('DELETE', `${v1}/authors/${authorId}`)).status, 204)
    assert.notEqual(await versionOf(`boxes/${box}`), was, `${boxes.name} has a part less, and so another ETag`)
  })

  it('leaves what keeps its reference as it was: the same id, which names nobody, and the same version', async () => {
    const authorId = await made('authors', { name: 'Eve' })
    const article = await made('articles', { foundById: authorId })
    assert.equal((await get(`articles/${article}?expand=foundBy`)).body.foundBy.id, authorId)
    assert.equal((await ask('DELETE', `${v1}/authors/${authorId}`)).status, 204)
    const { body } = await get(`articles/${article}?expand=foundBy`)
    assert.deepEqual([body.foundById, body.foundBy], [authorId, null])
    assert.equal(await versionOf(`articles/${article}`), '"1"')
    assert.equal((await get(`articles?foundById=${authorId}`)).body.meta.total, 1)
    const edited = await ask('PATCH', `${v1}/articles/${article}`, {
      body: { ...body, foundBy: undefined, draft: true },
    })
    assert.equal(edited.status, 200, edited.text)
    const other = await ask('POST', `${v1}/articles`, { body: { foundById: authorId } })
    assert.deepEqual([other.status, other.body.error], [400, 'foundById refers to no author that exists'])
  })

  it('ends where records refer to each other in a circle', async () => {
    const one = await made('twins', {})
    const two = await made('twins', { twinId: one })
    assert.equal((await ask('PATCH', `${v1}/twins/${one}`, { body: { twinId: two } })).status, 200)
    assert.equal((await ask('DELETE', `${v1}/twins/${one}`)).status, 204)
    assert.equal((await get(`twins/${two}`)).status, 404)
  })

  it('of one that refers to itself ends too', async () => {
    const one = await made('twins', {})
    assert.equal((await ask('PATCH', `${v1}/twins/${one}`, { body: { twinId: one } })).status, 200)
    assert.equal((await ask('DELETE', `${v1}/twins/${one}`)).status, 204)
  })
})

describe('a part that moves', () => {
  it('touches its old parent and its new one', async () => {
    const [from, to] = [await made('boxes', {}), await made('boxes', {})]
    const part = await made('parts', { boxId: from })
    assert.deepEqual([await versionOf(`boxes/${from}`), await versionOf(`boxes/${to}`)], ['"2"', '"1"'])
    assert.equal((await ask('PATCH', `${v1}/parts/${part}`, { body: { boxId: to } })).status, 200)
    assert.deepEqual([await versionOf(`boxes/${from}`), await versionOf(`boxes/${to}`)], ['"3"', '"2"'])
  })
})

describe('a single child with integer ids', () => {
  it('is created when it is read; its `follow` runs and its parent is touched', async () => {
    const desk = await made('desks', {})
    const reply = await get(`desks/${desk}/lamp`)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual({ ...reply.body, id: 0 }, { id: 0, deskId: desk, watts: 7, isBright: true, label: '7 W' })
    assert.equal(await versionOf(`desks/${desk}`), '"2"')
  })
})

describe('what an action may write', () => {
  const absent = '01926e0f-0000-7000-8000-000000000000'
  const refused: readonly (readonly [object, string])[] = [
    [{ state: 'LOST' }, 'state must be one of NEW, OLD'],
    [{ height: 1.5 }, 'height must be an integer'],
    [{ height: 1000 }, 'height must be from 1 to 200'],
    [{ label: 'x'.repeat(5000) }, 'label must be at most 200 characters'],
    [{ ownerId: absent }, 'ownerId refers to no author that exists'],
    [{ state: null }, 'state is required'],
  ]
  for (const kind of ['create', 'update']) {
    for (const [values, error] of refused) {
      it(`${kind}: ${error}`, async () => {
        const desk = await made('desks', {})
        const body = { json: JSON.stringify(values), name: kind }
        const reply = await ask('POST', `${v1}/desks/${desk}/value`, { body })
        assert.deepEqual([reply.status, reply.body], [400, { error }])
        assert.equal(await versionOf(`desks/${desk}`), '"1"')
      })
    }
    it(`${kind}: a name that is not a field is refused, and the log names it`, async () => {
      const desk = await made('desks', {})
      const body = { json: '{"colour":"red"}', name: kind }
      const reply = await ask('POST', `${v1}/desks/${desk}/value`, { body })
      assert.deepEqual([reply.status, reply.body], [500, { error: 'Internal server error' }])
      assert.match(service.logged.join('\n'), /desk has no stored field colour/)
    })
  }
})
