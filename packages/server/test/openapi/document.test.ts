/** The generated document is valid and complete, and it contains no hidden field or route. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { operationWords, pathsOf } from '../../src/endpoint/define-route.ts'
import { pluralLabelOf } from '../../src/openapi/schema-names.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { makeSummaryRoutes } from '../../src/rest/lists/summary-routes.ts'
import { makeRoutes, templateOf } from '../../src/rest/route.ts'
import { engineRoutes } from '../../src/service/engine-routes.ts'
import { resources } from '../application/resources/index.ts'
import {
  catalog,
  document,
  documentOf,
  type Operation,
  operationAt,
  operationsOf,
  parametersOf,
  resolved,
  resolveRef,
  schemaOf,
  settings,
  type Tree,
  walk,
} from './library-document.ts'

const operations = operationsOf()

describe('the document', () => {
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
    // hey-api and orval find nothing within a component.
    assert.deepEqual(
      refs.filter((ref) => !/^#\/components\/\w+\/[\w-]+$/.test(ref)),
      [],
    )
    assert.deepEqual(
      refs.filter((ref) => resolveRef(ref) === undefined),
      [],
    )
  })

  it('has no object of which generators of types would make one without members', () => {
    const says = ['properties', 'additionalProperties', 'propertyNames', 'if', 'allOf', 'anyOf']
    const isObject = ({ type }: Tree) => type === 'object' || (Array.isArray(type) && type.includes('object'))
    const silent = [...walk(document)].filter((node) => isObject(node) && !says.some((name) => name in node))
    assert.deepEqual(silent, [])
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
        operations.some(({ operation }) => (operation.security ?? document.security).some((one) => scheme in one)),
        scheme,
      )
    }
  })

  it('has every route, and nothing else at the mounts of resources', () => {
    const routes = [...makeRoutes(catalog), ...makeSummaryRoutes(catalog)]
    const routed = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const own = engineRoutes({ catalog, settings })
      .flatMap((subject) => subject.routes)
      .filter(operationWords)
      .flatMap((route) => pathsOf(route).map((path) => `${route.method} ${templateOf({ path })}`))
    const documented = operations.flatMap(({ key, path, item }) =>
      [path, ...(item['x-also-at'] ?? [])].map((one) => key.replace(path, one)),
    )
    assert.deepEqual(documented.toSorted(), [...routed, ...own].toSorted())
    const places = (name: string) => document.paths[`${apiPrefix}/auth/${name}`]?.['x-also-at']
    assert.deepEqual(places('login'), ['/auth/login'])
    assert.deepEqual(places('refresh'), ['/auth/refresh', `${apiPrefix}/auth/refresh-token`])
    assert.deepEqual(places('logout'), ['/auth/logout'])
  })

  it('names each operation once, and declares each tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted())
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]{0,63}$/)
    const tags = new Set(document.tags.map(({ name }) => name))
    for (const { operation, key } of operations)
      for (const tag of operation.tags) assert.ok(tags.has(tag), `${key}: ${tag}`)
  })

  it('declares each parameter of a path, and no parameter twice', () => {
    for (const { key, path, item, operation } of operations) {
      const names = parametersOf(operation, item).map((one) => `${one.in} ${one.name}`)
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
        const schema = document.components.schemas[resource.typeName + part] as Tree | undefined
        const { properties = {}, propertyNames } = (schema ?? {}) as {
          properties?: Tree
          propertyNames?: { enum: string[] }
        }
        const shown = [...Object.keys(properties), ...(propertyNames?.enum ?? [])]
        for (const name of hidden) assert.ok(!shown.includes(name), `${resource.name}.${name}`)
      }
      for (const name of hidden) {
        const own = operations.filter(({ operation }) => operation.tags.includes(pluralLabelOf(resource)))
        const parameters = own.flatMap(({ operation, item }) => parametersOf(operation, item))
        const named = parameters.filter((one) => JSON.stringify([one.name, one.schema]).includes(`"${name}"`))
        assert.deepEqual(named, [], `${resource.name}.${name}`)
      }
    }
  })

  it('has no schema when the resource has no operation', () => {
    assert.deepEqual(
      Object.keys(document.components.schemas).filter((name) => /^Renewal[A-Z]/.test(name)),
      [],
    )
    assert.ok(!JSON.stringify(document).includes('"hash"'))
    assert.ok(!JSON.stringify(document).includes('"usedAt"'))
  })

  it('is sent as write-only, or shown in the one answer that makes it', () => {
    const { properties, required } = schemaOf('MemberCreate')
    assert.deepEqual(properties.password, {
      type: 'string',
      format: 'password',
      writeOnly: true,
      maxLength: 1024,
      description: 'The password to log in with. 8 to 1024 bytes of UTF-8.',
    })
    assert.deepEqual(required, ['email', 'password'])
    assert.ok(!('key' in schemaOf('AccessKeyCreate').properties))
    const made = operationAt('post', `${apiPrefix}/access-keys`).responses['201']
    const { content } = resolved<Operation['responses'][string]>(made)
    assert.deepEqual(content?.['application/json']?.schema, { $ref: '#/components/schemas/AccessKeyCreated' })
    const { FactorChallenge: _, ...schemas } = document.components.schemas
    const shownKey = JSON.stringify({ ...document, components: { ...document.components, schemas } }).match(/"key":\{/g)
    assert.equal(shownKey?.length, 1)
  })
})
