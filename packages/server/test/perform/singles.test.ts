/** The single child record of a parent, when a write comes before any request has read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from 'bindery-server/test'
import { defineResource, id, owner, reference, state, through, user } from '../../src/index.ts'
import { resources, type TestPerson } from '../helpers/application.ts'

const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), ownerId: reference('member', { setBy: 'principal' }) },
  children: {
    lock: { resource: 'lock', by: 'boxId', single: true, operations: ['get', 'replace', 'update', 'delete'] },
  },
  access: { get: user, create: user },
})
const inBox = through('boxId', owner('ownerId'))
const locks = defineResource({
  name: 'lock',
  fields: {
    id: id(),
    boxId: reference('box', { required: true, onDelete: 'delete' }),
    status: state(['OPEN', 'SHUT'], {
      default: 'OPEN',
      readOnly: true,
      transitions: { shut: { from: ['OPEN'], to: 'SHUT' } },
    }),
  },
  unique: [['boxId']],
  children: { pins: { resource: 'pin', by: 'lockId', operations: ['list', 'create'] } },
  access: { get: inBox, replace: inBox, update: inBox, delete: inBox, shut: inBox },
})
const pins = defineResource({
  name: 'pin',
  fields: { id: id(), lockId: reference('lock', { setBy: 'parent', onDelete: 'delete' }) },
  list: { style: 'page' },
  access: { list: user, get: user, create: user },
})

test('a write finds the single record that a read would make, and a dry run makes none', async (t) => {
  const own = await startService([...resources, boxes, locks, pins])
  t.after(() => own.stop())
  const [ann, ben] = [await own.person(), await own.person()]
  const { engine } = own.service
  const lock = engine.catalog.get('lock')
  const writes: readonly (readonly [string, string, object | undefined, number])[] = [
    ['PATCH', '', {}, 200],
    ['PUT', '', {}, 200],
    ['DELETE', '', undefined, 204],
    ['POST', '/shut', undefined, 200],
    ['POST', '/pins', {}, 201],
  ]
  for (const [method, below, body, status] of writes) {
    const box = (await own.ask('POST', '/api/v1/boxes', { body: {}, token: ben.token })).body
    const ask = ({ token }: TestPerson, headers?: Record<string, string>) =>
      own.ask(method, `/api/v1/boxes/${box.id}/lock${below}`, {
        token,
        ...(body && { body }),
        ...(headers && { headers }),
      })
    const before = await engine.storage.count(lock, { kind: 'true' })
    assert.equal((await ask(ann)).status, 404, method)
    const dry = await ask(ben, { prefer: 'dry-run' })
    assert.deepEqual([dry.status, dry.headers.get('preference-applied')], [status, 'dry-run'], `${method} ${below}`)
    assert.equal(await engine.storage.count(lock, { kind: 'true' }), before, `${method} ${below}`)
    assert.equal((await ask(ben)).status, status, `${method} ${below}`)
  }
})
