/**
 * Erasures by the API: an operator with a session and a proof of identity, and no other caller. A
 * dry run counts, and a refusal counts the records that refer.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  type DeclaredResource,
  defineResource,
  id,
  integerId,
  reference,
  text,
  user,
} from '../../src/index.ts'
import { password, startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'], keys: true, erasure: true })
const open = { read: user, create: user, update: user, delete: user }
const list = { style: 'page' } as const
const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: { id: integerId(), body: text(), writerId: reference('user', { setBy: 'principal', onDelete: 'delete' }) },
  history: { keep: 9 },
  trash: { days: 30 },
  list,
  access: { ...open, restore: user },
})
const stamps = defineResource({
  name: 'stamp',
  path: '/stamps',
  fields: { id: id(), letterId: reference('letter', { required: true, onDelete: 'refuse' }) },
  list,
  access: { read: user, create: user },
})
const service = await startService([...people, letters, stamps] as readonly DeclaredResource[])
after(() => service.stop())
const [ann, boss] = [await service.person(), await service.admin()]

type Asked = {
  readonly as?: Pick<TestPerson, 'token'>
  readonly body?: unknown
  readonly dry?: boolean
  readonly key?: string
}
const ask = (method: string, path: string, { as = ann, body, dry, key }: Asked = {}) =>
  service.ask(method, `/api/v1${path}`, {
    ...(key === undefined ? { token: as.token } : { key }),
    ...(body !== undefined && { body }),
    ...(dry && { headers: { prefer: 'dry-run' } }),
  })
const erase = (body: object, more: Asked = {}) => ask('POST', '/_erasures', { as: boss, body, ...more })
async function letter(): Promise<number> {
  const { body } = await ask('POST', '/letters', { body: { body: 'secret' } })
  await ask('PATCH', `/letters/${body.id}`, { body: { body: 'more secret' } })
  return body.id
}
const proof = { currentPassword: password }
const events = async () => (await ask('GET', '/audit-events?event=erased', { as: boss })).body.data ?? []

describe('an erasure by the API', () => {
  it('counts first, and then erases with a proof, which the audit names', async () => {
    const of = await letter()
    const named = { resource: 'letters', id: String(of) }
    const counted = await erase(named, { dry: true })
    assert.deepEqual([counted.status, counted.headers.get('preference-applied')], [200, 'dry-run'], counted.text)
    assert.deepEqual(counted.body.records, { letter: 1, letterVersion: 2 })
    assert.equal((await ask('GET', `/letters/${of}`)).status, 200)
    assert.equal((await events()).length, 0)
    const refused = await erase(named)
    assert.deepEqual([refused.status, refused.body.error], [403, 'currentPassword is required'])
    const wrong = await erase({ ...named, currentPassword: 'not the password' })
    assert.deepEqual([wrong.status, wrong.body.error], [403, 'currentPassword is wrong'])
    assert.equal((await ask('GET', `/letters/${of}`)).status, 200)
    const erased = await erase({ ...named, ...proof })
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual(erased.body, counted.body)
    assert.equal((await ask('GET', `/letters/${of}`)).status, 404)
    assert.equal((await ask('GET', `/letters/${of}?_trash=only`)).status, 404)
    assert.equal((await erase({ ...named, ...proof })).status, 404)
    const [event] = await events()
    assert.deepEqual([event?.actorId, JSON.stringify(event?.details ?? []).includes('letter')], [boss.id, true])
  })

  it('reaches a record in the trash', async () => {
    const of = await letter()
    assert.equal((await ask('DELETE', `/letters/${of}`)).status, 204)
    const erased = await erase({ resource: 'letters', id: String(of), ...proof })
    assert.equal(erased.status, 200, erased.text)
    assert.equal((await ask('GET', `/letters/${of}?_trash=only`)).status, 404)
  })

  it('is refused with the words of a delete where records refer to it', async () => {
    const of = await letter()
    for (let i = 0; i < 2; i += 1) await ask('POST', '/stamps', { body: { letterId: of } })
    const deleted = await ask('DELETE', `/letters/${of}`, { as: boss })
    assert.deepEqual([deleted.status, deleted.body.error], [409, 'This letter cannot be deleted: 2 stamps refer to it'])
    for (const dry of [true, false]) {
      const refused = await erase({ resource: 'letters', id: String(of), ...proof }, { dry })
      assert.deepEqual([refused.status, refused.body], [409, deleted.body])
    }
  })

  it('is for operators with a session of their own', async () => {
    const of = String(await letter())
    const named = { resource: 'letters', id: of, ...proof }
    assert.equal((await erase(named, { as: ann })).status, 403)
    assert.equal((await service.ask('POST', '/api/v1/_erasures', { body: named })).status, 401)
    const key = await ask('POST', '/api-keys', { as: boss, body: { name: 'all' } })
    assert.equal(key.status, 201, key.text)
    const byKey = await erase(named, { key: key.body.key ?? key.body.token })
    assert.deepEqual([byKey.status, byKey.body.error], [403, 'Log in: this needs a session of your own'])
    assert.equal((await erase({ resource: 'letter-versions', id: of, ...proof })).status, 400)
    assert.equal((await erase({ resource: 'nothing', id: of, ...proof })).status, 400)
    assert.equal((await erase({ resource: 'letters', id: 'x', ...proof })).status, 404)
    assert.equal((await erase({ resource: 'letters' })).status, 400)
    assert.equal((await ask('GET', '/_resources', { as: boss })).body.erases, true)
    assert.equal((await ask('GET', '/_resources')).body.erases, false)
  })

  it('of the last operator is refused, and of a user takes the letters', async () => {
    assert.equal((await erase({ resource: 'users', id: boss.id, ...proof })).status, 409)
    const guest = await service.person()
    await ask('POST', '/letters', { as: guest, body: { body: 'mine' } })
    const erased = await erase({ resource: 'users', id: guest.id, ...proof })
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual([erased.body.records.user, erased.body.records.letter], [1, 1])
    assert.equal((await ask('GET', '/letters', { as: guest })).status, 401)
  })
})

it('is not there where no declaration asks for it', async () => {
  const plain = await startService([...accounts({ roles: ['USER', 'ADMIN'] })] as readonly DeclaredResource[])
  try {
    const { token } = await plain.admin()
    assert.equal((await plain.ask('POST', '/api/v1/_erasures', { token, body: {} })).status, 404)
    assert.ok(!('erases' in (await plain.ask('GET', '/api/v1/_resources', { token })).body))
    assert.ok(!('/api/v1/_erasures' in (await plain.ask('GET', '/openapi.json')).body.paths))
  } finally {
    await plain.stop()
  }
})
