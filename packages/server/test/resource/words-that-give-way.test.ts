/**
 * Reserved words that give way: a service whose resources, fields, relations and paths have these
 * names answers in REST, GraphQL, summaries, filters and to agents.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, id, reference, text } from '../../src/index.ts'
import { kebabOf } from '../../src/resource/words/names.ts'
import type { NamePosition } from '../../src/resource/words/reserve.ts'
import { reservedWords } from '../../src/resource/words/reserved-words.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { resources as library } from '../application/resources/index.ts'
import { declare } from '../mistakes/declaring.ts'

/** The words that work at a position. */
const working = (at: NamePosition) =>
  reservedWords.filter((row) => row.at === at && row.outcome !== undefined).map(({ word }) => word)
const access = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }
const record = (name: string, fields: object, more: object = {}) =>
  declare({
    name,
    path: `/${kebabOf(name)}-records`,
    fields: { id: id(), label: text(), ...fields },
    list: { style: 'page' },
    access,
    ...more,
  })
const typed = working('type')
  .map((type) => ({ type, name: `${type[0]?.toLowerCase()}${type.slice(1)}` }))
  .filter(({ name }) => !reservedWords.some(({ at, word }) => at === 'resource' && word === name))
const fieldWords = working('field')
const relationWords = working('relation')

describe('a reserved word that gives way works', () => {
  let service: TestService
  let other: { readonly id: string }
  const query = async (document: string) => {
    const { body, status, text: said } = await service.ask('POST', '/graphql', { body: { query: document } })
    assert.equal(body.errors, undefined, said)
    assert.equal(status, 200)
    return body.data
  }
  const made = async (path: string, body: object) => {
    const reply = await service.ask('POST', path, { body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  before(async () => {
    service = await startService(
      [
        ...library,
        // With changes the engine has types for subscriptions.
        ...typed.map(({ name }) => record(name, {}, { changes: true })),
        record('gauge', Object.fromEntries(fieldWords.map((word) => [word, text()])), {
          list: { style: 'page', sortable: fieldWords, search: fieldWords },
        }),
        record('other', {}, { children: { version: { resource: 'edge', by: 'otherId' } } }),
        record('edge', {
          ...Object.fromEntries(relationWords.map((word) => [`${word}Id`, reference('other')])),
          otherId: reference('other'),
        }),
        record('person', {}, { plural: 'you' }),
        record('self', {}, { path: '/me' }),
      ],
      { env: { DATABASE_URL: '', MCP: 'read' } },
    )
    other = await made('/api/v1/other-records', { label: 'other' })
  })
  after(() => service.stop())

  it('as the type of a resource', async () => {
    for (const { type, name } of typed) {
      const path = `/api/v1/${kebabOf(name)}-records`
      const { id: key } = await made(path, { label: type })
      const read = await service.ask('GET', `${path}?label=${type}`)
      assert.equal(read.body.data[0].id, key, type)
      const data = await query(`{ ${name}(id: "${key}") { __typename id label } }`)
      assert.deepEqual(data, { [name]: { __typename: type, id: key, label: type } })
    }
  })

  it('as a field', async () => {
    const path = '/api/v1/gauge-records'
    const values = Object.fromEntries(fieldWords.map((word) => [word, `of ${word}`]))
    const { id: key } = await made(path, values)
    await made(path, { label: 'another' })
    assert.partialDeepStrictEqual((await service.ask('GET', `${path}/${key}`)).body, values)
    for (const word of fieldWords) {
      const [value, filter] = [`of ${word}`, JSON.stringify({ [word]: { eq: `of ${word}` } })].map(encodeURIComponent)
      const found = async (asked: string) => (await service.ask('GET', `${path}${asked}`)).body.data
      for (const asked of [`?${word}=${value}`, `?${word}[eq]=${value}`, `?filter=${filter}`, `?sort=-${word}&limit=1`])
        assert.deepEqual((await found(asked)).map((one: { id: string }) => one.id).slice(0, 1), [key], asked)
      for (const asked of [`/summary?${word}[eq]=${value}`, `/summary?filter=${filter}`])
        assert.deepEqual(await found(asked), [{ count: 1 }], asked)
      const changed = await service.ask('PATCH', `${path}/${key}`, { body: { [word]: `new ${word}` } })
      assert.equal(changed.body[word], `new ${word}`)
    }
    const data = await query(`{ gauge(id: "${key}") { ${fieldWords.join(' ')} } }`)
    assert.equal(data.gauge.rowId, 'new rowId')
    assert.deepEqual(await query('{ gaugesSummary(filter: { sum: { eq: "new sum" } }) { count } }'), {
      gaugesSummary: [{ count: 1 }],
    })
  })

  it('as a relation', async () => {
    const ids = Object.fromEntries(relationWords.map((word) => [`${word}Id`, other.id]))
    const { id: key } = await made('/api/v1/edge-records', ids)
    const names = relationWords.map((word) => (word === 'version' || word === 'can' ? word : `${word}IdRecord`))
    const shown = await service.ask('GET', `/api/v1/edge-records/${key}?expand=${names}`)
    for (const name of names) assert.equal(shown.body[name].label, 'other', name)
    const filter = JSON.stringify({ and: names.map((name) => ({ [name]: { label: { eq: 'other' } } })) })
    const listed = await service.ask('GET', `/api/v1/edge-records?filter=${encodeURIComponent(filter)}`)
    assert.equal(listed.body.data.length, 1)
    const data = await query(
      `{ edge(id: "${key}") { ${names.map((name) => `${name} { label }`).join(' ')} _version _can { get } } }`,
    )
    assert.deepEqual([data.edge._version, data.edge._can.get], [1, true])
    for (const name of names) assert.deepEqual(data.edge[name], { label: 'other' })
    const pages = await query(
      `{ edges(filter: { and: [{ not: { notIdRecord: { label: { ne: "other" } } } }] }) { data { id } } }`,
    )
    assert.deepEqual(pages.edges.data, [{ id: key }])
  })

  it('as a child', async () => {
    const { id: key } = await made('/api/v1/edge-records', { otherId: other.id, label: 'below' })
    const below = await service.ask('GET', `/api/v1/other-records/${other.id}/version`)
    assert.deepEqual(
      below.body.data.map((one: { id: string }) => one.id),
      [key],
    )
    const data = await query(`{ edge(id: "${key}") { other { version { label } _version } } }`)
    assert.deepEqual(data.edge.other, { version: [{ label: 'below' }], _version: 1 })
  })

  it('as a path and a plural', async () => {
    const { id: key } = await made('/api/v1/me', { label: 'mine' })
    assert.equal((await service.ask('GET', `/api/v1/me/${key}`)).body.label, 'mine')
    assert.equal((await service.ask('GET', '/api/v1/me')).body.data.length, 1)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe', arguments: {} } }
    const headers = { accept: 'application/json, text/event-stream' }
    const { body } = await service.ask('POST', '/mcp', { body: call, headers })
    const told = JSON.parse(body.result.content[0].text)
    assert.equal(told._you, null)
    assert.ok(Array.isArray(told.you))
  })

  it('as a query of GraphQL', async () => {
    const { id: key } = await made('/api/v1/permissions-records', { label: 'granted' })
    const data = await query(`{ permissions(id: "${key}") { label } _permissions { resource } }`)
    assert.deepEqual(data.permissions, { label: 'granted' })
    assert.ok(data._permissions.some(({ resource }: { resource: string }) => resource === 'you'))
  })

  it('at each position that a row of the list has', () => {
    const tried: readonly NamePosition[] = ['type', 'field', 'relation', 'child', 'path', 'scope', 'filter', 'query']
    const rows = reservedWords.filter(({ outcome, at }) => outcome !== undefined && !tried.includes(at))
    assert.deepEqual(rows, [])
  })
})
