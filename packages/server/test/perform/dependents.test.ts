/**
 * A delete removes a bounded number of dependent records, by every interface except the command
 * line. Its dry run counts them and changes nothing.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, reference, text } from '../../src/index.ts'
import { limits } from '../../src/limits.ts'
import { equal } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { resources, type TestService } from '../helpers/application.ts'

const open = { list: anyone, get: anyone, create: anyone, delete: anyone }
const chests = defineResource({
  name: 'chest',
  path: '/chests',
  fields: { id: id(), label: text(), insideId: reference('chest', { onDelete: { deleteWhere: { label: 'inner' } } }) },
  list: { style: 'page', bulk: true },
  access: open,
})
const coins = defineResource({
  name: 'coin',
  path: '/coins',
  fields: { id: id(), chestId: reference('chest', { onDelete: 'delete' }) },
  list: { style: 'page' },
  access: open,
})
const labels = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), chestId: reference('chest', { onDelete: 'clear' }) },
  list: { style: 'page' },
  access: open,
})

/** Its hook makes each cleared reference a change of its own. */
const pairs = defineResource({
  name: 'pair',
  path: '/pairs',
  fields: {
    id: id(),
    leftId: reference('chest', { onDelete: 'clear' }),
    rightId: reference('chest', { onDelete: 'clear' }),
  },
  list: { style: 'page' },
  access: open,
  hooks: { beforeUpdate: () => undefined },
})

let own: TestService
before(async () => {
  own = await startOf([...resources, chests, coins, labels, pairs])
})
after(() => own.stop())

const { dependentsMax: most } = limits
const dry = { prefer: 'dry-run' }

async function chest(label: string, insideId: string | null = null): Promise<string> {
  const { body, text } = await own.ask('POST', '/api/v1/chests', { body: { label, insideId } })
  assert.ok(body.id, text)
  return body.id
}

/** Creates `count` records in batches, as an import does. */
async function fill(name: 'coin' | 'tag', chestId: string, count: number): Promise<void> {
  const { records, catalog } = own.service.engine
  await records.transaction(serviceAuthor, async (tx) => {
    const prepared = []
    for (let i = 0; i < count; i += 1) prepared.push(await tx.prepare(catalog.get(name), { chestId }))
    for (let at = 0; at < count; at += 500) await tx.insertAll(prepared.slice(at, at + 500))
  })
}

const countOf = async (path: string) => (await own.ask('GET', `/api/v1/${path}`)).body.meta.total as number
const refusal = (id: string) =>
  `More than ${most} records depend on this chest; nothing was changed. An operator can remove it: bindery remove chests ${id}`

test('as many as the limit go, and one more is refused at every door', async () => {
  const { ask } = own
  const id = await chest('full')
  await fill('coin', id, most - 1)
  await fill('tag', id, 2)
  const path = `/api/v1/chests/${id}`
  for (const headers of [{}, dry]) {
    const { status, body } = await ask('DELETE', path, { headers })
    assert.deepEqual([status, body.error], [409, refusal(id)])
  }
  const batch = await ask('POST', '/api/v1/batch', {
    body: { operations: [{ method: 'DELETE', path: `/chests/${id}` }] },
  })
  assert.deepEqual([batch.status, batch.body.error], [409, `operations[0]: ${refusal(id)}; nothing was stored`])
  const many = await ask('DELETE', '/api/v1/chests?label=full&limit=10')
  assert.deepEqual([many.status, many.body.error], [409, refusal(id)])
  const query = `mutation { deleteChest(id: "${id}") { id } }`
  const { errors } = (await ask('POST', '/graphql', { body: { query } })).body
  assert.deepEqual([errors[0].extensions.code, errors[0].message], ['CONFLICT', refusal(id)])
  assert.deepEqual(
    [await countOf('coins'), await countOf('tags'), await countOf('chests?label=full')],
    [most - 1, 2, 1],
  )

  const one = (await ask('GET', '/api/v1/tags?limit=1')).body.data[0]
  await ask('DELETE', `/api/v1/tags/${one.id}`)
  const tried = await ask('DELETE', path, { headers: dry })
  assert.deepEqual([tried.status, tried.headers.get('preference-applied')], [204, 'dry-run'])
  assert.equal(await countOf('coins'), most - 1)
  assert.equal((await ask('DELETE', path)).status, 204)
  const [tag] = (await ask('GET', '/api/v1/tags')).body.data
  assert.deepEqual([await countOf('coins'), tag.chestId], [0, null])
})

test('those that depend on dependents count, in a circle too; a dry run counts each of them once', async () => {
  const { ask } = own
  const outer = await chest('outer')
  const inner = await chest('inner', outer)
  await fill('coin', outer, most / 2)
  await fill('coin', inner, most / 2)
  // Both halves and the inner chest are one more than the limit
  for (const headers of [dry, {}])
    assert.equal((await ask('DELETE', `/api/v1/chests/${outer}`, { headers })).status, 409)
  const [coin] = (await ask('GET', '/api/v1/coins?limit=1')).body.data
  await ask('DELETE', `/api/v1/coins/${coin.id}`)
  assert.equal((await ask('DELETE', `/api/v1/chests/${outer}`, { headers: dry })).status, 204)
  const both = await ask('DELETE', '/api/v1/chests?label[in]=outer,inner&limit=10', { headers: dry })
  const gone = await ask('DELETE', '/api/v1/chests?label[in]=outer,inner&limit=10')
  assert.deepEqual([both.status, both.body], [200, gone.body])
  assert.equal(await countOf('coins'), 0)
})

test('a record that loses two references counts once, in a dry run too', async () => {
  const { ask } = own
  const id = await chest('paired')
  await fill('coin', id, most - 2)
  for (const _one of [1, 2]) await ask('POST', '/api/v1/pairs', { body: { leftId: id, rightId: id } })
  const path = `/api/v1/chests/${id}`
  assert.equal((await ask('DELETE', path, { headers: dry })).status, 204)
  assert.equal((await ask('DELETE', path)).status, 204)
  const { data } = (await ask('GET', '/api/v1/pairs')).body
  assert.deepEqual(
    data.map(({ leftId, rightId }: Record<string, unknown>) => [leftId, rightId]),
    [
      [null, null],
      [null, null],
    ],
  )
})

test('the console and the service itself remove any number', async () => {
  const { records, catalog } = own.service.engine
  const resource = catalog.get('chest')
  const id = await chest('old')
  await fill('coin', id, most + 1)
  const author = { userId: null, role: 'ADMIN', credential: 'console' }
  const count = await records.transaction(author, (tx) => tx.removeWhere(resource, equal('id', id)))
  assert.deepEqual([count, await countOf('coins')], [1, 0])
})
