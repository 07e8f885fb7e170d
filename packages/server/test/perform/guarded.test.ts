/**
 * Guarded fields: a write with the stored value changes nothing, whatever the field's type. A field
 * that the caller may not see does not exist for it, in every interface that writes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { permitAtConsole } from '../../src/command/console-records.ts'
import { defineResource, id, integer, role, text, textList, user } from '../../src/index.ts'
import { importLines } from '../../src/perform/imports/import-lines.ts'
import { equal } from '../../src/resource/condition.ts'
import { resources } from '../application/resources/index.ts'

const sheds = defineResource({
  name: 'shed',
  path: '/sheds',
  fields: {
    id: id(),
    label: text({ required: true }),
    height: integer({ default: 2, write: role('ADMIN') }),
    tools: textList({ write: role('ADMIN') }),
  },
  list: { style: 'page', filterable: ['label'], bulk: true },
  access: { list: user, get: user, create: user, replace: user, update: user },
})

/**
 * `clue` and `price` are no caller's to set, not even an ADMIN's, and `memo` is an ADMIN's alone.
 */
const chests = defineResource({
  name: 'chest',
  path: '/chests',
  fields: {
    id: id(),
    label: text({ required: true, unique: true }),
    clue: text({ hidden: true }),
    price: integer({ hidden: true, default: 5 }),
    memo: text({ read: role('ADMIN') }),
  },
  upsert: ['label'],
  list: { style: 'page', filterable: ['label'], bulk: true },
  access: { list: user, get: user, create: user, replace: user, update: user, import: user, peek: user },
  actions: {
    peek: {
      async run({ record, records }) {
        await records(chests).update(record.id, { clue: 'under the oak', price: 7, memo: 'heavy' })
      },
    },
  },
})

let service: TestService
let token: string
let path: string
before(async () => {
  service = await startService([...resources, sheds, chests])
  token = (await service.person()).token
  const admin = await service.person('ADMIN')
  const body = { label: 'Old', height: 3, tools: ['rake', 'hoe'] }
  const made = await service.ask('POST', '/api/v1/sheds', { body, token: admin.token })
  path = `/api/v1/sheds/${made.body.id}`
})
after(() => service.stop())

const write = (method: string, body: object, at = path) => service.ask(method, at, { body, token })

test('a record that was read can be edited and sent back by whoever may not set them', async () => {
  const { body } = await service.ask('GET', path, { token })
  assert.deepEqual(body.tools, ['rake', 'hoe'])
  for (const method of ['PUT', 'PATCH']) {
    const reply = await write(method, { ...body, label: method })
    assert.deepEqual([reply.status, reply.body], [200, { ...body, label: method }])
  }
  const many = await write('PATCH', { tools: body.tools, label: 'Many' }, '/api/v1/sheds?label=PATCH&limit=1')
  assert.deepEqual(many.body, { success: true, updated: 1 })
})

test('another value is refused', async () => {
  for (const body of [{ height: 4 }, { tools: ['hoe', 'rake'] }, { tools: [] }, { tools: null }]) {
    const reply = await write('PATCH', body)
    assert.equal(reply.status, 403, JSON.stringify(body))
  }
})

test('a hidden field does not exist for any caller, however it is written', async () => {
  const { engine } = service.service
  const resource = engine.catalog.get('chest')
  const admin = (await service.person('ADMIN')).token
  const made = await service.ask('POST', '/api/v1/chests', { body: { label: 'Old' }, token })
  assert.equal(made.status, 201, made.text)
  const at = `/api/v1/chests/${made.body.id}`
  await service.ask('POST', `${at}/peek`, { token })
  const stored = async () => {
    const row = (await engine.storage.find(resource, equal('id', made.body.id)))?.row
    return [row?.clue, row?.price, row?.memo]
  }
  const known = ['under the oak', 7, 'heavy']
  assert.deepEqual(await stored(), known)
  const sent = { label: 'Old', clue: 'mine' }
  const patch = { method: 'PATCH', path: `/chests/${made.body.id}`, body: { price: 1 } }
  for (const [method, path, body] of [
    ['POST', '/api/v1/chests', { label: 'New', price: 5 }],
    ['POST', '/api/v1/chests', { label: 'New', clue: null }],
    ['PATCH', at, { clue: 'mine' }],
    ['PATCH', at, { price: 7 }],
    ['PUT', at, sent],
    ['PUT', '/api/v1/chests?on=label', sent],
    ['PUT', '/api/v1/chests?on=label', { ...sent, label: 'New' }],
    ['PATCH', '/api/v1/chests?label=Old&limit=1', { clue: 'mine' }],
    ['POST', '/api/v1/batch', { operations: [patch] }],
  ] as const) {
    for (const by of [token, admin]) {
      const reply = await service.ask(method, path, { body, token: by })
      assert.equal(reply.status, 400, `${method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
      assert.match(reply.body.error, /Unknown field (clue|price)/)
    }
  }
  const lines = [JSON.stringify({ id: made.body.id, clue: 'mine' }), JSON.stringify({ label: 'New', price: 1 })]
  const imported = await service.ask('POST', '/api/v1/chests/import', {
    raw: lines.join('\n'),
    type: 'application/x-ndjson',
    token: admin,
  })
  assert.deepEqual(
    imported.body.errors.map(({ error }: { error: string }) => error),
    ['Unknown field clue', 'Unknown field price'],
  )
  const query = `mutation { updateChest(id: "${made.body.id}", input: { clue: "mine" }) { id } }`
  const { body } = await service.ask('POST', '/graphql', { body: { query }, token: admin })
  assert.equal(body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  assert.deepEqual(await stored(), known)

  const put = await service.ask('PUT', at, { body: { label: 'Painted' }, token })
  assert.deepEqual([put.status, await stored()], [200, known], 'a replace leaves what its caller does not see')
  assert.equal((await service.ask('PUT', at, { body: { label: 'Painted' }, token: admin })).body.memo, null)
  const document = JSON.stringify((await service.ask('GET', '/openapi.json')).body)
  assert.ok(!document.includes('"clue"'))
})

test("an operator's import restores it", async () => {
  const { engine } = service.service
  const resource = engine.catalog.get('chest')
  async function* lines() {
    yield { line: 1, text: '', parse: () => ({ label: 'Restored', clue: 'by the well', price: 2 }) }
  }
  const operation = { kind: 'import', resource, under: undefined, select: null, lines: lines() } as const
  const permitted = permitAtConsole(engine, operation)
  for await (const { done } of importLines(engine, permitted)) assert.equal(done, 'created')
  const row = (await engine.storage.find(resource, equal('label', 'Restored')))?.row
  assert.deepEqual([row?.clue, row?.price], ['by the well', 2])
})
