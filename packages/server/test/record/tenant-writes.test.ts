/**
 * Every path of a write × every limit of a tenant. The test checks each cell of the table on a
 * service with small resources.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { always, equal } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import type { Row as Stored } from '../../src/storage/storage.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { type Done, type PathName, type Target, type Values, type WritePath, writePaths } from './every-write-paths.ts'
import { tenantWrites } from './tenant-write-resources.ts'
import { type TenantStep, tenantSteps, tenantTable } from './tenant-write-table.ts'

const api = '/api/v1'
let own: TestService
let owner: TestPerson
/** The owner of another club. */
let stranger: TestPerson
/** A member of as many clubs as may be. */
let busy: TestPerson
let support: TestPerson
let club: string
let serial = 0

before(async () => {
  own = await startService(tenantWrites)
  ;[owner, stranger, busy] = [await own.person(), await own.person(), await own.person()]
  support = await own.person('SUPPORT')
  club = await made('clubs', { name: 'Own' })
  await made('clubs', { name: 'Other' }, stranger)
  await joinMany()
})
after(() => own.stop())

/** Makes `busy` a member of a thousand clubs. */
async function joinMany(): Promise<void> {
  const { catalog, records } = own.service.engine
  const [clubs, members] = [catalog.get('club'), catalog.get('membership')]
  await records.transaction(serviceAuthor, async (tx) => {
    const many = await Promise.all(Array.from({ length: 1000 }, (_, i) => tx.prepare(clubs, { name: `Club ${i}` })))
    await tx.insertAll(many)
    const joins = many.map(({ values }) => ({ clubId: values.id, userId: busy.id, role: 'PLAYER' }))
    await tx.storeNotes(members, joins)
  })
}

const as = ({ token }: TestPerson): AskOptions => ({ token })

async function made(path: string, body: object, by: TestPerson = owner): Promise<string> {
  const reply = await own.ask('POST', `${api}/${path}`, { ...as(by), body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

async function findStored(resource: string, field: string, value: unknown): Promise<Stored | undefined> {
  const { catalog, storage } = own.service.engine
  return (await storage.find(catalog.get(resource), equal(field, String(value))))?.row
}

/** The record that the path has made or found. */
function writtenOf({ subject, id, key, chestId }: Target): Promise<Stored | undefined> {
  if (id !== undefined) return findStored(subject, 'id', id)
  return subject === 'lid' ? findStored('lid', 'chestId', chestId) : findStored(subject, 'code', key.code)
}

/** A slot of the club, or its lid. */
async function slotOf({ kind, writes }: WritePath): Promise<Target> {
  serial += 1
  const [chestId, makerId] = [await made('chests', { clubId: club }), await made('makers', { clubId: club })]
  const where = { shelfId: '', chestId, makerId }
  if (writes.some((one) => one === 'lid')) {
    const found = kind === 'creates' ? undefined : await own.ask('GET', `${api}/chests/${chestId}/lid`, as(owner))
    return { subject: 'lid', id: found?.body.id, key: {}, ...where }
  }
  const key = { code: `code${serial}`, clubId: club }
  const id = kind === 'creates' ? undefined : await made('slots', { ...key, chestId, makerId })
  return { subject: 'slot', id, key, ...where }
}

/** The only owner of a club of its own, which the owner of the test may write too. */
async function membershipOf(
  { kind }: WritePath,
  role: 'OWNER' | 'PLAYER',
): Promise<Target & { readonly by: TestPerson }> {
  serial += 1
  const by = await own.person()
  const clubId = await made('clubs', { name: 'Small' }, by)
  const chestId = await made('chests', { clubId }, by)
  const code = `member${serial}`
  const key = { code, clubId, userId: kind === 'creates' || role === 'PLAYER' ? stranger.id : by.id, role }
  const where = { subject: 'membership' as const, key, shelfId: '', chestId, makerId: '' }
  if (kind === 'creates') return { ...where, id: undefined, by }
  if (role === 'PLAYER') return { ...where, id: await made('memberships', { ...key, chestId }, by), by }
  const { id } = (await findStored('membership', 'userId', by.id)) as Stored
  await own.ask('PATCH', `${api}/memberships/${id}`, { ...as(by), body: { code, chestId } })
  return { ...where, id: String(id), by }
}

type Trial = {
  readonly name: PathName
  readonly path: WritePath
  run(target: Target, values: Values, by: TestPerson): Promise<Done>
  /** Throws where the write is not refused by this sentence, or where anything is stored. */
  refused(
    target: Target,
    call: { readonly sentence: RegExp; readonly values?: Values; readonly by?: TestPerson },
  ): Promise<void>
}

const sends = (name: PathName) => tenantTable[name].match === true || name === 'singleChanged'

const probes: Readonly<Record<TenantStep, (trial: Trial) => Promise<void>>> = {
  async check({ name, path, refused }) {
    const target = await slotOf(path)
    if (sends(name)) return refused(target, { sentence: /A size of 15 does not fit/, values: { size: 15 } })
    const size = name === 'move' ? 16 : 17
    const to = name === 'singleMade' ? `chests/${target.chestId}` : `slots/${target.id}`
    const body = name === 'singleMade' ? { name: 'closed' } : { size }
    assert.equal((await own.ask('PATCH', `${api}/${to}`, { ...as(owner), body })).status, 200)
    await refused(target, {
      sentence: /A size of 16 stays open|A size of 17 keeps its maker|A closed chest gets no lid/,
    })
  },

  async match({ path, refused }) {
    const elsewhere = await made('chests', { clubId: club, room: 'B' })
    const values = { chestId: elsewhere }
    await refused(await slotOf(path), { sentence: /chestId refers to no chest that exists/, values })
  },

  async forbid({ path, refused }) {
    const target = await slotOf(path)
    const sentence = /Insufficient permissions/
    if (path.kind === 'creates') return refused(target, { sentence, values: { isLocked: true } })
    const { catalog, records } = own.service.engine
    await records.transaction(serviceAuthor, async (tx) => {
      const resource = catalog.get(target.subject)
      const found = await tx.lock(resource, equal('id', String(target.id)))
      await tx.change(resource, found?.row as Stored, { isLocked: true })
    })
    await refused(target, { sentence, values: path.kind === 'changes' ? { size: 7 } : {} })
  },

  async tenant({ path, run }) {
    const target = await slotOf(path)
    const before = await writtenOf(target)
    const { error = '' } = await run(target, path.kind === 'removes' ? {} : { size: 7 }, stranger)
    assert.doesNotMatch(error, /permission/)
    assert.deepEqual(await writtenOf(target), before)
  },

  async lastHolder({ path, refused }) {
    const { by, ...target } = await membershipOf(path, 'OWNER')
    await refused(target, { sentence: /This is the last OWNER of the club/, values: { role: 'PLAYER' }, by })
  },

  async limit({ path, refused }) {
    const { by, ...target } = await membershipOf(path, 'PLAYER')
    const sentence = /This user cannot join now|A user may be a member of at most 1000 clubs/
    await refused(target, { sentence, values: { userId: busy.id }, by })
  },

  async audit({ name, path, run }) {
    const { catalog, storage } = own.service.engine
    const events = async () => {
      const all = await storage.list(catalog.get('auditEvent'), { where: always, sort: [], limit: 1000 })
      return all.filter(({ event }) => event === 'operator-wrote').map(({ details }) => String(details))
    }
    const target = await slotOf(path)
    const before = await writtenOf(target)
    const { error } = await run(target, sends(name) ? { size: 7 } : {}, support)
    assert.equal(error, undefined)
    const { id } = (before ?? (await writtenOf(target))) as Stored
    const told = (await events()).filter((details) => details.includes(String(id)))
    assert.equal(told.length, 1, told.join())
    assert.match(told[0] as string, new RegExp(club))
  },
}

function trialOf(name: PathName): Trial {
  const path: WritePath = writePaths[name]
  const run: Trial['run'] = (target, values, by) => path.run(own, { target, values, by: as(by) })
  return {
    name,
    path,
    run,
    async refused(target, { sentence, values = {}, by = owner }) {
      const before = await writtenOf(target)
      const { error } = await run(target, values, by)
      assert.match(String(error), sentence)
      assert.deepEqual(await writtenOf(target), before)
    },
  }
}

for (const name of Object.keys(writePaths) as PathName[]) {
  describe(name, () => {
    for (const step of tenantSteps) if (tenantTable[name][step] === true) it(step, () => probes[step](trialOf(name)))
  })
}
