/** Each operation in the document: its bodies and records, the parameters of lists, who may call it, and its responses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiPrefix } from '../../src/rest/route.ts'
import {
  catalog,
  documentOf,
  type Operation,
  operationAt,
  parametersOf,
  type Schema,
  schemaOf,
  settings,
} from './library-document.ts'

describe('records and bodies', () => {
  it('say what is read-only, nullable and embedded', () => {
    const { properties, required } = schemaOf('Loan')
    assert.deepEqual(properties.lines, {
      type: 'array',
      items: { $ref: '#/components/schemas/LoanLine' },
      readOnly: true,
    })
    assert.deepEqual(properties.cancelledAt, { type: ['string', 'null'], format: 'date-time', readOnly: true })
    assert.deepEqual(required, Object.keys(properties))
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
    { name: 'MemberReplace', required: ['email'], properties: ['email', 'password', 'name', 'role', 'status'] },
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
    const engine = ['page', 'limit', 'cursor', 'sort', 'fields', 'q']
    const of = (path: string) =>
      namesOf(path)
        .filter((name) => engine.includes(name))
        .sort()
    assert.deepEqual(of(`${apiPrefix}/editions`), ['cursor', 'fields', 'limit', 'page', 'q', 'sort'])
    assert.deepEqual(of(`${apiPrefix}/shelves`), ['fields', 'limit', 'page', 'sort'])
    assert.deepEqual(of('/letters'), ['cursor', 'fields', 'limit', 'q'])
    assert.deepEqual(of(`${apiPrefix}/editions/export`), ['fields', 'q', 'sort'])
  })

  it('take named filters, fields and operators', () => {
    const names = namesOf(`${apiPrefix}/editions`)
    for (const name of [
      'subject',
      'available',
      'minPrice',
      'maxPrice',
      'price',
      'price[gte]',
      'title[startsWith]',
      'copies[null]',
      'createdAt[lt]',
    ]) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(!names.includes('price[contains]'))
    assert.equal(names.filter((name) => name === 'subject').length, 1)
  })

  it('say who may call them, by the rules of the whole path', () => {
    const who = (path: string) => (operationAt('get', path) as unknown as { description: string }).description
    assert.equal(
      who(`${apiPrefix}/members/{id}/loans`),
      'Who may: the user in `id`, or role ADMIN (of the member in the path); and the user in `memberId`, or role EDITOR or higher.',
    )
    assert.equal(
      who(`${apiPrefix}/loans/{id}/lines`),
      'Who may: the user in `memberId`, or role EDITOR or higher (of the record in `loanId`).',
    )
    assert.equal(who(`${apiPrefix}/editions/{id}/opinions`), 'Who may: anyone.')
  })

  it('answer in the envelope of their style', () => {
    const members = (path: string) => {
      const schema = operationAt('get', path).responses['200']?.content?.['application/json']?.schema as Schema
      return Object.keys(schema.properties)
    }
    assert.deepEqual(members(`${apiPrefix}/editions`), ['success', 'data', 'meta'])
    assert.deepEqual(members('/shelves'), ['data', 'count'])
    assert.deepEqual(members('/letters'), ['data', 'meta'])
  })
})

describe('who may', () => {
  const schemesOf = (operation: Operation) => operation.security.map((one) => Object.keys(one)[0] ?? 'none')

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
    { route: 'get /api/v1/shelves', statuses: ['200', '304', '400', '401', '406', '429', '500', '503'] },
    {
      route: 'delete /shelves/{id}',
      statuses: ['204', '400', '401', '404', '406', '409', '412', '422', '429', '500', '503'],
    },
    {
      route: 'post /api/v1/editions/{id}/opinions',
      statuses: ['201', '400', '401', '403', '404', '406', '409', '413', '415', '422', '429', '500', '503'],
    },
    {
      route: 'get /api/v1/members/{id}',
      statuses: ['200', '304', '400', '401', '403', '404', '406', '429', '500', '503'],
    },
    {
      route: 'post /api/v1/members/{id}/basket/borrow',
      statuses: ['201', '400', '401', '403', '404', '406', '409', '412', '413', '415', '422', '429', '500', '503'],
    },
  ]
  for (const { route, statuses: expected } of answers) {
    it(`${route} answers ${expected.join(', ')}`, () => {
      const [method = '', path = ''] = route.split(' ')
      assert.deepEqual(Object.keys(operationAt(method, path).responses), expected)
    })
  }
})
