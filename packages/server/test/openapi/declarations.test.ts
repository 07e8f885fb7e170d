/** The parts of a declaration as they appear in the OpenAPI document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import {
  anyone,
  apiKey,
  boolean,
  defineAction,
  defineResource,
  id,
  integer,
  onlyWhen,
  reference,
  role,
  text,
  token,
  user,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { makeRoles } from '../../src/resource/rules/role-order.ts'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { resources } from '../application/resources/index.ts'
import { documentOf, type Operation, operationAt, operationsOf, resolved, type Schema } from './library-document.ts'

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
    access: { get: user, wake: apiKey(user), create: onlyWhen((s) => s.signUp === 'open', user, role('ADMIN')) },
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
  const pass = defineResource({
    name: 'pass',
    path: '/passes',
    fields: { id: id(), name: text({ required: true }), secret: token({ prefix: 'ps_' }) },
    list: { style: 'page' },
    access: { create: user, renew: user },
    actions: {
      renew: defineAction({ creates: true, returns: 'pass', run: async () => undefined }),
    },
  })
  const part = defineResource({
    name: 'part',
    path: '/parts',
    fields: { id: id(), name: text({ required: true, unique: true }) },
    list: { style: 'page', bulk: true },
    upsert: ['name'],
    access: { list: user, create: anyone, replace: role('EDITOR'), update: apiKey(user), delete: user },
  })
  const other = documentOf({ ...makeCatalog([thing, note, pass]), roles: makeRoles(['EDITOR', 'ADMIN']) })

  it('an action documents its input', () => {
    const content = operationAt('post', `${apiPrefix}/things/{id}/wake`, other).requestBody?.content as Record<
      string,
      { schema: Schema }
    >
    assert.deepEqual(content['application/json']?.schema.required, ['minutes'])
  })

  it('an action that makes a record does not promise the secret that only a create shows', () => {
    const answerOf = (path: string) => {
      const made = resolved<Operation['responses'][string]>(operationAt('post', path, other).responses['201'], other)
      return made.content?.['application/json']?.schema.$ref
    }
    assert.equal(answerOf(`${apiPrefix}/passes`), '#/components/schemas/PassCreated')
    assert.equal(answerOf(`${apiPrefix}/passes/{id}/renew`), '#/components/schemas/Pass')
  })

  it('what is done to a collection is asked for with the credentials of its rules', () => {
    const library = documentOf(makeCatalog([...resources, part]))
    const schemesAt = (method: string) =>
      (operationAt(method, `${apiPrefix}/parts`, library).security ?? library.security).map(
        (one) => Object.keys(one)[0],
      )
    assert.deepEqual(schemesAt('patch'), ['apiKeyHeader', 'apiKeyQuery'])
    assert.deepEqual(schemesAt('delete'), ['bearer', 'apiKeyHeader', 'apiKeyQuery'])
    assert.deepEqual(schemesAt('put'), ['bearer', 'apiKeyHeader', 'apiKeyQuery'])
    assert.deepEqual(schemesAt('post'), [undefined, 'bearer', 'apiKeyHeader', 'apiKeyQuery'])
  })

  it('two children of one resource are told apart', () => {
    assert.equal(operationAt('get', `${apiPrefix}/things/{id}/sent`, other).operationId, 'listThingNotes')
    assert.equal(operationAt('get', `${apiPrefix}/things/{id}/received`, other).operationId, 'listThingNotesByToId')
  })

  it('no two operations have one name, however deep the twins are', async () => {
    const item = defineResource({
      name: 'deskItem',
      path: '/desk-items',
      fields: { id: id(), trayId: reference('tray', { required: true }) },
      list: { style: 'page' },
      access: { list: user, create: user },
    })
    const tray = defineResource({
      name: 'tray',
      fields: {
        id: id(),
        leftId: reference('desk', { unique: true, readOnly: true }),
        rightId: reference('desk', { unique: true, readOnly: true }),
        topId: reference('desk', { unique: true, readOnly: true }),
      },
      list: { style: 'page' },
      access: { get: user, sort: user },
      actions: { sort: defineAction({ run: async () => undefined }) },
      unique: [['leftId'], ['rightId'], ['topId']],
      children: { items: { resource: 'deskItem', by: 'trayId', operations: ['list', 'create'] } },
    })
    const single = { resource: 'tray', single: true, operations: ['get'] } as const
    const desk = defineResource({
      name: 'desk',
      path: '/desks',
      fields: { id: id() },
      list: { style: 'page' },
      access: { list: user },
      children: {
        left: { ...single, by: 'leftId' },
        right: { ...single, by: 'rightId' },
        top: { ...single, by: 'topId' },
      },
    })
    const deep = documentOf(makeCatalog([...resources, desk, tray, item]))
    const ids = operationsOf(deep).map(({ operation }) => operation.operationId)
    assert.deepEqual(
      ids.filter((one, at) => ids.indexOf(one) !== at),
      [],
    )
    assert.equal(operationAt('get', `${apiPrefix}/desk-items`, deep).operationId, 'listDeskItems')
    assert.ok((await new Validator().validate(structuredClone(deep) as Record<string, unknown>)).valid)
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
