/** The document of an application with files: bodies as forms, bytes, and signed addresses. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { DeclaredResource } from '../../src/index.ts'
import { printTypes } from '../../src/openapi/print-types.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { resources } from '../files/file-resources.ts'
import { type Document, documentOf, operationAt, type Parameter, type Tree } from './library-document.ts'

const document: Document = documentOf(makeCatalog(resources as readonly DeclaredResource[]))

const formOf = (method: string, path: string) => {
  const media = operationAt(method, path, document).requestBody?.content['multipart/form-data'] as Tree | undefined
  type Form = { $ref?: string; allOf?: Form[]; required?: string[]; properties: Record<string, Tree> }
  const form = media?.schema as Form | undefined
  const shared = [form?.$ref, form?.allOf?.[0]?.$ref]
    .find((one) => one !== undefined)
    ?.split('/')
    .at(-1)
  const schemas = document.components.schemas as unknown as Record<string, Form>
  return shared === undefined ? form : ({ ...schemas[shared], ...form } as Form)
}

it('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>)
  assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
})

it('describes forms of records with files, and no others', () => {
  const bytes = { type: 'string', format: 'binary' }
  for (const [method, path] of [
    ['post', '/api/v1/things'],
    ['put', '/api/v1/things/{id}'],
    ['patch', '/api/v1/things/{id}'],
  ] as const) {
    const { photo, papers, title } = formOf(method, path)?.properties ?? {}
    assert.deepEqual([photo?.type, photo?.format, title?.type], ['string', 'binary', 'string'])
    assert.deepEqual([papers?.type, papers?.items, papers?.maxItems], ['array', bytes, 3])
  }
  assert.deepEqual(formOf('post', '/api/v1/sheets')?.required, ['boxId', 'scan'])
  assert.deepEqual(Object.keys(formOf('post', '/api/v1/boxes/{id}/leaves')?.properties ?? {}), ['scan'])
  const others = Object.entries(document.paths).filter(([path]) => !/things|boxes|sheets|posters/.test(path))
  assert.ok(others.length > 0 && !JSON.stringify(others).includes('multipart/form-data'))
  assert.match(printTypes(document), /'multipart\/form-data': FormData/)
})

it('describes bytes by the types that the field takes', () => {
  const { content = {} } = operationAt('put', '/api/v1/things/{id}/photo', document).requestBody ?? {}
  assert.deepEqual(Object.keys(content), ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])
  const read = operationAt('get', '/api/v1/things/{id}/manual', document).responses['200']?.content
  assert.deepEqual(Object.keys(read ?? {}), ['application/pdf', 'text/plain'])
})

it('describes _sign on reads of records with files', () => {
  const signing = (path: string) =>
    operationAt('get', path, document).parameters?.find((one) => (one as Parameter).name === '_sign') as
      | Parameter
      | undefined
  const names = ['photo', 'manual', 'papers', 'secret', 'own']
  for (const path of ['/api/v1/things', '/api/v1/things/{id}'])
    assert.deepEqual((signing(path)?.schema.items as Tree).enum, names)
  assert.ok(signing('/api/v1/boxes/{id}/leaves'))
  assert.equal(signing('/api/v1/things/summary'), undefined)
})
