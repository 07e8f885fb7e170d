/**
 * Each operation in the document: its bodies and records, the parameters of lists, the callers that
 * it allows, and its responses.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import {
  catalog,
  documentOf,
  type Operation,
  operationAt,
  parametersOf,
  schemaOf,
  settings,
} from './library-document.ts'

describe('records and bodies', () => {
  it('say what is read-only, nullable and embedded', () => {
    const { properties, required } = schemaOf('Loan')
    assert.deepEqual(properties.lines, {
      type: 'array',
      maxItems: 1000,
      description: 'Its lines, oldest first: 1,000 at most.',
      items: { $ref: '#/components/schemas/LoanLine' },
      readOnly: true,
    })
    const { description, ...cancelledAt } = properties.cancelledAt as Record<string, unknown>
    assert.equal(description, 'When this loan became CANCELLED; null unless it did.')
    assert.deepEqual(cancelledAt, {
      type: ['string', 'null'],
      format: 'date-time',
      maxLength: 40,
      readOnly: true,
    })
    // Members that `expand` adds are optional: they are present on request.
    assert.deepEqual(
      required,
      Object.keys(properties).filter((name) => name !== 'member' && name !== 'can'),
    )
  })

  const bodies = [
    { name: 'ShelfCreate', required: ['label', 'room'], properties: ['label', 'room', 'since'] },
    { name: 'ShelfReplace', required: ['label', 'room'], properties: ['label', 'room', 'since'] },
    { name: 'ShelfUpdate', required: undefined, properties: ['label', 'room', 'since'] },
    {
      name: 'EditionCreate',
      required: ['title', 'price'],
      properties: ['title', 'summary', 'subject', 'isbn', 'shelfId', 'available', 'copies', 'price', 'cost'],
    },
    {
      name: 'MemberReplace',
      required: ['email'],
      properties: ['email', 'password', 'name', 'role', 'status', 'currentPassword'],
    },
    { name: 'BasketLineCreate', required: ['editionId', 'count'], properties: ['editionId', 'count'] },
    { name: 'BasketLineUpdate', required: undefined, properties: ['count'] },
    { name: 'LetterCreate', required: ['recipientId', 'text'], properties: ['recipientId', 'text'] },
  ]
  for (const { name, required, properties } of bodies) {
    it(`${name} has ${properties.join(', ')}`, () => {
      const schema = schemaOf(name)
      assert.deepEqual(schema.required, required)
      assert.deepEqual(Object.keys(schema.properties), properties)
    })
  }

  it('merge-patch is for updates alone', () => {
    const typesOf = (method: string) =>
      Object.keys(operationAt(method, `${apiPrefix}/editions/{id}`).requestBody?.content ?? {})
    assert.deepEqual(typesOf('patch'), ['application/json', 'application/merge-patch+json'])
    assert.deepEqual(typesOf('put'), ['application/json'])
  })

  it('null is among the values of a nullable choice', () => {
    assert.deepEqual(schemaOf('MemberUpdate').properties.role?.enum, ['USER', 'EDITOR', 'ADMIN', null])
    assert.deepEqual(schemaOf('Member').properties.role?.enum, ['USER', 'EDITOR', 'ADMIN'])
  })
})

describe('lists', () => {
  const namesOf = (path: string) =>
    parametersOf(operationAt('get', path)).flatMap((one) => (one.in === 'query' ? [one.name] : []))

  it('take the parameters of their style', () => {
    const engine = ['page', 'limit', 'cursor', 'sort', 'fields', 'expand', 'q', 'filter']
    const of = (path: string) =>
      namesOf(path)
        .filter((name) => engine.includes(name))
        .sort()
    assert.deepEqual(of(`${apiPrefix}/editions`), [
      'cursor',
      'expand',
      'fields',
      'filter',
      'limit',
      'page',
      'q',
      'sort',
    ])
    assert.deepEqual(of(`${apiPrefix}/shelves`), ['expand', 'fields', 'filter', 'limit', 'page', 'sort'])
    assert.deepEqual(of(`${apiPrefix}/letters`), ['cursor', 'expand', 'fields', 'filter', 'limit', 'q'])
    // The others are told once, with the list.
    assert.deepEqual(of(`${apiPrefix}/editions/export`), ['fields', 'filter', 'sort'])
  })

  it('take named filters, and one parameter for every other filter', () => {
    const names = namesOf(`${apiPrefix}/editions`)
    for (const name of ['subject', 'available', 'minPrice', 'maxPrice', 'filter']) assert.ok(names.includes(name), name)
    assert.deepEqual(
      names.filter((name) => name.includes('[') || name === 'price'),
      [],
    )
    const filter = parametersOf(operationAt('get', `${apiPrefix}/editions`)).find(({ name }) => name === 'filter')
    assert.deepEqual(filter?.schema, { $ref: '#/components/schemas/Filter' })
    assert.equal((schemaOf('Filter') as { contentMediaType?: string }).contentMediaType, 'application/json')
  })

  it('say who may call them, by the rules of the whole path', () => {
    const who = (path: string) => (operationAt('get', path) as unknown as { description: string }).description
    assert.equal(
      who(`${apiPrefix}/members/{id}/loans`),
      'Allowed: the user in `id`, or role ADMIN (of the member in the path); and the user in `memberId`, or role EDITOR or higher.',
    )
    assert.equal(
      who(`${apiPrefix}/loans/{id}/lines`),
      'Allowed: the user in `memberId`, or role EDITOR or higher (of the record in `loanId`).',
    )
    assert.equal(who(`${apiPrefix}/editions/{id}/opinions`), 'Allowed: anyone.')
  })

  it('answer in the envelope of their style', () => {
    const membersOf = (name: string) => Object.keys(schemaOf(name).properties)
    assert.deepEqual(membersOf('EditionPage'), ['success', 'data', 'meta'])
    assert.deepEqual(membersOf('EditionCursorPage'), ['success', 'data', 'meta'])
    assert.deepEqual(membersOf('ShelfCollection'), ['data', 'count'])
    assert.deepEqual(membersOf('LetterCursorPage'), ['data', 'meta'])
    const meta = (name: string) => schemaOf(name).properties.meta?.$ref
    assert.equal(meta('EditionPage'), '#/components/schemas/PageMeta')
    assert.equal(meta('EditionCursorPage'), '#/components/schemas/CursorMeta')
    const { content } = operationAt('get', `${apiPrefix}/editions`).responses['200'] as Operation['responses'][string]
    // Generators of types read the schema alone; what else an answer may be stands beside it.
    const said = content?.['application/json'] as unknown as Record<string, { $ref?: string } & { $ref?: string }[]>
    assert.deepEqual(said.schema, { $ref: '#/components/schemas/EditionPage' })
    assert.equal(said['x-other-forms']?.[0]?.$ref, '#/components/schemas/EditionCursorPage')
  })
})

describe('who may', () => {
  const schemesOf = (operation: Operation) =>
    (operation.security ?? documentOf().security).map((one) => Object.keys(one)[0] ?? 'none')

  it('open routes take a credential or none, guarded ones need one, machine routes a key', () => {
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/editions`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/articles`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/editions`)), ['bearer', 'apiKeyHeader', 'apiKeyQuery'])
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/editions/export`)), ['apiKeyHeader', 'apiKeyQuery'])
  })

  it('follows the settings', () => {
    const closed = documentOf(catalog, { ...settings, signUp: 'closed' })
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/members`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/members`, closed)), [
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
  })

  const answers = [
    { route: 'get /api/v1/shelves', statuses: ['200', '304', '400', '401', '429', '500', 'default'] },
    { route: 'delete /api/v1/shelves/{id}', statuses: ['204', '400', '401', '404', '412', '429', '500', 'default'] },
    {
      route: 'post /api/v1/editions/{id}/opinions',
      statuses: ['201', '400', '401', '403', '404', '409', '429', '500', 'default'],
    },
    {
      route: 'get /api/v1/members/{id}',
      statuses: ['200', '304', '400', '401', '403', '404', '429', '500', 'default'],
    },
    {
      route: 'post /api/v1/members/{id}/basket/borrow',
      statuses: ['201', '400', '401', '403', '404', '409', '412', '429', '500', 'default'],
    },
  ]
  for (const { route, statuses: expected } of answers) {
    it(`${route} answers ${expected.join(', ')}`, () => {
      const [method = '', path = ''] = route.split(' ')
      assert.deepEqual(Object.keys(operationAt(method, path).responses), expected)
    })
  }
})
