/**
 * A nested path sets the reference to its parent: a body may leave it out or repeat it, and a
 * different value is refused.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { permissionMatrix, startService as startOf } from 'bindery-server/test'
import { defineResource, id, reference, role, text, user } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'
import { keys, people } from '../service/people.ts'

const everything = { list: user, get: user, create: user, replace: user, update: user, delete: user }
const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), name: text() },
  list: { style: 'page' },
  access: everything,
  children: { things: { resource: 'thing', by: 'boxId' }, labels: { resource: 'label', by: 'boxId' } },
})
const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: {
    id: id(),
    boxId: reference('box', { required: true, write: role('ADMIN') }),
    name: text({ required: true }),
    note: text(),
  },
  list: { style: 'page' },
  access: everything,
})
const labels = defineResource({
  name: 'label',
  fields: { id: id(), boxId: reference('box', { required: true }), name: text({ required: true }) },
  list: { style: 'page' },
  access: everything,
})

let own: TestService
let token: string
let a: string
let b: string
before(async () => {
  own = await startOf([...resources, boxes, things, labels])
  token = (await own.person()).token
  const box = async () => (await own.ask('POST', '/api/v1/boxes', { body: {}, token })).body.id
  a = await box()
  b = await box()
})
after(() => own.stop())

const ask = (method: string, path: string, body: object) => own.ask(method, `/api/v1${path}`, { body, token })
const refusal = { error: 'boxId is set by the path: leave it out, or send the id that the path names' }

test('a create needs no such field, takes the same value, and refuses another', async () => {
  const made = await ask('POST', `/boxes/${a}/things`, { name: 'first' })
  assert.deepEqual([made.status, made.body.boxId], [201, a])
  assert.equal((await ask('POST', `/boxes/${a}/things`, { name: 'same', boxId: a })).status, 201)
  for (const boxId of [b, null, '01890a5d-ac96-774b-bcce-b302099a8057']) {
    const reply = await ask('POST', `/boxes/${a}/things`, { name: 'other', boxId })
    assert.deepEqual([reply.status, reply.body], [400, refusal])
  }
  const operations = [
    { method: 'POST', path: `/boxes/${a}/things`, body: { name: 'in a batch' } },
    { method: 'POST', path: `/boxes/${a}/things`, body: { name: 'in a batch', boxId: b } },
  ]
  const batch = await ask('POST', '/batch', { operations })
  assert.deepEqual([batch.status, batch.body.error], [400, `operations[1]: ${refusal.error}; nothing was stored`])
  assert.equal((await ask('POST', '/batch', { operations: operations.slice(0, 1) })).status, 200)
  assert.deepEqual((await ask('POST', `/boxes/${a}/things`, {})).body, { error: 'name is required' })
  assert.deepEqual((await ask('POST', '/things', { name: 'x' })).body, { error: 'boxId is required' })
})

test('a replace and an update below a record leave it there', async () => {
  const { body: thing } = await ask('POST', `/boxes/${a}/things`, { name: 'moved', note: 'x' })
  const at = `/boxes/${a}/things/${thing.id}`
  const replaced = await ask('PUT', at, { name: 'again' })
  assert.deepEqual([replaced.status, replaced.body], [200, { ...thing, name: 'again', note: null }])
  assert.equal((await ask('PUT', at, { name: 'again', boxId: a })).status, 200)
  assert.equal((await ask('PATCH', at, { boxId: a, note: 'y' })).status, 200)
  for (const method of ['PUT', 'PATCH']) {
    const reply = await ask(method, at, { name: 'again', boxId: b })
    assert.deepEqual([reply.status, reply.body], [400, refusal], method)
  }
})

test('GraphQL takes it from the argument', async () => {
  const create = (input: string) =>
    own.ask('POST', '/graphql', {
      body: { query: `mutation { createLabel(boxId: "${a}", input: { ${input} }) { boxId } }` },
      token,
    })
  assert.deepEqual((await create('name: "x"')).body.data, { createLabel: { boxId: a } })
  assert.deepEqual((await create(`name: "x", boxId: "${a}"`)).body.data, { createLabel: { boxId: a } })
  const { errors } = (await create(`name: "x", boxId: "${b}"`)).body
  assert.deepEqual([errors[0].message, errors[0].extensions.code], [refusal.error, 'BAD_USER_INPUT'])
})

test('the document does not ask for it there, and the permission matrix sends it nowhere', async () => {
  const { paths } = (await own.ask('GET', '/openapi.json')).body
  const bodyOf = (path: string, method: string) => paths[path][method].requestBody.content['application/json']
  for (const [path, method] of [
    ['/api/v1/boxes/{id}/things', 'post'],
    ['/api/v1/boxes/{id}/labels/{item_id}', 'put'],
  ] as const) {
    const { schema, example } = bodyOf(path, method)
    assert.deepEqual([schema.required, Object.hasOwn(schema.properties, 'boxId')], [['name'], true])
    assert.equal(Object.hasOwn(example ?? {}, 'boxId'), false)
  }
  assert.equal(bodyOf('/api/v1/things', 'post').schema.$ref, '#/components/schemas/ThingCreate')
  const rows = await permissionMatrix([...people, keys, boxes, things, labels])
  const created = rows.filter(({ path, operation }) => path === '/api/v1/boxes/:id/things' && operation === 'create')
  assert.deepEqual(
    created.map(({ statuses }) => [statuses.anonymous, statuses.stranger, statuses.ADMIN]),
    [[401, 201, 201]],
  )
})
