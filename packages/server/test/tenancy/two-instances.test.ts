/**
 * Two engines on one database: one writes a membership, and the other one judges by it as soon as
 * the change log has told it. Every kind of write counts.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import type { ServedEngine } from '../../src/accounts/served-engine.ts'
import type { SessionService } from '../../src/accounts/sessions/session.ts'
import { readConfig } from '../../src/config.ts'
import type { RecordTransaction } from '../../src/record/record-store.ts'
import { equal, type Scalar } from '../../src/resource/condition.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { consoleCredential, serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, password, removeDatabase, removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { until } from '../scale/instances.ts'

const folder = temporaryFolder()
const config = readConfig({ DATA_DIR: folder, ...(await databaseOf(folder)) })
const one = await openEngine(config, clubhouse, { making: 'fresh' })
const two = await openEngine(config, clubhouse, { making: 'fresh' })
after(async () => {
  for (const engine of [one, two]) await engine.storage.close()
  await removeDatabase(folder)
  removeFolder(folder)
})

const write = <T>(engine: ServedEngine, work: (tx: RecordTransaction) => Promise<T>) =>
  engine.records.transaction(serviceAuthor, work)
const make = (engine: ServedEngine, name: string, values: object) =>
  write(engine, async (tx) => tx.insert(await tx.prepare(engine.catalog.get(name), { ...values })))

async function membershipsOf(engine: ServedEngine, token: string, of = 'club') {
  const credentials = { authorization: `Bearer ${token}`, keyHeader: undefined, keyParameter: undefined }
  const principal = await engine.identity.identify(credentials, { machine: false })
  return principal.kind === 'user' ? principal.memberships?.[of] : undefined
}

it('a written membership acts on both', async () => {
  const secret = await one.identity.hashPassword(password)
  const user = await make(one, 'user', { email: 'ann@example.com', password: secret })
  const club = await make(one, 'club', { name: 'Rowing' })
  await make(one, 'membership', {
    clubId: club.id,
    userId: (await make(one, 'user', { email: 'o@example.com', password: secret })).id,
    role: 'OWNER',
  })
  const sessions = one.identity.sessions as SessionService
  const { accessToken } = await sessions.login('ann@example.com', password, {
    address: '192.0.2.1',
    userAgent: undefined,
  })
  const members = one.catalog.get('membership')

  async function onBoth(expected: unknown, of = 'club') {
    assert.deepEqual(await membershipsOf(one, accessToken, of), expected)
    await until(async () => assert.deepEqual(await membershipsOf(two, accessToken, of), expected))
  }
  /** As the console may. */
  async function movedTo(clubId: unknown) {
    const teams = one.catalog.get('team')
    const where = equal('name', 'Eights')
    await one.records.transaction({ ...serviceAuthor, credential: consoleCredential }, async (tx) => {
      const found = await tx.lock(teams, where)
      assert.ok(found)
      return tx.change(teams, found.row, { clubId })
    })
  }
  await onBoth([])
  const row = await make(one, 'membership', { clubId: club.id, userId: user.id, role: 'PLAYER' })
  await onBoth([{ id: club.id, role: 'PLAYER' }])
  const locked = async (tx: RecordTransaction) => {
    const found = await tx.lock(members, equal('id', row.id as Scalar))
    assert.ok(found)
    return found.row
  }
  await write(one, async (tx) => tx.change(members, await locked(tx), { role: 'COACH' }))
  await onBoth([{ id: club.id, role: 'COACH' }])
  await write(one, async (tx) => tx.change(members, await locked(tx), { state: 'PAUSED' }))
  await onBoth([])
  await write(one, async (tx) => tx.change(members, await locked(tx), { state: 'ACTIVE' }))
  await onBoth([{ id: club.id, role: 'COACH' }])
  await write(one, async (tx) => tx.remove(members, await locked(tx)))
  await onBoth([])
  await write(one, async (tx) =>
    tx.insertAll([await tx.prepare(members, { clubId: club.id, userId: user.id, role: 'PLAYER' })]),
  )
  await onBoth([{ id: club.id, role: 'PLAYER' }])
  const team = await make(one, 'team', { clubId: club.id, name: 'Eights' })
  await make(one, 'teamMember', { teamId: team.id, userId: user.id, role: 'COACH' })
  const inTeam = [{ id: team.id, role: 'COACH', tenant: club.id }]
  await onBoth(inTeam, 'team')
  const other = await make(one, 'club', { name: 'Chess' })
  await movedTo(other.id)
  await onBoth([], 'team')
  await movedTo(club.id)
  await onBoth(inTeam, 'team')
  await write(one, (tx) => tx.removeWhere(one.catalog.get('club'), equal('id', club.id as Scalar)))
  await onBoth([])
})
