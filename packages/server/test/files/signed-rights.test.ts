/** Signed addresses whose signer, tenant or record is not what it was when they were asked for. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  accounts,
  choice,
  type DeclaredResource,
  defineResource,
  defineTenancy,
  file,
  id,
  member,
  operator,
  owner,
  reference,
  roleField,
  password as secret,
  text,
  user,
} from '../../src/index.ts'
import { password, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: secret({ required: true }),
    role: roleField({ default: 'USER', write: operator }),
    status: choice(['ACTIVE', 'SUSPENDED'], { default: 'ACTIVE', write: operator }),
  },
  identity: {
    kind: 'login',
    login: 'email',
    secret: 'password',
    role: 'role',
    status: 'status',
    activeStatus: 'ACTIVE',
  },
  list: { style: 'page' },
  access: { create: operator, update: operator },
})
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
  access: { read: member(), create: member('COACH'), delete: member('COACH') },
})
const plans = defineResource({
  name: 'plan',
  path: '/plans',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { required: true, onDelete: 'delete' }), sheet: file() },
  list: { style: 'page' },
  access: { read: member(), write: member() },
})
const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: {
    id: id(),
    title: text({ maxLength: 80 }),
    scan: file(),
    ownerId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
  },
  list: { style: 'page' },
  trash: { days: 30 },
  access: {
    read: owner('ownerId'),
    create: user,
    update: owner('ownerId'),
    delete: owner('ownerId'),
    restore: owner('ownerId'),
  },
})
const tenancy = defineTenancy('club', {
  members: 'membership',
  user: 'userId',
  role: 'role',
  roles: ['PLAYER', 'COACH', 'OWNER'],
})
const resources = [
  ...accounts({ roles: ['USER', 'ADMIN'], users, keys: true, erasure: true }),
  clubs,
  memberships,
  plans,
  letters,
  tenancy,
]

let service: TestService
let admin: TestPerson

before(async () => {
  service = await startService(resources as unknown as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  admin = await service.admin()
})
after(() => service.stop())

async function ask(method: string, path: string, by: Parameters<TestService['ask']>[2]) {
  const answer = await service.ask(method, path.startsWith('/api') ? path : `/api/v1${path}`, by)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body
}

const sheet = { raw: Buffer.from('a letter'), type: 'text/plain' }
const linkOf = async (path: string, by: object) => (await ask('POST', `${path}/_link`, by)).url as string
const signedOf = async (path: string, name: string, by: object) =>
  (await ask('GET', `${path}?_sign=${name}`, by))[name].url as string

async function letter(person: TestPerson): Promise<string> {
  const { id: made } = await ask('POST', '/letters', { body: { title: 'A' }, token: person.token })
  await ask('PUT', `/letters/${made}/scan`, { ...sheet, token: person.token })
  return `/letters/${made}`
}

/** The statuses of both kinds of addresses, which nothing may tell apart. */
async function statuses(urls: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(urls.map((url) => fetch(`${service.url}${url}`)))
  return answers.map(({ status }) => status)
}

async function both(path: string, name: string, by: object): Promise<readonly string[]> {
  const urls = [await linkOf(`${path}/${name}`, by), await signedOf(path, name, by)]
  assert.deepEqual(await statuses(urls), [200, 200])
  return urls
}

it('those of a suspended user are refused, and good again with the user', async () => {
  const ann = await service.person()
  const urls = await both(await letter(ann), 'scan', { token: ann.token })
  const status = async (value: string) =>
    ask('PATCH', `/users/${ann.id}`, { body: { status: value }, token: admin.token })
  await status('SUSPENDED')
  assert.deepEqual(await statuses(urls), [403, 403])
  await status('ACTIVE')
  assert.deepEqual(await statuses(urls), [200, 200])
})

it('a record in the trash is not found, and is served when it comes back', async () => {
  const ann = await service.person()
  const path = await letter(ann)
  const urls = await both(path, 'scan', { token: ann.token })
  await ask('DELETE', path, { token: ann.token })
  assert.deepEqual(await statuses(urls), [404, 404])
  await ask('POST', `${path}/restore`, { token: ann.token })
  assert.deepEqual(await statuses(urls), [200, 200])
})

it('an erased user has none', async () => {
  const ann = await service.person()
  const urls = await both(await letter(ann), 'scan', { token: ann.token })
  const body = { resource: 'users', id: ann.id, currentPassword: password }
  await ask('POST', '/_erasures', { body, token: admin.token })
  assert.deepEqual(await statuses(urls), [403, 403])
})

it('those by a key keep its scopes, and end with its user', async () => {
  const ann = await service.person()
  const path = await letter(ann)
  const key = await service.key(ann, { name: 'k', scopes: ['letters:read'] })
  const urls = await both(path, 'scan', { key })
  const other = await service.key(ann, { name: 'o', scopes: ['plans:read'] })
  for (const asked of [
    await service.ask('POST', `/api/v1${path}/scan/_link`, { key: other }),
    await service.ask('GET', `/api/v1${path}?_sign=scan`, { key: other }),
  ])
    assert.equal(asked.status, 403, asked.text)
  await ask('PATCH', `/users/${ann.id}`, { body: { status: 'SUSPENDED' }, token: admin.token })
  assert.deepEqual(await statuses(urls), [403, 403])
})

it('a member who has left serves nothing of the tenant', async () => {
  const [coach, player] = [await service.person(), await service.person()]
  const { id: clubId } = await ask('POST', '/clubs', { body: {}, token: coach.token })
  const joined = { clubId, userId: player.id }
  const { id: membership } = await ask('POST', '/memberships', { body: joined, token: coach.token })
  const { id: plan } = await ask('POST', '/plans', { body: { clubId }, token: player.token })
  await ask('PUT', `/plans/${plan}/sheet`, { ...sheet, token: player.token })
  const named = { token: player.token, headers: { 'x-tenant': clubId } }
  const urls = [
    ...(await both(`/plans/${plan}`, 'sheet', { token: player.token })),
    ...(await both(`/plans/${plan}`, 'sheet', named)),
  ]
  await ask('DELETE', `/memberships/${membership}`, { token: coach.token })
  for (const status of await statuses(urls)) assert.ok([403, 404].includes(status), String(status))
  await ask('POST', '/memberships', { body: joined, token: coach.token })
  assert.deepEqual(await statuses(urls), [200, 200, 200, 200])
})
