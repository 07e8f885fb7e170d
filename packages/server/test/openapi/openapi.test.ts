/** The generated document: valid, complete, silent about what is hidden, and the same as the committed one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { resources } from '../../../../apps/shop/resources/index.ts'
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
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { Settings } from '../../src/resource/rule.ts'
import { apiPrefix, makeRoutes } from '../../src/rest/route.ts'

type Tree = { readonly [name: string]: unknown }
type Parameter = { readonly name: string; readonly in: string; readonly schema: Tree; readonly explode?: boolean }
type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly Tree[]
  readonly parameters?: readonly Tree[]
  readonly requestBody?: { readonly content: Tree }
  readonly responses: Readonly<
    Record<string, { readonly headers?: Tree; readonly content?: Readonly<Record<string, { schema: Tree }>> }>
  >
}
type Schema = { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, Tree>> }
type Document = {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly responses: Tree }
}

const settings: Settings = { currency: 'USD', signUp: 'open' }
const goldenFile = new URL('../../../../apps/shop/openapi.json', import.meta.url)
const catalog = makeCatalog(resources)

function documentOf(declared = catalog, used = settings): Document {
  return makeOpenapi(declared, used) as Document
}

const document = documentOf()
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, path, operation })),
)

function operationAt(method: string, path: string, from: Document = document): Operation {
  const operation = from.paths[path]?.[method]
  assert.ok(operation, `${method} ${path}`)
  return operation
}

/** The value that a `#/…` reference names. */
function resolveRef(ref: string, from: Document = document): unknown {
  const parts = ref.replace('#/', '').split('/')
  return parts.reduce<unknown>(
    (node, part) => (node as Tree | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
    from,
  )
}

function parametersOf(operation: Operation): readonly Parameter[] {
  return (operation.parameters ?? []).map(
    (one) => (typeof one.$ref === 'string' ? resolveRef(one.$ref) : one) as Parameter,
  )
}

function* walk(node: unknown): Generator<Tree> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield node as Tree
  for (const child of Object.values(node)) yield* walk(child)
}

function schemaOf(name: string): Schema {
  const schema = document.components.schemas[name]
  assert.ok(schema, name)
  return schema
}

describe('the document', () => {
  it('is the committed one; `npm run golden` writes it anew', () => {
    assert.equal(readFileSync(goldenFile, 'utf8'), `${JSON.stringify(document, null, 2)}\n`)
  })

  it('is the same each time', () => {
    assert.equal(JSON.stringify(documentOf(makeCatalog(resources))), JSON.stringify(document))
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>)
    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    assert.equal(validator.version, '3.1')
  })

  it('has references that all resolve', () => {
    const refs = [...walk(document)].flatMap((node) => (typeof node.$ref === 'string' ? [node.$ref] : []))
    assert.ok(refs.length > 0)
    assert.deepEqual(
      refs.filter((ref) => resolveRef(ref) === undefined),
      [],
    )
  })

  it('uses every component', () => {
    const refs = [...walk(document)].flatMap((node) => (typeof node.$ref === 'string' ? [node.$ref] : []))
    const { securitySchemes, ...sections } = document.components as Record<string, Tree>
    const names = Object.entries(sections).flatMap(([section, nodes]) =>
      Object.keys(nodes).map((name) => `#/components/${section}/${name}`),
    )
    assert.deepEqual(
      names.filter((name) => !refs.some((ref) => ref === name || ref.startsWith(`${name}/`))),
      [],
    )
    for (const scheme of Object.keys(securitySchemes as Tree)) {
      assert.ok(
        operations.some(({ operation }) => operation.security.some((one) => scheme in one)),
        scheme,
      )
    }
  })

  it('has every route, and nothing else at the mounts of resources', () => {
    const routed = makeRoutes(catalog).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const beside = ['/auth/', '/graphql', '/livez', '/readyz', '/openapi.json']
    const documented = operations.filter(
      ({ path }) => !beside.some((start) => path.replace(apiPrefix, '').startsWith(start)),
    )
    assert.deepEqual(documented.map(({ key }) => key).sort(), routed.sort())
    for (const path of ['login', 'refresh', 'logout'].flatMap((name) => [`/auth/${name}`, `${apiPrefix}/auth/${name}`]))
      operationAt('post', path)
    operationAt('post', `${apiPrefix}/auth/refresh-token`)
  })

  it('names each operation once, and declares each tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted())
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]*$/)
    const tags = new Set(document.tags.map(({ name }) => name))
    for (const { operation, key } of operations)
      for (const tag of operation.tags) assert.ok(tags.has(tag), `${key}: ${tag}`)
  })

  it('declares each parameter of a path, and no parameter twice', () => {
    for (const { key, path, operation } of operations) {
      const names = parametersOf(operation).map((one) => `${one.in} ${one.name}`)
      assert.equal(new Set(names).size, names.length, key)
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => `path ${match[1]}`)
      assert.deepEqual(
        names.filter((name) => name.startsWith('path ')),
        wanted,
        key,
      )
    }
  })
})

describe('what is hidden', () => {
  it('is in no record, parameter or part', () => {
    for (const resource of catalog.resources.values()) {
      const hidden = resource.fieldNames.filter((name) => resource.fields[name]?.hidden)
      for (const part of ['', 'Part']) {
        const schema = document.components.schemas[resource.typeName + part]
        for (const name of hidden) assert.ok(!schema || !(name in schema.properties), `${resource.name}.${name}`)
      }
      for (const name of hidden) {
        const prefix = `${resource.typeName}_`
        const parameters = Object.entries(
          (document.components as Record<string, Tree>).parameters as Record<string, Parameter>,
        )
        const named = parameters.filter(
          ([key, one]) => key.startsWith(prefix) && JSON.stringify([one.name, one.schema]).includes(`"${name}"`),
        )
        assert.deepEqual(named, [], `${resource.name}.${name}`)
      }
    }
  })

  it('has no schema when the resource has no operation', () => {
    assert.deepEqual(
      Object.keys(document.components.schemas).filter((name) => /^RefreshToken[A-Z]/.test(name)),
      [],
    )
    assert.ok(!JSON.stringify(document).includes('"hash"'))
    assert.ok(!JSON.stringify(document).includes('"usedAt"'))
  })

  it('is sent as write-only, or shown in the one answer that makes it', () => {
    const { properties, required } = schemaOf('UserCreate')
    assert.deepEqual(properties.password, {
      type: 'string',
      format: 'password',
      writeOnly: true,
      description: '8 to 1024 bytes of UTF-8.',
    })
    assert.deepEqual(required, ['email', 'password'])
    assert.ok(!('key' in schemaOf('ApiKeyCreate').properties))
    const content = operationAt('post', `${apiPrefix}/api-keys`).responses['201']?.content
    assert.deepEqual(content?.['application/json']?.schema, { $ref: '#/components/schemas/ApiKeyCreated' })
    const shownKey = JSON.stringify(document).match(/"key":\{/g)
    assert.equal(shownKey?.length, 1)
  })
})

describe('records and bodies', () => {
  it('say what is read-only, nullable and embedded', () => {
    const { properties, required } = schemaOf('Order')
    assert.deepEqual(properties.items, {
      type: 'array',
      items: { $ref: '#/components/schemas/OrderItem' },
      readOnly: true,
    })
    assert.deepEqual(properties.cancelledAt, { type: ['string', 'null'], format: 'date-time', readOnly: true })
    assert.deepEqual(required, Object.keys(properties))
  })

  const bodies = [
    { name: 'BookCreate', required: ['title', 'author'], properties: ['title', 'author', 'year'] },
    { name: 'BookReplace', required: ['title', 'author'], properties: ['title', 'author', 'year'] },
    { name: 'BookUpdate', required: undefined, properties: ['title', 'author', 'year'] },
    {
      name: 'ProductCreate',
      required: ['name', 'price'],
      properties: ['name', 'description', 'category', 'inStock', 'stock', 'price'],
    },
    { name: 'UserReplace', required: ['email'], properties: ['email', 'password', 'name', 'role', 'status'] },
    { name: 'CartItemCreate', required: ['productId', 'quantity'], properties: ['productId', 'quantity'] },
    { name: 'CartItemUpdate', required: undefined, properties: ['quantity'] },
    { name: 'MessageCreate', required: ['recipientId', 'text'], properties: ['recipientId', 'text'] },
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
      Object.keys(operationAt(method, `${apiPrefix}/products/{id}`).requestBody?.content ?? {})
    assert.deepEqual(typesOf('patch'), ['application/json', 'application/merge-patch+json'])
    assert.deepEqual(typesOf('put'), ['application/json'])
  })

  it('null is among the values of a nullable choice', () => {
    assert.deepEqual(schemaOf('UserUpdate').properties.role?.enum, ['USER', 'EDITOR', 'ADMIN', null])
    assert.deepEqual(schemaOf('User').properties.role?.enum, ['USER', 'EDITOR', 'ADMIN'])
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
    assert.deepEqual(of(`${apiPrefix}/products`), ['cursor', 'fields', 'limit', 'page', 'q', 'sort'])
    assert.deepEqual(of(`${apiPrefix}/books`), ['fields', 'limit', 'page', 'sort'])
    assert.deepEqual(of('/messages'), ['cursor', 'fields', 'limit', 'q'])
    assert.deepEqual(of(`${apiPrefix}/products/export`), ['fields', 'q', 'sort'])
  })

  it('take named filters, fields and operators', () => {
    const names = namesOf(`${apiPrefix}/products`)
    for (const name of [
      'category',
      'inStock',
      'minPrice',
      'maxPrice',
      'price',
      'price[gte]',
      'name[startsWith]',
      'stock[null]',
      'createdAt[lt]',
    ]) {
      assert.ok(names.includes(name), name)
    }
    assert.ok(!names.includes('price[contains]'))
    assert.equal(names.filter((name) => name === 'category').length, 1)
  })

  it('say who may by the rules of the whole path', () => {
    const who = (path: string) => (operationAt('get', path) as unknown as { description: string }).description
    assert.equal(
      who(`${apiPrefix}/users/{id}/orders`),
      'Who may: the user in `id`, or role ADMIN (of the user in the path); and the user in `userId`, or role EDITOR or higher.',
    )
    assert.equal(
      who(`${apiPrefix}/orders/{id}/items`),
      'Who may: the user in `userId`, or role EDITOR or higher (of the record in `orderId`).',
    )
    assert.equal(who(`${apiPrefix}/products/{id}/reviews`), 'Who may: anyone.')
  })

  it('answer in the envelope of their style', () => {
    const members = (path: string) => {
      const schema = operationAt('get', path).responses['200']?.content?.['application/json']?.schema as Schema
      return Object.keys(schema.properties)
    }
    assert.deepEqual(members(`${apiPrefix}/products`), ['success', 'data', 'meta'])
    assert.deepEqual(members('/books'), ['data', 'count'])
    assert.deepEqual(members('/messages'), ['data', 'meta'])
  })
})

describe('who may', () => {
  const schemesOf = (operation: Operation) => operation.security.map((one) => Object.keys(one)[0] ?? 'none')

  it('open routes take a credential or none, guarded ones need one, machine routes a key', () => {
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/products`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/posts`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/products`)), ['bearer', 'apiKeyHeader', 'apiKeyQuery'])
    assert.deepEqual(schemesOf(operationAt('get', `${apiPrefix}/products/export`)), ['apiKeyHeader', 'apiKeyQuery'])
  })

  it('follows the settings', () => {
    const closed = documentOf(catalog, { ...settings, signUp: 'closed' })
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/users`)), [
      'none',
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
    assert.deepEqual(schemesOf(operationAt('post', `${apiPrefix}/users`, closed)), [
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
    ])
  })

  const answers = [
    { route: 'get /api/v1/books', statuses: ['200', '400', '401', '406', '429', '500', '503'] },
    { route: 'delete /books/{id}', statuses: ['204', '400', '401', '404', '406', '412', '429', '500', '503'] },
    {
      route: 'post /api/v1/products/{id}/reviews',
      statuses: ['201', '400', '401', '403', '404', '406', '409', '413', '415', '429', '500', '503'],
    },
    {
      route: 'get /api/v1/users/{id}',
      statuses: ['200', '304', '400', '401', '403', '404', '406', '429', '500', '503'],
    },
    {
      route: 'post /api/v1/users/{id}/cart/checkout',
      statuses: ['201', '400', '401', '403', '404', '406', '409', '412', '413', '415', '429', '500', '503'],
    },
  ]
  for (const { route, statuses: expected } of answers) {
    it(`${route} answers ${expected.join(', ')}`, () => {
      const [method = '', path = ''] = route.split(' ')
      assert.deepEqual(Object.keys(operationAt(method, path).responses), expected)
    })
  }
})

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
    assert.equal(schema?.properties.note?.description, 'Shown to role ADMIN.')
  })

  it('is valid too', async () => {
    const { valid } = await new Validator().validate(structuredClone(other) as Record<string, unknown>)
    assert.ok(valid)
  })
})
