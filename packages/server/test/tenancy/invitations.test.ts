/**
 * Invitations to a tenant: the token of the mail proves the address, and acceptance makes the
 * membership, with an account where the address has none.
 */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { noteUnproven } from '../../src/accounts/recovery/one-time-tokens.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'

const service = await startService(clubhouse, { env: { SIGN_UP: 'closed' } })
after(() => service.stop())
const { ask } = service
const api = '/api/v1'
const password = 'correct horse battery'

/** The mails to this address, oldest first. */
function mailsTo(address: string): string[] {
  const folder = join(service.folder, 'mail')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return names
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((mail) => mail.includes(`To: ${address}`))
}

async function tokenTo(address: string): Promise<string> {
  await service.sweep()
  return /invite\?token=([\w-]+)/.exec(mailsTo(address).at(-1) ?? '')?.[1] ?? ''
}
const accept = (token: string, more: object = {}) => ask('POST', '/auth/invitation', { body: { token, ...more } })

const [owner, coach, player] = [await service.person(), await service.person(), await service.person()]
const club = (await ask('POST', `${api}/clubs`, { body: { name: 'Rowing' }, token: owner.token })).body
for (const [user, role] of [
  [coach, 'COACH'],
  [player, 'PLAYER'],
] as const)
  await ask('POST', `${api}/memberships`, { body: { clubId: club.id, userId: user.id, role }, token: owner.token })

const invite = (email: string, by = coach, role = 'PLAYER') =>
  ask('POST', `${api}/club-invitations`, { body: { clubId: club.id, email, role }, token: by.token })
async function rolesOf(userId: string): Promise<string[]> {
  const { body } = await ask('GET', `${api}/memberships?userId=${userId}`, { token: owner.token })
  return body.data.map(({ role }: { role: string }) => role)
}

describe('an invitation', () => {
  it('makes an account with a password of its own, although sign-up is closed', async () => {
    const made = await invite('new@example.com', owner, 'COACH')
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.role, made.body.inviterId, 'hash' in made.body], ['COACH', owner.id, false])
    const token = await tokenTo('new@example.com')
    assert.match(mailsTo('new@example.com').at(-1) ?? '', /Subject: An invitation to Rowing/)
    const bare = await accept(token)
    assert.deepEqual([bare.status, bare.body.error], [400, 'password is required'])
    assert.equal((await accept(token, { password: 'password' })).status, 400)
    const accepted = await accept(token, { password })
    assert.equal(accepted.status, 204, accepted.text)
    const user = await service.logIn('new@example.com', password)
    assert.deepEqual(await rolesOf(user.id), ['COACH'])
    assert.equal((await accept(token, { password })).status, 401)
    assert.deepEqual((await ask('GET', `${api}/club-invitations`, { token: coach.token })).body.data, [])
  })

  it('needs no password for an account that its owner has proven', async () => {
    const guest = await service.person()
    assert.equal((await invite(guest.email)).status, 201)
    assert.equal((await accept(await tokenTo(guest.email))).status, 204)
    assert.deepEqual(await rolesOf(guest.id), ['PLAYER'])
    const { body } = await ask('GET', `${api}/memberships`, { token: guest.token })
    assert.ok(body.data.length > 0)
  })

  it('gives nothing to a stranger who made an account with the address before', async () => {
    const stranger = await service.person()
    const { engine } = service.service
    const { oneTimeToken } = engine.catalog
    assert.ok(oneTimeToken)
    await engine.records.transaction(serviceAuthor, (tx) => noteUnproven(tx, oneTimeToken, stranger.id))
    assert.equal((await invite(stranger.email)).status, 201)
    const token = await tokenTo(stranger.email)
    assert.equal((await accept(token)).status, 400)
    assert.equal((await accept(token, { password })).status, 204)
    assert.deepEqual(await rolesOf(stranger.id), ['PLAYER'])
    assert.equal((await ask('GET', `${api}/memberships`, { token: stranger.token })).status, 401)
    await assert.rejects(service.logIn(stranger.email))
    assert.equal((await service.logIn(stranger.email, password)).id, stranger.id)
  })

  it('changes no membership that is there', async () => {
    assert.equal((await invite(coach.email, owner, 'PLAYER')).status, 201)
    assert.equal((await accept(await tokenTo(coach.email))).status, 204)
    assert.deepEqual(await rolesOf(coach.id), ['COACH'])
  })

  it('is listed and withdrawn by those who invite', async () => {
    const made = await invite('withdrawn@example.com')
    const token = await tokenTo('withdrawn@example.com')
    const list = await ask('GET', `${api}/club-invitations`, { token: owner.token })
    assert.deepEqual(
      list.body.data.map(({ email }: { email: string }) => email),
      ['withdrawn@example.com'],
    )
    const seen = await ask('GET', `${api}/club-invitations`, { token: player.token })
    assert.ok(seen.status === 403 || seen.body.data.length === 0, seen.text)
    const withdrawn = await ask('DELETE', `${api}/club-invitations/${made.body.id}`, { token: owner.token })
    assert.equal(withdrawn.status, 204, withdrawn.text)
    assert.equal((await accept(token, { password })).status, 401)
    const found = await service.service.engine.storage.count(service.service.engine.catalog.get('user'), {
      kind: 'compare',
      field: 'email',
      operator: 'eq',
      value: 'withdrawn@example.com',
    })
    assert.equal(found, 0)
  })

  it('ends with the right of its maker to give the role', async () => {
    const maker = await service.person()
    const membership = { clubId: club.id, userId: maker.id, role: 'COACH' }
    const made = await ask('POST', `${api}/memberships`, { body: membership, token: owner.token })
    await invite('after@example.com', maker, 'COACH')
    await invite('lower@example.com', maker, 'PLAYER')
    const [high, low] = [await tokenTo('after@example.com'), await tokenTo('lower@example.com')]
    const change = (role: string) =>
      ask('PATCH', `${api}/memberships/${made.body.id}`, { body: { role }, token: owner.token })
    await change('PLAYER')
    assert.deepEqual([(await accept(high, { password })).status, (await accept(low, { password })).status], [401, 204])
    await change('COACH')
    await ask('DELETE', `${api}/memberships/${made.body.id}`, { token: owner.token })
    assert.equal((await accept(high, { password })).status, 401)
  })

  it('gives no role above that of its maker, and waits once for an address', async () => {
    assert.equal((await invite('high@example.com', coach, 'OWNER')).status, 403)
    assert.equal((await invite('low@example.com', player)).status, 403)
    assert.equal((await invite('twice@example.com')).status, 201)
    assert.equal((await invite('twice@example.com')).status, 409)
    assert.equal(await tokenTo('high@example.com'), '')
  })

  it('that is refused counts for nothing, and a tenant learns nothing of those of others', async () => {
    const [ann, ben] = [await service.person(), await service.person()]
    const clubOf = async (token: string, name: string) =>
      (await ask('POST', `${api}/clubs`, { body: { name }, token })).body.id as string
    const [first, second] = [await clubOf(ann.token, 'Chess'), await clubOf(ben.token, 'Judo')]
    const email = 'counted@example.com'
    /** Withdrawn at once, so that the next one can be made. */
    async function inviteTo(clubId: string, token: string): Promise<number> {
      const made = await ask('POST', `${api}/club-invitations`, { body: { clubId, email }, token })
      if (made.status === 201) await ask('DELETE', `${api}/club-invitations/${made.body.id}`, { token })
      return made.status
    }
    const tries = (count: number, one: () => Promise<number>) => Promise.all(Array.from({ length: count }, one))
    const refused = await tries(110, () => inviteTo(first, player.token))
    assert.deepEqual([...new Set(refused)], [404], 'a club of which the player is no member')
    assert.deepEqual([...new Set(await tries(12, () => inviteTo(club.id, player.token)))], [403])
    const statuses = []
    for (let i = 0; i < 11; i += 1) statuses.push(await inviteTo(first, ann.token))
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 201), 429])
    assert.equal(await inviteTo(second, ben.token), 201, 'the other club has counts of its own')
    assert.equal((await ask('POST', '/auth/forgot', { body: { email } })).status, 202)
  })

  it('of any tenant is no mail where its address has had ten', async () => {
    const email = 'flooded@example.com'
    for (let i = 0; i < 12; i += 1) {
      const { token } = await service.person()
      const { body } = await ask('POST', `${api}/clubs`, { body: { name: `Club ${i}` }, token })
      const made = await ask('POST', `${api}/club-invitations`, { body: { clubId: body.id, email }, token })
      assert.equal(made.status, 201, made.text)
    }
    await service.sweep()
    assert.equal(mailsTo(email).length, 10)
  })

  it('goes when the user with its address is erased', async () => {
    const guest = await service.person()
    assert.equal((await invite(guest.email)).status, 201)
    const { engine } = service.service
    const { resource } = engine.catalog.login as NonNullable<typeof engine.catalog.login>
    const principal = consolePrincipal(engine.catalog)
    const target = { resource, where: equal(resource.idField, guest.id), principal }
    const erased = await eraseRecord(engine, { ...target, dry: false })
    assert.deepEqual([erased.records.clubInvitation, erased.left], [1, {}])
    const table = engine.catalog.get('clubInvitation')
    assert.equal(await engine.storage.count(table, equal('email', guest.email)), 0)
  })

  it('ends after a week', async () => {
    assert.equal((await invite('late@example.com')).status, 201)
    const token = await tokenTo('late@example.com')
    service.turn(8 * 24 * 60 * 60_000)
    assert.equal((await accept(token, { password })).status, 401)
    await service.sweep()
    const { engine } = service.service
    assert.equal(await engine.storage.count(engine.catalog.get('clubInvitation'), { kind: 'true' }), 0)
  })
})

it('the page of an invitation asks for a password when one is needed', async () => {
  const { status, text } = await ask('GET', '/account/invite?token=x', { headers: { accept: 'text/html' } })
  assert.equal(status, 200)
  assert.match(text, /data-to="\.\.\/auth\/invitation"/)
  assert.match(text, /name="password"/)
})
