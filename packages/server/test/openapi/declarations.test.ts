/** How single parts of a declaration appear in the document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import {
  boolean,
  defineAction,
  defineResource,
  id,
  integer,
  machine,
  onlyWhen,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { apiPrefix } from '../../src/rest/route.ts'
import { documentOf, operationAt, type Schema } from './library-document.ts'

describe('other declarations', () => {
  const thing = defineResource({
    name: 'thing',
    path: '/things',
    fields: {
      id: id(),
      name: text({ required: true }),
      note: text({ read: role('ADMIN') }),
      on: boolean({ default: false }),
    },
    access: { get: user, wake: machine(user), create: onlyWhen((s) => s.signUp === 'open', user, role('ADMIN')) },
    actions: {
      wake: defineAction({ input: { minutes: integer({ required: true, min: 1 }) }, run: async () => undefined }),
    },
    children: {
      sent: { resource: 'note', by: 'fromId', operations: ['list'] },
      received: { resource: 'note', by: 'toId', operations: ['list'] },
    },
  })
  const note = defineResource({
    name: 'note',
    path: '/notes',
    fields: { id: id(), fromId: reference('thing', { readOnly: true }), toId: reference('thing', { readOnly: true }) },
    list: { style: 'page' },
    access: { list: user },
  })
  const other = documentOf(makeCatalog([thing, note]))

  it('an action documents its input', () => {
    const content = operationAt('post', `${apiPrefix}/things/{id}/wake`, other).requestBody?.content as Record<
      string,
      { schema: Schema }
    >
    assert.deepEqual(content['application/json']?.schema.required, ['minutes'])
  })

  it('two children of one resource are told apart', () => {
    assert.equal(operationAt('get', `${apiPrefix}/things/{id}/sent`, other).operationId, 'listThingNotes')
    assert.equal(operationAt('get', `${apiPrefix}/things/{id}/received`, other).operationId, 'listThingNotesByToId')
  })

  it('a field that not everybody sees is not promised', () => {
    const schema = other.components.schemas.Thing
    assert.deepEqual(schema?.required, ['id', 'name', 'on'])
    assert.equal(schema?.properties.note?.description, 'The note of the thing. Shown to role ADMIN.')
  })

  it('is valid too', async () => {
    const { valid } = await new Validator().validate(structuredClone(other) as Record<string, unknown>)
    assert.ok(valid)
  })
})
