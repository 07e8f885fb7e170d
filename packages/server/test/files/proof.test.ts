/**
 * Identity × record × field: bytes are served exactly where the record shows the field, also by
 * HEAD and by range. Each cell asks the record first, and then its files.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  allOf,
  anyOf,
  anyone,
  choice,
  type DeclaredResource,
  defineResource,
  defineTenancy,
  file,
  files,
  id,
  member,
  owner,
  reference,
  role,
  roleField,
  user,
  where,
} from '../../src/index.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const held = {
  plain: file(),
  many: files({ max: 2 }),
  mine: file({ read: owner('ownerId') }),
  edited: file({ read: role('EDITOR') }),
  open: file({ read: where({ state: 'PUBLISHED' }) }),
}
const common = {
  id: id(),
  ownerId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
  state: choice(['DRAFT', 'PUBLISHED'], { default: 'DRAFT' }),
  ...held,
}
const names = Object.keys(held) as (keyof typeof held)[]

const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id() },
  list: { style: 'page' },
  access: { read: user, create: user },
})
const memberships = defineResource({
  name: 'membership',
  path: '/memberships',
  fields: {
    id: id(),
    clubId: reference('club', { required: true, onDelete: 'delete' }),
    userId: reference('user', { required: true, onDelete: 'delete' }),
    role: roleField({ default: 'PLAYER' }),
  },
  list: { style: 'page' },
  access: { read: member(), create: member('COACH') },
})
const events = defineResource({
  name: 'event',
  path: '/events',
  tenant: 'clubId',
  fields: { ...common, clubId: reference('club', { required: true, onDelete: 'delete' }) },
  list: { style: 'page' },
  access: {
    read: anyOf([member('COACH'), allOf([member(), where({ state: 'PUBLISHED' })])]),
    write: member('COACH'),
  },
})
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: common,
  list: { style: 'page' },
  access: {
    list: anyone,
    get: anyOf([owner('ownerId'), where({ state: 'PUBLISHED' }), role('ADMIN')]),
    create: user,
    update: user,
  },
})
const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'COACH', 'OWNER'],
})
const resources = [
  ...accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], keys: true }),
  clubs,
  memberships,
  events,
  notes,
  tenancy,
]

let service: TestService
const callers = new Map<string, AskOptions>()
const records: string[] = []

async function filled(path: string, person: TestPerson, values: object): Promise<void> {
  const made = await service.ask('POST', `/api/v1${path}`, { body: values, token: person.token })
  assert.equal(made.status, 201, made.text)
  const address = `/api/v1${path}/${made.body.id}`
  // The maker is a coach and an editor for these writes, so each field takes its file.
  for (const name of names) {
    const sent = { raw: Buffer.from(`${name} of ${made.body.id}`), type: 'text/plain', token: person.token }
    const reply = await service.ask(name === 'many' ? 'POST' : 'PUT', `${address}/${name}`, sent)
    const isKnown = reply.status < 300 || (name === 'open' && reply.status === 403)
    assert.ok(isKnown, `${name}: ${reply.text}`)
  }
  records.push(address)
}

before(async () => {
  service = await startService(resources as unknown as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  const { ask } = service
  const [coach, player, stranger] = [
    await service.person('EDITOR'),
    await service.person(),
    await service.person('EDITOR'),
  ]
  const admin = await service.admin()
  const made = async (person: TestPerson) =>
    (await ask('POST', '/api/v1/clubs', { body: {}, token: person.token })).body.id
  const [clubId, other] = [await made(coach), await made(stranger)]
  const joined = { clubId, userId: player.id }
  assert.equal((await ask('POST', '/api/v1/memberships', { body: joined, token: coach.token })).status, 201)
  for (const state of ['DRAFT', 'PUBLISHED']) {
    await filled('/events', coach, { clubId, state })
    await filled('/events', stranger, { clubId: other, state })
    await filled('/notes', coach, { state })
  }
  callers.set('nobody', {})
  for (const [name, { token }] of Object.entries({ coach, player, stranger, admin })) {
    callers.set(name, { token })
    callers.set(`${name} in the club`, { token, headers: { 'x-tenant': clubId } })
    callers.set(`${name} in the other club`, { token, headers: { 'x-tenant': other } })
  }
  callers.set('a key of the coach', { key: await service.key(coach, { name: 'k', scopes: ['events:read'] }) })
  callers.set('a bad token', { token: 'x' })
})
after(() => service.stop())

type Shown = { readonly url: string; readonly sha256: string }

async function cell(address: string, by: AskOptions) {
  const record = await service.ask('GET', address, by)
  const shownOf = (name: string): readonly Shown[] =>
    record.status === 200 && Object.hasOwn(record.body, name) ? [record.body[name] ?? []].flat() : []
  for (const name of names) {
    const shown = shownOf(name)
    const urls = name === 'many' ? await listOf(address) : [`${address}/${name}`]
    for (const url of urls) {
      const isShown = shown.some((one) => one.url === url)
      const signed = await signedOf(address, { name, url, by })
      const whole = await service.ask('GET', url, by)
      const head = await service.ask('HEAD', url, by)
      const part = await service.ask('GET', url, { ...by, headers: { ...by.headers, range: 'bytes=0-3' } })
      const expected = isShown ? [200, 200, 206] : Array(3).fill(record.status === 200 ? 404 : record.status)
      assert.deepEqual([whole.status, head.status, part.status], expected, `${url}: ${whole.text}`)
      const about = `${name} of ${address.split('/').at(-1)}`
      assert.equal(signed, isShown ? about : undefined, `${url} by _sign`)
      if (isShown) assert.deepEqual([whole.text, part.text], [about, about.slice(0, 4)])
      else for (const one of [whole, head, part]) assert.ok(!one.text.includes(about) && !one.headers.get('etag'))
      if (isShown && by.token === undefined && by.key === undefined)
        assert.match(whole.headers.get('cache-control') ?? '', /^public/)
      else assert.doesNotMatch(whole.headers.get('cache-control') ?? '', /public/)
    }
  }
}

type AskedSign = { readonly name: string; readonly url: string; readonly by: AskOptions }

/** The bytes at the signed address of this file, where a read with `_sign` shows one. */
async function signedOf(address: string, { name, url, by }: AskedSign): Promise<string | undefined> {
  const read = await service.ask('GET', `${address}?_sign=${name}`, by)
  if (read.status !== 200) return undefined
  assert.equal(read.headers.get('cache-control'), 'no-store')
  const found = [read.body[name] ?? []].flat().find((one) => one.url.split('?')[0] === url)
  if (!found) return undefined
  const bytes = await service.ask('GET', found.url)
  assert.equal(bytes.status, 200, bytes.text)
  return bytes.text
}

/** The addresses of the files in a list, as its record has them. */
async function listOf(address: string): Promise<string[]> {
  const { storage, catalog } = service.service.engine
  const [, , , path, recordId] = address.split('/')
  const resource = catalog.get(path === 'events' ? 'event' : 'note')
  const found = await storage.find(resource, { kind: 'compare', field: 'id', operator: 'eq', value: String(recordId) })
  return (found?.row.many as readonly { id: string }[]).map((one) => `${address}/many/${one.id}`)
}

describe('bytes are served where the field is shown', () => {
  it('to every caller, of every record', async () => {
    assert.equal(records.length, 6)
    let shown = 0
    for (const by of callers.values())
      for (const address of records) {
        await cell(address, by)
        shown += 1
      }
    assert.equal(shown, callers.size * 6)
  })
})
