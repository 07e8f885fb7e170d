/** Fields that only some may set: what equals the stored value changes nothing, whatever its type is. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { defineResource, id, integer, role, text, textList, user } from '../../src/index.ts'
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

let service: TestService
let token: string
let path: string
before(async () => {
  service = await startService([...resources, sheds])
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
