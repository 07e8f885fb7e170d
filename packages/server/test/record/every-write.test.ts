/**
 * Every path of a write × every step: the test checks each cell of the table on a service with
 * small resources made for it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { equal } from '../../src/resource/condition.ts'
import { type Change, serviceAuthor } from '../../src/storage/changes.ts'
import type { Row as Stored } from '../../src/storage/storage.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { png, rowsOf, uploadFor } from '../files/sample-files.ts'
import {
  type Call,
  type Done,
  type PathName,
  type Target,
  type Values,
  type WritePath,
  writePaths,
} from './every-write-paths.ts'
import { everyWrite, followed } from './every-write-resources.ts'
import { pathsOf, type Step, steps, table } from './every-write-table.ts'
import { checkTold, deeds, mood } from './hook-moods.ts'

const api = '/api/v1'
const changes: Change[] = []
let own: TestService
let admin: TestPerson
let user: TestPerson
let editor: TestPerson
/** A key of the ADMIN that may write members, and no credentials. */
let key: string
let serial = 0

before(async () => {
  own = await startService(everyWrite)
  own.service.engine.storage.changes.follow({ apply: (some) => void changes.push(...some), reset: () => undefined })
  mood.transaction = () => own.service.engine.records.transaction(serviceAuthor, async () => undefined)
  admin = await own.admin()
  user = await own.person()
  editor = await own.person('EDITOR')
  key = await own.key(admin, { name: 'import', scopes: ['members:write'] })
})
after(() => own.stop())

async function made(path: string, body: object = {}): Promise<string> {
  const reply = await own.ask('POST', `${api}/${path}`, { body, token: admin.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

async function storedOf(resource: string, id: unknown): Promise<Stored | undefined> {
  const { catalog, storage } = own.service.engine
  const target = catalog.get(resource)
  return (await storage.find(target, equal(target.idField, String(id))))?.row
}

/**
 * The records that a path that changes or removes finds; for one that creates, what it refers to.
 */
async function targetOf({ kind }: WritePath, subject: Target['subject']): Promise<Target> {
  serial += 1
  const [shelfId, chestId, makerId] = [await made('shelves'), await made('chests'), await made('makers')]
  const where = { shelfId, chestId, makerId }
  if (subject === 'lid') {
    const id = kind === 'creates' ? undefined : (await own.ask('GET', `${api}/chests/${chestId}/lid`)).body.id
    return { subject, id, key: {}, ...where }
  }
  const unique = subject === 'piece' ? { code: `code${serial}` } : { email: `writer${serial}@example.com` }
  const links = subject === 'piece' ? where : { chestId, makerId }
  const secret = subject === 'member' ? { password: 'correct horse' } : {}
  const id = kind === 'creates' ? undefined : await made(`${subject}s`, { ...unique, ...links, ...secret })
  return { subject, id, key: unique, ...where }
}

/** The record that the path has made or found. */
async function writtenOf({ subject, id, key, chestId }: Target): Promise<Stored | undefined> {
  if (id !== undefined) return storedOf(subject, id)
  const { catalog, storage } = own.service.engine
  const [[name, value]] = [...Object.entries(key), ['chestId', chestId]] as [[string, string]]
  return (await storage.find(catalog.get(subject), equal(name, value)))?.row
}

const refusal = /^(?:operations\[0\]: )?Insufficient permissions(?:; nothing was stored)?$/
const asUser = (): AskOptions => ({ token: user.token })
const asAdmin = (): AskOptions => ({ token: admin.token })

type Write = (target: Target, values?: Values, by?: AskOptions) => Promise<Done>
type Trial = {
  readonly path: WritePath
  readonly name: PathName
  /** Another target. */
  readonly target: () => Promise<Target>
  /** Throws where the write is refused. */
  readonly write: Write
  /** A write whose hooks do this; it stores nothing. */
  readonly attempt: (
    target: Target,
    values: Values,
    asked: Partial<typeof mood>,
  ) => Promise<{ error: unknown; log: string }>
  /** Throws where it is not, or by another sentence; nothing is stored. */
  readonly refused: (sentence: RegExp, values: Values, by: AskOptions) => Promise<void>
  /** The same of a target that is there already, and no values. */
  readonly refusedAt: (target: Target, sentence: RegExp) => Promise<void>
}

async function versionOf({ subject, shelfId, chestId }: Target): Promise<number> {
  const row = await (subject === 'lid' ? storedOf('chest', chestId) : storedOf('shelf', shelfId))
  return row?.version ?? 0
}

async function audited(event: string, row: Stored): Promise<void> {
  const { catalog, storage } = own.service.engine
  const where = equal('userId', String(row.id))
  const told = await storage.list(catalog.get('trace'), { where, sort: [], limit: 100 })
  assert.ok(
    told.some((one) => one.event === event),
    `${event}: ${told.map((one) => one.event)}`,
  )
}

const eventOf = { creates: 'user-created', changes: 'role-changed', removes: 'user-deleted' } as const

async function sessionsOf(id: unknown): Promise<number> {
  const { catalog, storage } = own.service.engine
  return storage.count(catalog.get('visit'), equal('userId', String(id)))
}

/** Which records each step is tried on: those that have it. */
const subjectOf: Readonly<Record<Step, 'member' | 'other'>> = {
  guarded: 'other',
  hooks: 'other',
  prepare: 'other',
  before: 'other',
  checks: 'other',
  recordChecks: 'other',
  hash: 'member',
  scope: 'member',
  result: 'other',
  proof: 'member',
  sessions: 'member',
  audit: 'member',
  touch: 'other',
  follow: 'other',
  version: 'other',
  log: 'other',
  effects: 'other',
  files: 'other',
  keyed: 'other',
}

/** A change of a field, where the path sends any. */
function sentBy(name: PathName): Values {
  return table[name].checks === true ? { size: 7 } : {}
}

const probes: Readonly<Record<Step, (trial: Trial) => Promise<void>>> = {
  guarded: ({ refused }) => refused(refusal, { grade: 9 }, asUser()),

  async hooks({ name, path, target, write, refused }) {
    if (table[name].checks === true) {
      await refused(/^(?:operations\[0\]: )?size 13 brings bad luck/, { size: 13 }, asAdmin())
      await refused(/^(?:operations\[0\]: )?There is no room for 14/, { size: 14 }, asAdmin())
    }
    const one = await target()
    await write(one, sentBy(name))
    const { code = one.chestId } = one.key
    if (path.kind !== 'removes')
      return assert.equal(
        (await writtenOf(one))?.hooked,
        `${path.kind.slice(0, -1)}d ${code}`.replace('changed', 'updated'),
      )
    const { catalog, storage } = own.service.engine
    assert.equal(await storage.count(catalog.get('farewell'), equal('code', String(code))), 1)
  },

  async prepare({ name, target, write, attempt }) {
    for (const deed of deeds.slice(0, 4))
      checkTold('prepare', deed, await attempt(await target(), sentBy(name), { prepare: deed }))
    mood.prepared.length = 0
    mood.prepare = 'value'
    await write(await target().finally(() => mood.prepared.splice(0)), sentBy(name))
    mood.prepare = undefined
    assert.deepEqual(mood.prepared.splice(0), ['prepared'])
  },

  async before({ name, target, attempt }) {
    for (const deed of deeds) checkTold('before', deed, await attempt(await target(), sentBy(name), { before: deed }))
  },

  checks: ({ refused }) => refused(/size must be/, { size: 999 }, asAdmin()),

  async recordChecks({ name, target, refused, refusedAt }) {
    if (table[name].checks === true)
      return refused(/^(?:operations\[0\]: )?A size of 15 does not fit/, { size: 15 }, asAdmin())
    const one = await target()
    const sizes: Readonly<Record<string, number>> = { move: 16, cleared: 17 }
    if (name === 'singleMade') await own.ask('PATCH', `${api}/chests/${one.chestId}`, { body: { name: 'closed' } })
    else await writePaths.update.run(own, { target: one, values: { size: sizes[name] }, by: asAdmin() })
    await refusedAt(one, /^A (?:size of 16 stays open|size of 17 keeps its maker|closed chest gets no lid)$/)
  },

  async hash({ target, write, refused }) {
    await refused(/commonest passwords/, { password: 'password1' }, asAdmin())
    const one = await target()
    await write(one, { password: 'another long secret' })
    const row = await writtenOf(one)
    assert.match(String(row?.password), /^\$argon2id\$/)
    await own.logIn(String(row?.email), 'another long secret')
  },

  scope: ({ refused }) => refused(refusal, { role: 'EDITOR' }, { key }),

  result: ({ refused }) => refused(refusal, { isLost: true }, asUser()),

  async proof({ target, write }) {
    const one = await target()
    await write(one, {}, { token: editor.token })
    const { catalog, storage } = own.service.engine
    const row = await writtenOf(one)
    const where = equal('userId', String(row?.id))
    const notes = await storage.list(catalog.get('oneTimeToken'), { where, sort: [], limit: 9 })
    assert.equal(notes.map((note) => note.purpose).join(), 'unproven')
  },

  async sessions({ name, path, target, write }) {
    const ways: readonly Values[] =
      path.kind === 'removes' || name === 'move'
        ? [{}]
        : [{ status: 'BARRED' }, ...(name === 'action' ? [] : [{ password: 'another long secret' }])]
    for (const values of ways) {
      const one = await target()
      await own.logIn(String(one.key.email))
      assert.equal(await sessionsOf(one.id), 1)
      await write(one, values)
      assert.equal(await sessionsOf(one.id), 0, JSON.stringify(values))
    }
  },

  async audit({ name, path, target, write }) {
    const one = await target()
    const before = await writtenOf(one)
    await write(one, path.kind === 'changes' ? { role: 'EDITOR' } : {})
    const row = before ?? (await writtenOf(one))
    await audited(name === 'move' ? 'status-changed' : eventOf[path.kind], row as Stored)
  },

  async touch({ name, target, write }) {
    const one = await target()
    const before = await versionOf(one)
    await write(one, sentBy(name))
    assert.equal(await versionOf(one), before + 1)
  },

  async follow({ name, target, write }) {
    const one = await target()
    const sent = sentBy(name)
    await write(one, sent)
    const row = await writtenOf(one)
    const made = one.subject === 'piece' && row?.makerId ? ' made' : ''
    assert.equal(row?.label, `${sent.size ?? 1}${name === 'move' ? ' shut' : ''}${made}`)
  },

  async version({ name, path, target, write }) {
    const one = await target()
    const before = await writtenOf(one)
    await write(one, sentBy(name))
    assert.equal((await writtenOf(one))?.version, path.kind === 'creates' ? 1 : (before?.version ?? 0) + 1)
  },

  async log({ name, path, target, write }) {
    const one = await target()
    const before = await writtenOf(one)
    changes.length = 0
    await write(one, sentBy(name))
    const id = (before ?? (await writtenOf(one)))?.id
    const kind = { creates: 'insert', changes: 'update', removes: 'delete' }[path.kind]
    const told = changes.filter(({ resource, records }) => resource === one.subject && records.some((r) => r.id === id))
    assert.deepEqual(
      told.map((change) => change.kind),
      [kind],
    )
  },

  async effects({ name, path, target, write }) {
    const one = await target()
    await own.sweep()
    followed.length = 0
    const before = await writtenOf(one)
    await write(one, sentBy(name))
    await own.sweep()
    const row = (await writtenOf(one)) ?? before
    const size = row?.size as number
    const told = followed.filter(({ id }) => id === row?.id)
    assert.deepEqual(told, [
      { on: path.kind, id: row?.id, size, ...(path.kind === 'changes' && { before: before?.size }) },
    ])
  },

  async files({ path, target, write }) {
    const one = await target()
    const id = await uploadFor(own, admin, { resource: 'piece', field: 'scan', bytes: png })
    if (path.kind === 'removes') await writePaths.update.run(own, { target: one, values: { scan: id }, by: asAdmin() })
    await write(one, path.kind === 'removes' ? {} : { scan: id })
    const row = await writtenOf(one)
    const [file] = await rowsOf(own, [id])
    if (path.kind === 'removes') assert.deepEqual([row, file?.state], [undefined, 'released'])
    else {
      assert.equal((row?.scan as { readonly id: string }).id, id)
      assert.deepEqual([file?.state, file?.record, file?.dueAt, file?.heldBy], ['attached', row?.id, null, null])
    }
  },

  async keyed({ target, write }) {
    const one = await target()
    const by = { token: admin.token, headers: { 'idempotency-key': `write-${serial}` } }
    const first = (await write(one, {}, by)).reply
    const row = await writtenOf(one)
    changes.length = 0
    const second = (await write(one, {}, by)).reply
    assert.deepEqual([second?.status, second?.text], [first?.status, first?.text])
    assert.deepEqual([changes, await writtenOf(one)], [[], row])
  },
}

function trialOf(name: PathName, step: Step): Trial {
  const path: WritePath = writePaths[name]
  const subject = subjectOf[step] === 'member' ? 'member' : path.writes.includes('lid') ? 'lid' : 'piece'
  const run = (call: Call) => path.run(own, call)
  async function refusedAt(
    target: Target,
    { sentence, ...sent }: { sentence: RegExp; values: Values; by: AskOptions },
  ) {
    const before = await writtenOf(target)
    const { error } = await run({ target, ...sent })
    assert.match(String(error), sentence)
    assert.deepEqual(await writtenOf(target), before)
  }
  return {
    path,
    name,
    async attempt(target, values, asked) {
      const before = await writtenOf(target)
      own.logged.length = 0
      Object.assign(mood, asked)
      const { error } = await run({ target, values, by: asAdmin() })
        .catch((thrown: Error) => ({ error: thrown.message }))
        .finally(() => Object.assign(mood, { prepare: undefined, before: undefined }))
      assert.deepEqual(await writtenOf(target), before)
      return { error, log: own.logged.join('\n') }
    },
    target: () => targetOf(path, subject),
    async write(target, values = {}, by = asAdmin()) {
      const done = await run({ target, values, by })
      assert.equal(done.error, undefined)
      return done
    },
    refused: async (sentence, values, by) => refusedAt(await targetOf(path, subject), { sentence, values, by }),
    refusedAt: (target, sentence) => refusedAt(target, { sentence, values: {}, by: asAdmin() }),
  }
}

for (const name of Object.keys(writePaths) as PathName[]) {
  describe(name, () => {
    for (const step of steps) {
      if (table[name][step] === true) it(step, () => probes[step](trialOf(name, step)))
    }
  })
}

it('each path belongs to one operation of the engine', () => {
  assert.deepEqual(Object.values(pathsOf).flat().toSorted(), Object.keys(writePaths).toSorted())
})
