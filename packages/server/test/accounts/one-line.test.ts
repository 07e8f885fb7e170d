/**
 * Accounts from a one-line declaration work in every interface. Their tables have the columns of
 * existing data folders, and applications extend them without a copy.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { accounts, anyOf, choice, defineResources, operator, owner, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import {
  adminEmail,
  databaseOf,
  password,
  removeDatabase,
  removeFolder,
  startService,
  type TestPerson,
  type TestService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { runInProcess } from '../cli/in-process.ts'
import { resources } from './one-line-app.ts'

const v1 = '/api/v1'

describe('people by one line', () => {
  let service: TestService
  let ann: TestPerson
  before(async () => {
    service = await startService(resources)
    ann = await service.person()
  })
  after(() => service.stop())
  const ask: TestService['ask'] = (...given) => service.ask(...given)
  const mails = () =>
    readdirSync(join(service.folder, 'mail')).map((name) => readFileSync(join(service.folder, 'mail', name), 'utf8'))
  const eventsOf = async (id: string) => {
    const { token } = await service.admin()
    const { body } = await ask('GET', `${v1}/audit-events?userId=${id}&limit=100`, { token })
    return (body.data as { event: string }[]).map(({ event }) => event)
  }

  it('log in, refresh, and see where they are logged in', async () => {
    const { body } = await ask('POST', '/auth/login', { body: { email: ann.email, password } })
    const refreshed = await ask('POST', '/auth/refresh', { body: { refreshToken: body.refreshToken } })
    assert.equal(refreshed.status, 200, refreshed.text)
    const token = refreshed.body.accessToken
    const asked = { body: { query: '{ sessions { data { current userId user { email } } } }' }, token }
    const { sessions } = (await ask('POST', '/graphql', asked)).body.data
    assert.deepEqual(
      sessions.data.find(({ current }: { current: boolean }) => current),
      { current: true, userId: ann.id, user: { email: ann.email } },
    )
    const listed = await ask('GET', `${v1}/sessions`, { token })
    assert.equal(listed.body.data.length, 2)
    const other = listed.body.data.find(({ current }: { current: boolean }) => !current)
    assert.equal((await ask('DELETE', `${v1}/sessions/${other.id}`, { token })).status, 204)
    assert.equal((await ask('GET', `${v1}/notes`, { token: ann.token })).status, 401)
    ann.token = token
  })

  it('have keys, which are rotated', async () => {
    const { token } = ann
    const query = 'mutation { createApiKey(input: { name: "k", scopes: ["notes:read"] }) { id key prefix } }'
    const { id, key, prefix } = (await ask('POST', '/graphql', { body: { query }, token })).body.data.createApiKey
    assert.ok(key.startsWith(prefix) && prefix.startsWith('bk_'))
    assert.equal((await ask('GET', `${v1}/notes`, { key })).status, 200)
    assert.equal((await ask('POST', `${v1}/notes`, { key, body: { title: 'a' } })).status, 403)
    const rotated = await ask('POST', `${v1}/api-keys/${id}/rotate`, { body: {}, token })
    assert.equal(rotated.status, 201, rotated.text)
    assert.equal((await ask('GET', `${v1}/notes`, { key: rotated.body.key })).status, 200)
  })

  it('get a mail when they forget their password', async () => {
    assert.equal((await ask('POST', '/auth/forgot', { body: { email: ann.email } })).status, 202)
    service.turn(60_000)
    await service.sweep()
    const [, sent = ''] = /[?&]token=([\w-]+)/.exec(mails().join('\n')) ?? []
    const body = { token: sent, password: 'another long phrase' }
    assert.equal((await ask('POST', '/auth/reset', { body })).status, 204, mails().join('\n'))
    const back = await ask('POST', '/auth/login', { body: { email: ann.email, password: body.password } })
    assert.equal(back.status, 200, back.text)
    ann.token = back.body.accessToken
  })

  it('enrol a factor, which the next log-in asks for', async () => {
    const { token } = ann
    const sent = { type: 'totp', currentPassword: 'another long phrase', name: 'My phone' }
    const begun = await ask('POST', `${v1}/factors`, { body: sent, token })
    assert.equal(begun.status, 200, begun.text)
    const code = new TOTP({ secret: Secret.fromBase32(begun.body.secret) }).generate({ timestamp: service.now() })
    const ended = await ask('POST', `${v1}/factors/finish`, { body: { ticket: begun.body.ticket, code }, token })
    assert.equal(ended.status, 201, ended.text)
    const asked = await ask('POST', '/auth/login', { body: { email: ann.email, password: 'another long phrase' } })
    assert.deepEqual([asked.status, asked.body.next], [401, 'totp'])
  })

  it('are audited, which operators read', async () => {
    const events = await eventsOf(ann.id)
    for (const one of ['user-created', 'log-in', 'session-ended', 'key-created', 'key-rotated', 'password-reset'])
      assert.ok(events.includes(one), `${one} in ${events}`)
    assert.ok(events.includes('factor-added'))
    assert.equal((await ask('GET', `${v1}/audit-events`, { token: ann.token })).status, 403)
  })
})

describe('the command line of an application with people by one line', async () => {
  const folder = temporaryFolder()
  after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...(await databaseOf(folder)) }
  const main = join(import.meta.dirname, 'one-line-command.ts')

  it('makes users and keys, and ends sessions', async () => {
    const run = async (...args: string[]) => {
      const ran = await runInProcess({ main, args, env })
      assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stderr}`)
      return ran.stdout
    }
    await run('migrate')
    await run('user', 'create', '--email', adminEmail, '--role', 'ADMIN')
    assert.match(await run('key', 'create', '--user', adminEmail, '--name', 'k'), /bk_/)
    assert.match(await run('sessions', 'end', '--all'), /^0 sessions ended\.$/m)
    assert.match(await run('routes'), /\/api\/v1\/audit-events .*\n/)
  })
})

/**
 * The tables of data folders and databases that there are, as applications declared them by copies
 * before.
 */
const columns: Readonly<Record<string, string>> = {
  api_keys:
    'id userId name key prefix scopes addresses active expiresAt lastUsedAt lastUsedFrom rotatedAt createdAt; userId!',
  sessions: 'id userId userAgent address place createdAt lastUsedAt expiresAt factorAt; userId!',
  refresh_tokens: 'id sessionId hash usedAt; sessionId!',
  one_time_tokens: 'id userId purpose hash address expiresAt; userId!',
  outgoing_mails: 'id userId letter recipient detail languages tries dueAt; userId',
  factors: 'id userId type name key credential createdAt lastUsedAt; userId!',
  recovery_codes: 'id userId hash; userId!',
  audit_events: 'id at event userId actorId credential address userAgent details; userId actorId',
  linked_accounts: 'id userId issuer subject createdAt; userId!',
}

it('the tables have the names and columns that data folders have, and stand after those of the application', () => {
  const { resources: all } = makeCatalog(resources)
  const found = [...all.values()].map(({ table, storedNames, fields }) => {
    const references = storedNames.filter((name) => fields[name]?.reference)
    return [table, `${storedNames.join(' ')}; ${references.map((n) => (fields[n]?.nullable ? n : `${n}!`)).join(' ')}`]
  })
  assert.deepEqual(
    found.map(([table]) => table),
    ['notes', 'users', ...Object.keys(columns)],
  )
  assert.deepEqual(Object.fromEntries(found.slice(2)), columns)
})

describe('a table of the engine that is extended', () => {
  const roles = ['USER', 'ADMIN'] as const
  const people = accounts({
    roles,
    sessions: {
      name: 'visit',
      path: '/visits',
      fields: { trust: choice(['NEW', 'KNOWN'], { default: 'NEW' }), note: text({ maxLength: 20 }) },
      access: { update: owner('userId'), endOthers: false },
      list: { style: 'page', sortable: ['note'] },
    },
    keys: { prefix: 'shop_', access: { create: operator } },
    factors: { access: { update: owner('userId') } },
    audit: { path: '/history', access: { list: anyOf([owner('userId'), operator]), export: operator } },
    linkedAccounts: false,
  })
  let service: TestService
  let token = ''
  let id = ''
  before(async () => {
    service = await startService(defineResources([...people]))
    ;({ token, id } = await service.person())
  })
  after(() => service.stop())
  const ask: TestService['ask'] = (...given) => service.ask(...given)

  it('has another name and path, and fields that its owner sets', async () => {
    const { body } = await ask('GET', `${v1}/visits?sort=note`, { token })
    assert.deepEqual(
      body.data.map(({ trust, note, current }: Record<string, unknown>) => [trust, note, current]),
      [['NEW', null, true]],
    )
    const set = await ask('PATCH', `${v1}/visits/${body.data[0].id}`, { body: { note: 'At home' }, token })
    assert.deepEqual([set.status, set.body.note], [200, 'At home'])
    const query = '{ visits { data { note trust userId } } }'
    const asked = await ask('POST', '/graphql', { body: { query }, token })
    assert.deepEqual(asked.body.data.visits.data, [{ note: 'At home', trust: 'NEW', userId: id }])
    assert.equal((await ask('POST', `${v1}/visits/${body.data[0].id}/endOthers`, { body: {}, token })).status, 404)
    assert.equal((await ask('GET', `${v1}/sessions`, { token })).status, 404)
  })

  it('has rules in place of the engine’s', async () => {
    const mine = await ask('GET', `${v1}/history`, { token })
    assert.ok(mine.body.data.length > 0)
    assert.ok(mine.body.data.every(({ userId }: { userId: string }) => userId === id))
    assert.equal((await ask('POST', `${v1}/api-keys`, { body: { name: 'k' }, token })).status, 403)
    assert.match(await service.key(await service.admin()), /^shop_/)
  })

  it('is in the list under its own name, and what is not wanted is nowhere', async () => {
    assert.deepEqual([people.sessions.name, people.linkedAccounts], ['visit', undefined])
    assert.equal((await ask('GET', `${v1}/linked-accounts`, { token })).status, 404)
  })
})
