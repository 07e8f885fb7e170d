/**
 * A service with a club, and a coach of it who comes through every door of writes. The coach may
 * lose each of its rights. The tests say when.
 */
import assert from 'node:assert/strict'
import {
  accounts,
  anyOf,
  choice,
  defineAction,
  defineResource,
  defineResources,
  id,
  member,
  operator,
  owner,
  password,
  reference,
  roleField,
  text,
  user,
} from '../../src/index.ts'
import { all } from '../../src/resource/condition.ts'
import { startService, type TestPerson, type TestResponse } from '../../src/testing/index.ts'
import { memberships, teamMembers, teams, tenancy } from '../clubhouse/clubhouse.ts'
import { openWire, type WireAnswer } from '../helpers/wire.ts'
export const api = '/api/v1'
/** A hook of notes waits here, in the transaction of its write. */
export const gate: { pass(): Promise<undefined> } = { pass: async () => undefined }

const self = anyOf([owner('id'), operator])
const users = defineResource({
  name: 'user',
  path: '/users',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
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
  access: { list: operator, create: operator, get: self, update: self, delete: self },
})
const clubs = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { read: user, create: user },
  children: { notes: { resource: 'note', by: 'clubId' } },
})
const coach = member('COACH')
const noteFields = {
  id: id(),
  clubId: reference('club', { required: true, onDelete: 'delete' }),
  title: text({ required: true, unique: true, maxLength: 100 }),
  word: text({ maxLength: 100 }),
}
const notes = defineResource({
  name: 'note',
  path: '/notes',
  tenant: 'clubId',
  fields: noteFields,
  upsert: ['title'],
  list: { style: 'page', filterable: ['title', 'word'], bulk: true },
  access: { read: coach, write: coach, import: coach, say: coach },
  explainAccess: user,
  hooks: { beforeCreate: () => gate.pass(), beforeUpdate: () => gate.pass() },
  actions: {
    say: defineAction(noteFields, {
      input: { word: text({ required: true }) },
      run: async ({ input, record, records }) => {
        await records(clubs).update(record.clubId, { name: input.word })
      },
    }),
  },
})
const lines = defineResource({
  name: 'line',
  path: '/lines',
  tenant: 'clubId',
  fields: { id: id(), clubId: reference('club', { required: true, onDelete: 'delete' }), words: text() },
  list: { style: 'all' },
  access: { read: coach, export: coach },
})
const people = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: true,
})
const declared = defineResources([clubs, memberships, teams, teamMembers, notes, lines, tenancy, ...people])

export type Caller = TestPerson & { readonly membership: string; readonly keyId: string; readonly headers: string }

export type Door = {
  readonly line: string
  readonly body: unknown
  readonly more?: string
  /** Of the caller; the lowest unless given. */
  readonly role?: string
  /** It needs no membership. */
  readonly isOfAccount?: true
}

export type Loss = {
  readonly by?: 'token' | 'key'
  end(caller: Caller): Promise<TestResponse>
  readonly of?: 'member' | 'role'
}

export async function startRightsWorld() {
  const service = await startService(declared, { env: { MCP: 'write', RATE_LIMIT: '1000/1m' } })
  const { ask } = service

  async function stored(path: string, body: object, by: TestPerson) {
    const reply = await ask('POST', `${api}${path}`, { body, token: by.token })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }

  const [chair, admin] = [await service.person(), await service.admin()]
  const club = await stored('/clubs', { name: 'Rowing' }, chair)
  const note = await stored('/notes', { clubId: club.id, title: 'first', word: 'old' }, chair)
  await stored('/notes', { clubId: club.id, title: 'listed' }, chair)
  const guest = await service.person()

  /** All that the doors may write. */
  async function allStored(): Promise<unknown> {
    const { storage, catalog } = service.service.engine
    const rowsOf = (name: string) => storage.list(catalog.get(name), { where: all(), sort: [], limit: 1_000 })
    const named = await Promise.all(['note', 'club', 'clubInvitation'].map(rowsOf))
    return [...named, (await rowsOf('apiKey')).filter(({ name }) => name === 'late')]
  }

  /** A coach of the club, who is identified by a token or by a key. */
  async function newCoach({ role, by }: { readonly role?: string; readonly by: 'token' | 'key' }): Promise<Caller> {
    const person = await service.person(role)
    const membership = await stored('/memberships', { clubId: club.id, userId: person.id, role: 'COACH' }, chair)
    const { id: keyId, key } = await stored('/api-keys', { name: 'test' }, person)
    const headers = by === 'key' ? `X-API-Key: ${key}\r\n` : `Authorization: Bearer ${person.token}\r\n`
    return { ...person, membership: membership.id, keyId, headers }
  }

  const ndjson = 'Content-Type: application/x-ndjson\r\n'
  const named = (title: string) => ({ clubId: club.id, title })
  const mutation = `mutation { createNote(input: { clubId: "${club.id}", title: "graphql" }) { title } }`
  const tool = { name: 'create', arguments: { path: '/notes', values: named('tool') } }

  const doors: Readonly<Record<string, Door>> = {
    create: { line: `POST ${api}/notes`, body: named('create') },
    'a create with a key of idempotency': {
      line: `POST ${api}/notes`,
      body: named('keyed'),
      more: 'Idempotency-Key: late\r\n',
    },
    'a create that names its tenant': {
      line: `POST ${api}/notes`,
      body: named('header'),
      more: `X-Tenant: ${club.id}\r\n`,
    },
    'a nested create': { line: `POST ${api}/clubs/${club.id}/notes`, body: { title: 'nested' } },
    replace: { line: `PUT ${api}/notes/${note.id}`, body: { ...named('replaced'), word: 'old' } },
    update: { line: `PATCH ${api}/notes/${note.id}`, body: { word: 'late' } },
    upsert: { line: `PUT ${api}/notes?on=title`, body: named('upsert') },
    bulk: { line: `PATCH ${api}/notes?title=listed&limit=5`, body: { word: 'late' } },
    action: { line: `POST ${api}/notes/${note.id}/say`, body: { word: 'late' } },
    import: { line: `POST ${api}/notes/import`, body: named('import'), more: ndjson },
    batch: {
      line: `POST ${api}/batch`,
      body: { operations: [{ method: 'POST', path: '/notes', body: named('batch') }] },
    },
    mutation: { line: 'POST /graphql', body: { query: mutation } },
    query: { line: 'POST /graphql', body: { query: '{ notes { data { title } } }' } },
    tool: {
      line: 'POST /mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool },
      more: 'Accept: application/json, text/event-stream\r\n',
    },
    'a description of tools': {
      line: 'POST /mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'describe', arguments: {} } },
      more: 'Accept: application/json, text/event-stream\r\n',
    },
    'a list by QUERY': { line: `QUERY ${api}/notes`, body: { title: 'listed' } },
    explanation: { line: `POST ${api}/notes?_explain=access`, body: named('explained') },
    invitation: { line: `POST ${api}/club-invitations`, body: { clubId: club.id, email: guest.email, role: 'PLAYER' } },
    'a new key': { line: `POST ${api}/api-keys`, body: { name: 'late' }, isOfAccount: true },
    'a view as a user': { line: 'POST /auth/view-as', body: { userId: guest.id }, role: 'ADMIN', isOfAccount: true },
  }

  /** The response to a request whose body waits until `meanwhile` has been done. */
  async function answerOf(door: Door, caller: Caller, meanwhile?: () => Promise<void>): Promise<WireAnswer> {
    const bytes = Buffer.from(JSON.stringify(door.body))
    const more = door.more?.includes('Content-Type')
      ? door.more
      : `${door.more ?? ''}Content-Type: application/json\r\n`
    const expect = meanwhile ? 'Expect: 100-continue\r\n' : ''
    const wire = await openWire(service.url)
    const head = `${door.line} HTTP/1.1\r\nHost: localhost\r\n${caller.headers}${more}${expect}Content-Length: ${bytes.length}\r\n\r\n`
    try {
      if (meanwhile) {
        wire.send(head)
        assert.equal((await wire.next()).status, 100)
        wire.send(bytes.subarray(0, 1))
        await meanwhile()
        wire.send(bytes.subarray(1))
      } else wire.send(Buffer.concat([Buffer.from(head), bytes]))
      return await wire.next()
    } finally {
      wire.end()
    }
  }

  const lessen = (path: string, body: object, by: TestPerson) =>
    ask('PATCH', `${api}${path}`, { body, token: by.token })
  const losses: Readonly<Record<string, Loss>> = {
    'the membership is removed': {
      of: 'member',
      end: ({ membership }) => ask('DELETE', `${api}/memberships/${membership}`, { token: chair.token }),
    },
    'the role in the club is lowered': {
      of: 'member',
      end: ({ membership }) => lessen(`/memberships/${membership}`, { role: 'PLAYER' }, chair),
    },
    'the membership is paused': {
      of: 'member',
      end: ({ membership }) => lessen(`/memberships/${membership}`, { state: 'PAUSED' }, chair),
    },
    'the account is suspended': { end: ({ id }) => lessen(`/users/${id}`, { status: 'SUSPENDED' }, admin) },
    'the account is removed': { end: ({ id }) => ask('DELETE', `${api}/users/${id}`, { token: admin.token }) },
    'the role of the account is lowered': {
      of: 'role',
      end: ({ id }) => lessen(`/users/${id}`, { role: 'USER' }, admin),
    },
    'the session ends': { end: ({ refreshToken }) => ask('POST', '/auth/logout', { body: { refreshToken } }) },
    'the key is revoked': {
      by: 'key',
      end: ({ keyId, token }) => ask('DELETE', `${api}/api-keys/${keyId}`, { token }),
    },
  }
  return { service, ask, stored, club, note, chair, allStored, newCoach, doors, answerOf, losses }
}
