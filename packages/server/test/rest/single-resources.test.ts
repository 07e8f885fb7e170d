/** Resources with one record (`single: true`): every door, first access, and what is refused. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  boolean,
  type DeclaredResource,
  defineResource,
  id,
  integer,
  role,
  text,
  textList,
  timestamp,
  user,
} from '../../src/index.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const settings = defineResource({
  name: 'settings',
  path: '/settings',
  single: true,
  fields: {
    id: id(),
    title: text({ default: 'My site', maxLength: 40 }),
    isOpen: boolean({ default: true }),
    tags: textList(),
    quota: integer({ default: 10, min: 1, increment: true }),
    note: text({ read: role('ADMIN'), write: role('ADMIN') }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  history: { keep: 5 },
  hooks: { beforeUpdate: ({ sent }) => (sent.title === 'shout' ? { title: 'SHOUT' } : undefined) },
  access: { read: user, write: role('ADMIN') },
})
const path = '/api/v1/settings'

describe('a resource with one record', () => {
  let own: TestService
  let ann: TestPerson
  let admin: TestPerson
  before(async () => {
    own = await startService([...people, settings] as readonly DeclaredResource[], {
      env: { RATE_LIMIT: '', MCP: 'write' },
    })
    ;[ann, admin] = [await own.person(), await own.person('ADMIN')]
  })
  after(() => own.stop())
  const ask = (method: string, at: string, who: object | undefined, body?: unknown, headers = {}) =>
    own.ask(method, `${path}${at}`, { ...who, body, headers })

  it('exists from its defaults for the first of many requests', async () => {
    assert.equal((await ask('GET', '', undefined)).status, 401)
    const dry = await ask('PATCH', '', admin, { title: 'Dry' }, { prefer: 'dry-run' })
    assert.equal(dry.status, 200, dry.text)
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask('GET', '', ann)))
    assert.equal(new Set(replies.map((one) => one.text)).size, 1)
    const { id: only, updatedAt, ...values } = replies[0]?.body ?? {}
    assert.equal(typeof only, 'string')
    assert.equal(typeof updatedAt, 'string')
    assert.deepEqual(values, { title: 'My site', isOpen: true, tags: [], quota: 10 })
    assert.equal((await ask('GET', '', admin)).body.id, only)
    assert.equal((await ask('GET', '', admin)).body.note, null)
  })

  it('is changed and replaced under its rules, with versions', async () => {
    const read = await ask('GET', '', ann)
    const etag = read.headers.get('etag') as string
    assert.equal((await ask('GET', '', ann, undefined, { 'if-none-match': etag })).status, 304)
    assert.equal((await ask('PATCH', '', ann, { title: 'Mine' })).status, 403)
    const changed = await ask('PATCH', '', admin, { title: 'shout', note: 'n', quota: { increment: 2 } })
    assert.deepEqual([changed.status, changed.body.title, changed.body.quota], [200, 'SHOUT', 12], changed.text)
    assert.equal((await ask('PATCH', '', admin, { quota: 3 }, { 'if-match': etag })).status, 412)
    assert.equal((await ask('PATCH', '', admin, { quota: 0 })).status, 400)
    assert.equal((await ask('PATCH', '', ann, { note: 'x' })).status, 403)
    assert.equal(JSON.stringify((await ask('GET', '', ann)).body).includes('note'), false)
    const replaced = await ask('PUT', '', admin, { isOpen: false })
    assert.deepEqual(
      [replaced.status, replaced.body.title, replaced.body.isOpen, replaced.body.quota, replaced.body.note],
      [200, 'My site', false, 10, null],
    )
    const { body } = await ask('GET', '/history', admin)
    assert.deepEqual(
      body.data.map((one: Record<string, unknown>) => [one.historyVersion, one.title]),
      [
        [3, 'My site'],
        [2, 'SHOUT'],
        [1, 'My site'],
      ],
    )
    assert.equal((await ask('GET', '/history', ann)).status, 403)
    const reverted = await ask('POST', '/revert', admin, { historyVersion: 2 })
    assert.deepEqual([reverted.status, reverted.body.title, reverted.body.quota], [200, 'SHOUT', 12])
  })

  it('has no list, no create and no delete', async () => {
    for (const [method, at] of [
      ['POST', ''],
      ['DELETE', ''],
      ['GET', '/export'],
      ['POST', '/import'],
      ['GET', '/summary'],
    ] as const) {
      const { status } = await ask(method, at, admin)
      assert.ok(status === 404 || status === 405, `${method} ${at}: ${status}`)
    }
    const only = (await ask('GET', '', admin)).body.id
    assert.equal((await ask('GET', `/${only}`, admin)).status, 404)
  })

  it('by GraphQL, batch and MCP', async () => {
    const graphql = (query: string, who: TestPerson) => own.ask('POST', '/graphql', { body: { query }, ...who })
    const read = await graphql('{ settings { title quota isOpen } }', ann)
    assert.deepEqual(read.body, { data: { settings: { title: 'SHOUT', quota: 12, isOpen: true } } })
    const written = await graphql('mutation { updateSettings(input: { title: "G" }) { title } }', admin)
    assert.deepEqual(written.body, { data: { updateSettings: { title: 'G' } } })
    const refused = await graphql('mutation { updateSettings(input: { title: "H" }) { title } }', ann)
    assert.equal(refused.body.errors[0].extensions.code, 'FORBIDDEN')
    const past = await graphql('{ settingsHistory { data { historyVersion } } }', admin)
    assert.equal(past.body.data.settingsHistory.data[0].historyVersion, 5, past.text)
    const operations = [
      { method: 'PATCH', path: '/settings', body: { quota: 7 } },
      { method: 'GET', path: '/settings?fields=quota' },
    ]
    const batch = await own.ask('POST', '/api/v1/batch', { body: { operations }, ...admin })
    assert.equal(batch.body.data[1].body.quota, 7, batch.text)
    const call = async (name: string, args: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const headers = { accept: 'application/json, text/event-stream' }
      return JSON.parse((await own.ask('POST', '/mcp', { body, headers, ...admin })).body.result.content[0].text)
    }
    assert.equal((await call('update', { path: 'settings', values: { quota: 8 } })).record.quota, 8)
    const described = await call('describe', { resource: 'settings' })
    assert.deepEqual(described.paths.slice(0, 3), ['get settings', 'update settings', 'act settings/revert'])
  })

  it('is told to front ends and in documents', async () => {
    const { body } = await own.ask('GET', '/api/v1/_resources/settings', { ...admin })
    const { single, path: at, operations, fields, name } = body.data ?? body
    assert.deepEqual([name, single, at], ['settings', true, '/settings'])
    assert.deepEqual(operations, ['revert', 'get', 'replace', 'update'])
    assert.equal(JSON.stringify(fields).includes('_single'), false)
    const document = (await own.ask('GET', '/openapi.json')).body
    const paths = Object.keys(document.paths).filter((one) => one.includes('settings'))
    assert.deepEqual(paths.sort(), [
      '/api/v1/settings',
      '/api/v1/settings/history',
      '/api/v1/settings/history/difference',
      '/api/v1/settings/history/summary',
      '/api/v1/settings/history/{item_id}',
      '/api/v1/settings/revert',
    ])
    assert.deepEqual(Object.keys(document.paths['/api/v1/settings']).sort(), ['get', 'patch', 'put'])
    assert.equal(document.paths['/api/v1/settings'].get.summary, 'Get the settings')
    const { policy, catalog } = own.service.engine
    const { visible } = policy.visibleFields(consolePrincipal(catalog), catalog.get('settings'))
    assert.deepEqual([visible.has('note'), visible.has('_single')], [true, false], 'what the command line exports')
  })
})
