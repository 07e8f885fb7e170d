/**
 * openapi.json matches the shop's declarations. Each route is compared with the bodies that it
 * accepts, the callers that it allows, and its responses.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { printed } from '../helpers/printed.ts'

type Operation = { readonly description: string; readonly security?: readonly object[]; readonly responses: object }
type Schema = { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, unknown>> }
type Document = {
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const text = await printed('openapi')
const document: Document = JSON.parse(text)

/** `get /books` */
function operationOf(route: string, from = document): Operation {
  const [method = '', path = ''] = route.split(' ')
  const operation = from.paths[path]?.[method]
  assert.ok(operation, route)
  return operation
}

describe("the shop's document", () => {
  it('is the committed one; `npm run golden` writes it anew', () =>
    assert.equal(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'), text))

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(text))
    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    assert.equal(validator.version, '3.1')
  })

  it('knows nothing of refresh tokens', () => {
    const schemas = Object.keys(document.components.schemas)
    assert.deepEqual(
      schemas.filter((name) => /^RefreshToken[A-Z]/.test(name)),
      [],
    )
    for (const name of ['"hash"', '"usedAt"']) assert.ok(!text.includes(name), name)
  })
})

describe("the shop's bodies", () => {
  const bodies = [
    { name: 'BookCreate', required: ['title', 'author'], properties: ['title', 'author', 'year'] },
    { name: 'BookReplace', required: ['title', 'author'], properties: ['title', 'author', 'year'] },
    { name: 'BookUpdate', required: undefined, properties: ['title', 'author', 'year'] },
    {
      name: 'ProductCreate',
      required: ['name', 'price'],
      properties: ['name', 'description', 'category', 'inStock', 'stock', 'price', 'image'],
    },
    {
      name: 'UserCreate',
      required: ['email', 'password'],
      properties: ['email', 'password', 'name', 'role', 'status'],
    },
    {
      name: 'UserReplace',
      required: ['email'],
      properties: ['email', 'password', 'name', 'role', 'status', 'currentPassword'],
    },
    { name: 'CartItemCreate', required: ['productId', 'quantity'], properties: ['productId', 'quantity'] },
    { name: 'CartItemUpdate', required: undefined, properties: ['quantity'] },
    { name: 'MessageCreate', required: ['recipientId', 'text'], properties: ['recipientId', 'text'] },
  ]
  for (const { name, required, properties } of bodies) {
    it(`${name} has ${properties.join(', ')}`, () => {
      const schema = document.components.schemas[name]
      assert.deepEqual(schema?.required, required)
      assert.deepEqual(Object.keys(schema?.properties ?? {}), properties)
    })
  }
})

describe("the shop's routes", () => {
  const schemesOf = (route: string, from = document) =>
    (operationOf(route, from).security ?? from.security).map((one) => Object.keys(one)[0] ?? 'none')
  const keys = ['apiKeyHeader', 'apiKeyQuery']

  it('say who may', () => {
    const sentences = [
      [
        'get /api/v1/users/{id}/orders',
        'Allowed: the user in `id`, or role ADMIN (of the user in the path); and the user in `userId`, or role EDITOR or higher.',
      ],
      [
        'get /api/v1/orders/{id}/items',
        'Allowed: the user in `userId`, or role EDITOR or higher (of the record in `orderId`).',
      ],
      ['get /api/v1/products/{id}/reviews', 'Allowed: anyone.'],
    ] as const
    for (const [route, sentence] of sentences) assert.equal(operationOf(route).description, sentence)
  })

  it('say so of every operation on records', () => {
    const apart =
      /^\/(graphql|livez|readyz|openapi\.json)|^\/api\/v1\/(auth\/|_operate\/|_uploads|factors$|factors\/(finish|recovery-codes)$)/
    const silent = Object.entries(document.paths)
      .filter(([path]) => !apart.test(path))
      .flatMap(([path, item]) => Object.entries(item).map(([method, one]) => ({ route: `${method} ${path}`, one })))
      .filter(({ one }) => one.responses !== undefined && !one.description?.includes('Allowed: '))
    assert.deepEqual(
      silent.map(({ route }) => route),
      [],
    )
  })

  it('are open, guarded, or for machines', () => {
    for (const route of ['get /api/v1/products', 'get /api/v1/posts', 'post /api/v1/users'])
      assert.deepEqual(schemesOf(route), ['none', 'bearer', ...keys], route)
    assert.deepEqual(schemesOf('post /api/v1/products'), ['bearer', ...keys])
    assert.deepEqual(schemesOf('get /api/v1/products/export'), keys)
  })

  it('follow the settings', async () => {
    const closed: Document = JSON.parse(await printed('openapi', { SIGN_UP: 'closed' }))
    assert.deepEqual(schemesOf('post /api/v1/users', closed), ['bearer', ...keys])
  })

  const answers = [
    { route: 'get /api/v1/books', statuses: ['200', '304', '400', '401', '429', '500', 'default'] },
    { route: 'delete /api/v1/books/{id}', statuses: ['204', '400', '401', '404', '412', '429', '500', 'default'] },
    {
      route: 'post /api/v1/products/{id}/reviews',
      statuses: ['201', '400', '401', '403', '404', '409', '429', '500', 'default'],
    },
    { route: 'get /api/v1/users/{id}', statuses: ['200', '304', '400', '401', '403', '404', '429', '500', 'default'] },
    {
      route: 'post /api/v1/users/{id}/cart/checkout',
      statuses: ['201', '400', '401', '403', '404', '409', '412', '429', '500', 'default'],
    },
  ]
  for (const { route, statuses } of answers) {
    it(`${route} answers ${statuses.join(', ')}`, () =>
      assert.deepEqual(Object.keys(operationOf(route).responses), statuses))
  }
})
