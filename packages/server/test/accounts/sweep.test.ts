/**
 * The sweep deletes used refresh tokens, expired sessions and keys, and the oldest sessions above
 * the limit.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { always } from '../../src/resource/condition.ts'
import { sweep } from '../../src/service/sweep.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { adminEmail, password, startService } from '../../src/testing/index.ts'
import { keys, people } from '../service/people.ts'

const minute = 60_000
const day = 24 * 60 * minute

const service = await startService([...people, keys])
after(() => service.stop())
const { engine } = service.service
const { id: userId } = await service.admin()
await engine.records.transaction(serviceAuthor, (tx) => tx.removeWhere(engine.catalog.get('visit'), always))
const countOf = (name: string) => engine.storage.count(engine.catalog.get(name), always)
const logIn = async () => (await service.ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body
const refresh = (token: string) => service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${token}` })

async function next(token: string): Promise<string> {
  const reply = await refresh(token)
  assert.equal(reply.status, 200, reply.text)
  return /refreshToken=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] as string
}

test('a session keeps a few rows, however often it is refreshed, and knows its oldest token for a stolen one', async () => {
  const first = (await logIn()).refreshToken as string
  const tokens = [first]
  for (let i = 0; i < 60; i += 1) {
    tokens.push(await next(tokens.at(-1) as string))
    service.turn(2 * minute)
  }
  assert.equal(new Set(tokens).size, tokens.length)
  assert.ok((await countOf('refreshToken')) <= 4, `${await countOf('refreshToken')} rows`)
  const last = tokens.at(-1) as string
  const stranger = Buffer.from(last, 'base64url').reverse().toString('base64url')
  assert.equal((await refresh(stranger)).status, 401)
  assert.equal((await refresh(await next(last))).status, 200, 'a stranger ends nothing')
  assert.equal((await refresh(tokens[3] as string)).status, 401)
  assert.equal((await refresh(last)).status, 401, 'the session has ended')
  assert.deepEqual([await countOf('visit'), await countOf('refreshToken')], [0, 0])
})

test('a user has at most a hundred sessions, and the oldest go', async () => {
  const visits = engine.catalog.get('visit')
  const old = (await logIn()).refreshToken as string
  const kept = (await logIn()).refreshToken as string
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const at = new Date(service.now() + day).toISOString()
    for (let i = 0; i < 98; i += 1)
      await tx.insert(
        await tx.prepare(visits, { userId, lastUsedAt: at, expiresAt: at, address: null, userAgent: null }),
      )
  })
  assert.equal(await countOf('visit'), 100)
  await logIn()
  assert.equal(await countOf('visit'), 100)
  assert.equal((await refresh(old)).status, 401)
  assert.equal((await refresh(kept)).status, 200)
})

test('what has expired is swept, by one process at a time, and nothing else', async () => {
  const token = (await logIn()).accessToken
  const soon = new Date(service.now() + day).toISOString()
  const key = (name: string, expiresAt: string | null) =>
    service.ask('POST', '/api/v1/keys', { body: { name, expiresAt }, token })
  assert.equal((await key('short', soon)).status, 201)
  assert.equal((await key('endless', null)).status, 201)
  await sweep(engine)
  service.turn(8 * day)
  const fresh = (await logIn()).refreshToken as string // which removes the user's own
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const past = new Date(service.now() - day).toISOString()
    const visits = engine.catalog.get('visit')
    const values = { userId, lastUsedAt: past, expiresAt: past, address: null, userAgent: null }
    for (let i = 0; i < 250; i += 1) await tx.insert(await tx.prepare(visits, values))
  })
  await Promise.all([sweep(engine), sweep(engine), sweep(engine)])
  assert.deepEqual([await countOf('visit'), await countOf('key')], [1, 2])
  assert.equal((await refresh(fresh)).status, 200)
  service.turn(90 * day)
  await sweep(engine)
  assert.equal(await countOf('key'), 1)
})
