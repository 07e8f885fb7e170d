/**
 * Races between the password check and the creation of the session: the password changes, or the
 * user is suspended.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { IdentityTables } from '../../src/accounts/identity-tables.ts'
import { makePasswords } from '../../src/accounts/passwords/password.ts'
import { makeSessions, type SessionService } from '../../src/accounts/sessions/session.ts'
import { makeAccessTokens } from '../../src/accounts/tokens/access-token.ts'
import { keysOfSecrets } from '../../src/accounts/tokens/token-keys.ts'
import { always, equal } from '../../src/resource/condition.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'

const client = { address: '192.0.2.1', userAgent: 'test' }
let service: TestService
let marks: IdentityTables
before(async () => {
  service = await startService()
  // the last one could be neither barred nor deleted
  await service.make('member', { role: 'ADMIN' })
  marks = service.service.engine.catalog as unknown as IdentityTables
})
after(() => service.stop())

/**
 * Sessions on the real storage; `between` runs after the password was checked and before the
 * session is opened.
 */
function sessionsWith(between: () => Promise<unknown>): SessionService {
  const { engine } = service.service
  const secrets = [Buffer.alloc(32, 1)]
  const { storage, clock, guard } = engine
  const records: typeof engine.records = {
    async transaction(author, work) {
      await between()
      return engine.records.transaction(author, work)
    },
  }
  const accessTokens = makeAccessTokens(keysOfSecrets(secrets), clock)
  const parts = { storage, records, clock, guard, secrets, marks, accessTokens }
  return makeSessions({ ...parts, passwords: makePasswords() })
}
const isAdmin = equal('email', adminEmail)
const write = (changes: Record<string, unknown>) =>
  service.service.engine.records.transaction(serviceAuthor, async (tx) => {
    for (const row of await tx.lockAll(marks.login.resource, { where: isAdmin, sort: [], limit: 9 }))
      await tx.change(marks.login.resource, row, changes)
  })
const sessionCount = () => service.service.engine.storage.count(marks.session.resource, always)

describe('a log-in', () => {
  it('opens a session when nothing comes between', async () => {
    const pair = await sessionsWith(async () => undefined).login(adminEmail, password, client)
    assert.equal(pair.refreshTokenSeconds, 7 * 24 * 60 * 60)
    assert.equal(await sessionCount(), 1)
  })

  it('opens none with a password that has just been changed: such a session would outlive the change', async () => {
    const fresh = await service.service.engine.identity.hashPassword('a new password')
    await assert.rejects(sessionsWith(() => write({ password: fresh })).login(adminEmail, password, client), {
      message: 'Invalid credentials',
    })
    assert.equal(await sessionCount(), 0) // the change has ended the one that was there
  })

  it('opens none for a user who has just been suspended, or is gone', async () => {
    const gone = () =>
      service.service.engine.records.transaction(serviceAuthor, (tx) => tx.removeWhere(marks.login.resource, isAdmin))
    for (const between of [() => write({ status: 'BARRED' }), gone]) {
      await write({ status: 'ACTIVE' })
      await assert.rejects(sessionsWith(between).login(adminEmail, 'a new password', client), {
        message: 'Invalid credentials',
      })
    }
    assert.equal(await sessionCount(), 0)
  })

  it('refuses an e-mail that is too long for any account as it refuses others, and does not fold it', async (t) => {
    const sessions = sessionsWith(async () => undefined)
    const email = `${'\u0301\u0316'.repeat(30_000)}@example.com`
    await sessions.login('nobody@example.com', password, client).catch(() => undefined)
    let folded = 0
    const real = String.prototype.normalize
    t.mock.method(String.prototype, 'normalize', function (this: string, form?: string) {
      if (this.length > 1_000) folded += 1
      return real.call(this, form)
    })
    await assert.rejects(sessions.login(email, password, client), {
      code: 'unauthenticated',
      message: 'Invalid credentials',
    })
    assert.equal(folded, 0)
    for (let failure = 2; failure <= 10; failure += 1) await assert.rejects(sessions.login(email, password, client))
    await assert.rejects(sessions.login(email, password, client), { code: 'too-many-requests' })
  })
})
