/** Import and export are machine routes: only an API key of an EDITOR or higher opens them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, type Scenario, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
let key: string
const at = '/api/v1/products'
const type = 'application/x-ndjson'

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
  key = await service.key(editor)
})
after(() => service.stop())

test('only the key of an EDITOR opens them', async (t) => {
  const admin = await service.admin()
  const user = await service.person()
  const [adminKey, userKey] = [await service.key(admin), await service.key(user)]
  const reading = await service.key(editor, { scopes: ['products:read'] })
  const writing = await service.key(editor, { scopes: ['products:import'] })
  const other = await service.key(editor, { scopes: ['orders:*'] })
  const asleep = await service.key(editor, { active: false })
  const expired = await service.key(editor, { expiresAt: '2020-01-01T00:00:00Z' })
  const line = { raw: '{"name":"x","price":1,"bogus":1}', type }
  const routes: [string, object][] = [
    [`GET ${at}/export`, {}],
    [`POST ${at}/import`, line],
  ]
  const required = 'API key required'
  for (const [ask, send] of routes) {
    const scenario = (it: string, more: object, status: number, error?: string): Scenario => ({
      it,
      ask,
      send: { ...send, ...more },
      status,
      error,
    })
    await check(t, service.ask, [
      scenario('nobody', {}, 401, required),
      scenario('a token alone', { token: editor.token }, 401, required),
      scenario('the token of an ADMIN', { token: admin.token }, 401, required),
      scenario(
        'an unknown key',
        { key: `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}` },
        401,
        'Invalid API key',
      ),
      scenario('no key', { key: 'nonsense' }, 401, 'Invalid API key'),
      scenario('a key that sleeps', { key: asleep }, 401, 'Invalid API key'),
      scenario('a key of the past', { key: expired }, 401, 'Invalid API key'),
      scenario('the key of a USER', { key: userKey }, 403, 'Insufficient permissions'),
      scenario(
        'the key of a USER beside a good token',
        { key: userKey, token: admin.token },
        403,
        'Insufficient permissions',
      ),
      scenario('a key of other scopes', { key: other }, 403, 'Insufficient permissions'),
      scenario('the key of an ADMIN', { key: adminKey }, 200),
      scenario('a bad token alone', { token: 'bad' }, 401, required),
      scenario('no Bearer', { headers: { authorization: 'Basic eDp5' } }, 401, required),
      scenario('a bad token beside a good key', { key: adminKey, token: 'bad' }, 200),
      scenario('a bad token beside a bad key', { key: 'nonsense', token: 'bad' }, 401, 'Invalid API key'),
    ])
  }
  await check(t, service.ask, [
    { it: 'a reading key exports', ask: `GET ${at}/export`, send: { key: reading }, status: 200 },
    { it: 'a reading key does not import', ask: `POST ${at}/import`, send: { ...line, key: reading }, status: 403 },
    { it: 'an importing key imports', ask: `POST ${at}/import`, send: { ...line, key: writing }, status: 200 },
    { it: 'an importing key does not export', ask: `GET ${at}/export`, send: { key: writing }, status: 403 },
    { it: 'the parameter', ask: `GET ${at}/export?api_key=${key}`, status: 200 },
    { it: 'two keys', ask: `GET ${at}/export?api_key=${adminKey}`, send: { key }, status: 400 },
  ])
  const unauthorized = await service.ask('GET', `${at}/export`)
  assert.ok(unauthorized.headers.get('www-authenticate'))
  assert.equal((await service.ask('GET', `${at}/export`, { key })).text, '', 'nothing was stored')
})
