/**
 * The types that `bindery types` writes when a resource's name looks like another part of the
 * document.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, defineResource, id, textList } from '../../src/index.ts'
import { makeOpenapi } from '../../src/openapi/make-openapi.ts'
import { printTypes } from '../../src/openapi/print-types.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'

test('a field called as a part of a schema has the type of the field', () => {
  const house = defineResource({
    name: 'house',
    path: '/houses',
    fields: { id: id(), properties: textList() },
    list: { style: 'page' },
    access: { list: anyone, create: anyone, replace: anyone },
  })
  const ground = { catalog: makeCatalog([house]), settings: { currency: 'USD', signUp: 'open' } as const }
  const document = makeOpenapi(ground.catalog, ground.settings, engineRoutes(ground))
  const shared = '#/components/schemas/HouseProperties'
  assert.ok(JSON.stringify(document).includes(`{"$ref":"${shared}"}`))
  assert.match(printTypes(document), /properties\?: components\['schemas'\]\['HouseProperties'\]\n/)
  assert.match(printTypes(document), /^ {4}HouseProperties: string\[\] \| null$/m)
})

test('a union in a list has parentheses, whatever it begins with', () => {
  const link = { type: 'object', properties: { id: { type: 'string' }, note: { type: ['string', 'null'] } } }
  const tag = { $ref: '#/components/schemas/Tag' }
  const listOf = (items: object) => ({ type: 'array', items })
  const schemas = {
    Object: listOf({ ...link, properties: { a: { anyOf: [tag, { type: 'null' }] } } }),
    First: listOf({ anyOf: [link, tag] }),
    Last: listOf({ anyOf: [tag, link] }),
    Both: { allOf: [{ anyOf: [link, tag] }, tag] },
    Word: listOf({ type: 'string', enum: ['a|b'] }),
    Open: listOf({ ...link, additionalProperties: { type: 'string' } }),
    Lists: listOf(listOf({ anyOf: [link, tag] })),
    Tag: { type: 'string' },
  }
  const printed = printTypes({ components: { schemas }, paths: {} }).replace(/\s+/g, ' ')
  const tagType = "components['schemas']['Tag']"
  const linkType = '{ id?: string note?: string | null }'
  for (const line of [
    `Object: { a?: ${tagType} | null }[]`,
    `First: (${linkType} | ${tagType})[]`,
    `Last: (${tagType} | ${linkType})[]`,
    `Both: (${linkType} | ${tagType}) & ${tagType}`,
    `Word: 'a|b'[]`,
    `Open: (${linkType} & Record<string, string>)[]`,
    `Lists: (${linkType} | ${tagType})[][]`,
  ])
    assert.ok(printed.includes(line), `${line} is not in ${printed}`)
})
