/**
 * Names in documents: no two schemas or operations share one, whatever the resources are called,
 * and each resource keeps its declared shape.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type GraphQLObjectType, printSchema } from 'graphql'
import { makeSchema } from '../../src/graphql/schema/make-schema.ts'
import { anyone, choice, defineResource, equals, id, integer, money, reference, text } from '../../src/index.ts'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { makeCatalog, type Resource } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { engineSchemas, schemaParts } from '../../src/resource/words/document-names.ts'
import { kebabOf } from '../../src/resource/words/names.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import { resources as library } from '../application/resources/index.ts'

const settings = { currency: 'USD', signUp: 'open' } as const
const access = { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone }

/** A resource of which everything is made that can be, with a field of its own. */
function thing(name: string, fields: Fields = {}, more: object = {}): DeclaredResource {
  return defineResource({
    name,
    path: `/${kebabOf(name)}-records`,
    fields: { id: id(), [`${name}Text`]: text({ required: true }), ...fields },
    list: { style: 'page', filterable: [`${name}Text`, ...Object.keys(fields)], bulk: true },
    access,
    ...more,
  } as never)
}

const things = (...names: readonly string[]) => names.map((name) => thing(name))
const review = (more: object = {}) =>
  thing(
    'review',
    { productId: reference('product') },
    { list: { style: 'page', filters: { productId: equals('productId') }, filterable: ['productId'] }, ...more },
  )

const sets: readonly (readonly [what: string, list: readonly DeclaredResource[]])[] = [
  ['a page and a resource', things('landing', 'landingPage')],
  ['the body of an update and a resource', things('order', 'orderUpdate', 'orderCreate', 'orderReplace', 'orderPart')],
  ['two that make the same', things('order', 'orderCursor', 'orderList', 'orderPage', 'orderPath', 'orderListSummary')],
  ['an enum, a list and a resource', [thing('price', { list: choice(['A', 'B']) }), thing('priceList')]],
  ['an enum and an enum', [thing('order', { itemKind: choice(['A']) }), thing('orderItem', { kind: choice(['B']) })]],
  ['scalars', [thing('money', { sum: money() }), thing('dateTime', { sum: money() })]],
  ['types of GraphQL', things('role', 'listMeta', 'text', 'textFilter', 'subscription', 'id')],
  ['inputs', things('order', 'createOrder', 'createOrderInput', 'orderFilter')],
  ['schemas of the engine', things('error', 'problem', 'summary', 'filter', 'names', 'login', 'anyPage', 'pageMeta')],
  ['answers of the engine', things('invalid', 'conflict', 'minimal', 'changed', 'graphql')],
  ['a plural that is a name', [thing('book'), thing('books'), thing('sheep', {}, { plural: 'sheep' })]],
  ['a query and a mutation', things('thing', 'createThing', 'deleteThing')],
  ['operations', things('thing', 'manyThings', 'currentThing')],
  ['names that differ in case', things('fooBar', 'foobar')],
  [
    'an argument of the path',
    [thing('product', {}, { children: { reviews: { resource: 'review', by: 'productId' } } }), review()],
  ],
  [
    'a list below and a list',
    [
      thing('product', {}, { children: { reviews: { resource: 'review', by: 'productId' } } }),
      review(),
      thing('productReview'),
    ],
  ],
  ['fields and relations', [thing('product', { reviewId: reference('review'), review: text() }), review({})]],
]

type Node = Record<string, never> & { readonly $ref?: string; readonly properties?: Record<string, unknown> }
type Document = {
  readonly paths: Record<
    string,
    Record<string, { operationId?: string; requestBody?: { content: Record<string, { schema: Node }> } }>
  >
  readonly components: Record<string, Record<string, Node>>
}

function checkDocument(list: readonly Resource[], document: Document): void {
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap((one) => one.operationId ?? []),
  )
  assert.deepEqual(
    ids.filter((one, at) => ids.indexOf(one) !== at),
    [],
  )
  for (const [, section = '', name = ''] of JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([^"]+)"/g))
    assert.ok(document.components[section]?.[name], `${section} ${name}`)
  const bodyAt = (path: string, method: string) => {
    let schema = document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema
    while (schema?.$ref) schema = document.components.schemas?.[schema.$ref.split('/').at(-1) as string]
    return Object.keys(schema?.properties ?? {})
  }
  for (const { path, fieldNames, idField } of list) {
    const own = fieldNames.filter((name) => name !== idField)
    for (const [at, method] of [
      ['', 'post'],
      ['/{id}', 'put'],
      ['/{id}', 'patch'],
    ] as const)
      assert.deepEqual(bodyAt(`/api/v1${path}${at}`, method), own, `${method} ${path}`)
  }
}

describe('names in documents', () => {
  for (const [what, declared] of sets)
    it(what, () => {
      const catalog = makeCatalog(declared)
      const list = [...catalog.resources.values()]
      checkDocument(list, makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })) as Document)
      const schema = makeSchema(catalog, settings)
      for (const { typeName, fieldNames, name, plural } of list) {
        const fields = (schema.getType(typeName) as GraphQLObjectType).getFields()
        assert.deepEqual(
          fieldNames.filter((one) => !fields[one]),
          [],
          typeName,
        )
        const queries = schema.getQueryType()?.getFields() ?? {}
        // A name that is another one's plural is the list; the record has its field all the same.
        const types = Object.values(queries).map((query) => query.type.toString())
        assert.equal(types.filter((type) => type === typeName).length, 1, name)
        assert.match(String(queries[plural]?.type), plural === name ? /^\w+$/ : /!$/)
        for (const kind of ['create', 'update', 'delete'])
          assert.equal(schema.getMutationType()?.getFields()[`${kind}${typeName}`]?.type.toString(), typeName)
      }
      assert.ok(printSchema(schema).length > 0)
    })

  it('of a summary give way to a resource', () => {
    const queries = makeSchema(makeCatalog(things('order', 'ordersSummary')), settings)
      .getQueryType()
      ?.getFields()
    assert.equal(String(queries?.ordersSummary?.type), 'OrdersSummary')
    assert.equal(String(queries?.orders_summary?.type), '[OrderListSummary!]!')
  })

  it('are the plain ones where nothing else has them', () => {
    const catalog = makeCatalog(things('landing', 'landingPage', 'order'))
    const { schemas = {} } = (makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })) as Document)
      .components
    for (const name of ['Landing', 'Landing_Page', 'LandingPage', 'LandingPagePage', 'OrderPage', 'LandingUpdate'])
      assert.ok(schemas[name], name)
    const [money_, moneys] = [thing('money', { sum: money({ required: true }), n: integer() }), 'Money']
    const schema = makeSchema(makeCatalog([money_]), settings)
    assert.match(printSchema(schema), /type Money \{[^}]*sum: Money_!/s)
    assert.equal(schema.getType(moneys)?.toString(), moneys)
  })

  it('of the engine are known to the names of resources', () => {
    const catalog = makeCatalog(library)
    const { schemas = {}, responses = {} } = (
      makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })) as Document
    ).components
    const made = [...catalog.resources.values()].flatMap(({ typeName }) =>
      ['', ...schemaParts].map((part) => typeName + part),
    )
    // Properties that several schemas share are named last, around all that are there.
    const isShared = (name: string) =>
      !('properties' in (schemas[name] ?? {})) && schemas[name]?.type !== ('object' as never)
    const own = [...Object.keys(schemas).filter((name) => !isShared(name)), ...Object.keys(responses)]
    assert.deepEqual(
      own.filter((name) => !made.includes(name) && !engineSchemas.has(name)),
      [],
    )
  })
})
