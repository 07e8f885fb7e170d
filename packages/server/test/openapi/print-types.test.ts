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
