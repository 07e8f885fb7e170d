/** Credentials across processes and secrets: two engines on one database, and a changed secret. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ServedEngine } from '../../src/accounts/served-engine.ts'
import type { SessionService } from '../../src/accounts/sessions/session.ts'
import { readConfig } from '../../src/config.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { firstAdmin } from '../../src/service/first-admin.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { temporaryFolder } from '../../src/testing/folder.ts'
import { adminEmail, databaseOf, onPostgres, password, removeDatabase, resources } from '../helpers/application.ts'
import { until } from '../scale/instances.ts'

const client = { address: '192.0.2.1', userAgent: undefined }
const opened: ServedEngine[] = []
let folder: string

async function open(env: Record<string, string> = {}): Promise<ServedEngine> {
  const config = readConfig({
    DATA_DIR: folder,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    ...(await databaseOf(folder)),
    ...env,
  })
  const engine = await openEngine(config, resources, { making: 'fresh' })
  await firstAdmin(engine, config)
  opened.push(engine)
  return engine
}
const logIn = ({ identity }: ServedEngine, secret = password) =>
  (identity.sessions as SessionService).login(adminEmail, secret, client)
const identify = ({ identity }: ServedEngine, token: string) =>
  identity.identify(
    { authorization: `Bearer ${token}`, keyHeader: undefined, keyParameter: undefined },
    { machine: false },
  )

/** The last one could be neither demoted nor barred. */
function secondAdmin({ records, catalog }: ServedEngine): Promise<unknown> {
  const resource = catalog.get('member')
  const values = { email: 'second@example.com', password: '!', role: 'ADMIN', status: 'ACTIVE' }
  return records.transaction(serviceAuthor, async (tx) => tx.insert(await tx.prepare(resource, values)))
}

/** A process may learn a moment later what another did. */
const soon = async (check: () => Promise<unknown>) => void (await until(check))

before(() => {
  folder = temporaryFolder()
})
after(async () => {
  for (const engine of opened) await engine.storage.close()
  await removeDatabase(folder)
  rmSync(folder, { recursive: true, force: true })
})

describe('two processes', () => {
  let one: ServedEngine
  let two: ServedEngine
  before(async () => {
    one = await open()
    two = await open()
  })
  after(() => two.records.transaction(serviceAuthor, (tx) => tx.removeWhere(two.catalog.get('visit'), always)))

  it('share a generated secret that only its owner can read', { skip: onPostgres && 'it is in the database' }, () => {
    const file = join(folder, 'jwt-secret')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(Buffer.byteLength(readFileSync(file, 'utf8').trim()) >= 32)
  })

  it('both learn of a log-out, the one that did it at once', async () => {
    const { accessToken, refreshToken } = await logIn(one)
    for (const engine of [one, two, one]) await soon(() => identify(engine, accessToken))
    await (one.identity.sessions as SessionService).logout(refreshToken)
    await assert.rejects(identify(one, accessToken), /Invalid token/)
    await soon(() => assert.rejects(identify(two, accessToken), /Invalid token/))
  })

  it('both learn of a changed role and a suspension, the one that did it at once', async () => {
    const { accessToken } = await logIn(two)
    await soon(() => identify(one, accessToken))
    await secondAdmin(one)
    const { resource } = one.catalog.login as NonNullable<typeof one.catalog.login>
    const write = (changes: Record<string, unknown>) =>
      one.records.transaction(serviceAuthor, async (tx) => {
        for (const row of await tx.lockAll(resource, { where: equal('email', adminEmail), sort: [], limit: 9 }))
          await tx.change(resource, row, changes)
      })
    const hasRole = async (engine: ServedEngine, role: string) => {
      const principal = await identify(engine, accessToken)
      assert.equal(principal.kind === 'user' && principal.role, role)
    }
    for (const role of ['EDITOR', 'USER', 'ADMIN']) {
      assert.equal((await identify(two, accessToken)).kind, 'user')
      await write({ role })
      await hasRole(one, role)
      await soon(() => hasRole(two, role))
    }
    await write({ status: 'BARRED' })
    await assert.rejects(identify(one, accessToken), /Invalid token/)
    await soon(() => assert.rejects(identify(two, accessToken), /Invalid token/))
    await soon(() => assert.rejects(logIn(two), /Invalid credentials/))
    await write({ status: 'ACTIVE' })
  })

  it('hand out one successor for one token', async () => {
    const { refreshToken } = await logIn(one)
    const successors = new Set<string>()
    for (const engine of [one, two, one, two])
      successors.add((await (engine.identity.sessions as SessionService).refresh(refreshToken)).refreshToken)
    assert.equal(successors.size, 1)
  })

  it('count failures together', async () => {
    const guess = (engine: ServedEngine) =>
      (engine.identity.sessions as SessionService).login('shared@example.com', 'wrong', client)
    for (let i = 0; i < 10; i += 1) await assert.rejects(guess(i % 2 ? one : two), /Invalid credentials/)
    for (const engine of [one, two]) await assert.rejects(guess(engine), /Too many/)
  })
})

describe('a changed secret', () => {
  const [old, fresh] = ['the old secret of 32 bytes or more', 'the new secret of 32 bytes or more'] as const

  it('keeps tokens alive while the previous one is named, and refresh tokens in any case', async () => {
    const before = await open({ JWT_SECRET: old })
    const first = await logIn(before)
    const second = await (before.identity.sessions as SessionService).refresh(first.refreshToken)

    const during = await open({ JWT_SECRET: fresh, JWT_SECRET_PREVIOUS: old })
    assert.equal((await identify(during, first.accessToken)).kind, 'user')
    const again = await (during.identity.sessions as SessionService).refresh(first.refreshToken)
    assert.equal(again.refreshToken, second.refreshToken, 'the minute of grace spans the change')
    const third = await (during.identity.sessions as SessionService).refresh(second.refreshToken)
    await assert.rejects(identify(before, third.accessToken), /Invalid token/)

    const later = await open({ JWT_SECRET: fresh })
    for (const { accessToken } of [first, second]) await assert.rejects(identify(later, accessToken), /Invalid token/)
    assert.equal((await identify(later, third.accessToken)).kind, 'user')
    const last = await (later.identity.sessions as SessionService).refresh(third.refreshToken)
    assert.equal((await identify(later, last.accessToken)).kind, 'user')
  })
})
