/**
 * The audit as the engine keeps it: rows are only added, a sweep deletes old ones, and the entries
 * of all processes count. An application without a declared audit has none.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { recordAudit } from '../../src/accounts/audit/audit.ts'
import { type FailureAudit, isAudited, makeFailureAudit } from '../../src/accounts/audit/failures.ts'
import { always } from '../../src/resource/condition.ts'
import { sweep } from '../../src/service/sweep.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { adminEmail, password, startService } from '../../src/testing/index.ts'
import { keys, people, traces } from '../service/people.ts'

const day = 24 * 60 * 60_000
const one = await startService([...people, keys, traces], { env: { TRUST_PROXY: 'loopback' } })
const two = await startService([...people, keys, traces], {
  env: { DATA_DIR: one.folder, TRUST_PROXY: 'loopback' },
})
after(async () => {
  await two.stop()
  await one.stop()
})
const { engine } = one.service
const trace = engine.catalog.get('trace')
const stored = async () => {
  const sort = [{ field: 'id', descending: false }]
  return engine.storage.list(trace, { where: always, sort, limit: 2_000 })
}
const logIn = (headers: Record<string, string> = {}) =>
  one.ask('POST', '/auth/login', { body: { email: adminEmail, password }, headers })

describe('audit events', () => {
  it('hold as much of a long or strange header as their fields do', async () => {
    await logIn({ 'user-agent': `Browser ${'\u00e9'.repeat(500)}`, 'x-forwarded-for': '2001:db8::1' })
    const row = (await stored()).at(-1)
    assert.deepEqual([row?.event, row?.address], ['log-in', '2001:db8::1'])
    assert.equal([...(row?.userAgent as string)].length, 300)
  })

  it('name the operator that views a user, and the user', async () => {
    const [admin, person] = [await one.admin(), await one.person()]
    const asked = { token: admin.token, body: { userId: person.id } }
    assert.equal((await one.ask('POST', '/auth/view-as', asked)).status, 200)
    const row = (await stored()).find(({ event }) => event === 'viewed-as')
    assert.deepEqual([row?.userId, row?.actorId], [person.id, admin.id])
    assert.match(String(row?.credential), /^session:/)
  })

  it('are neither changed nor removed, but by the sweep of what is old', async () => {
    const [row] = await stored()
    const author = { ...serviceAuthor, credential: 'console' }
    const refused = { code: 'forbidden', message: 'Trace records are never changed or deleted' }
    const { records } = engine
    await assert.rejects(
      records.transaction(serviceAuthor, (tx) => tx.change(trace, row as never, { event: 'log-out' })),
      refused,
    )
    await assert.rejects(
      records.transaction(serviceAuthor, (tx) => tx.changeAll(trace, [row?.id as string], { userAgent: 'x' })),
      refused,
    )
    await assert.rejects(
      records.transaction(author, (tx) => tx.removeWhere(trace, always)),
      refused,
    )
    await assert.rejects(
      records.transaction(author, (tx) => tx.remove(trace, row as never)),
      refused,
    )
  })

  it('are not written where what they tell is not', async () => {
    const before = (await stored()).length
    const work = engine.records.transaction(serviceAuthor, async (tx) => {
      await recordAudit(tx, { event: 'secrets-rotated', userId: null })
      throw new Error('undone')
    })
    await assert.rejects(work, { message: 'undone' })
    assert.equal((await stored()).length, before)
  })

  it('are bounded for a flood from many addresses at two processes, and tell how many there were', async () => {
    one.turn(day)
    two.turn(day)
    const { id: userId } = await one.admin()
    const before = (await stored()).length
    const failures = [one, two].map(({ service }) =>
      makeFailureAudit({ ...service.engine, marks: service.engine.catalog }),
    ) as [FailureAudit, FailureAudit]
    const fail = (i: number, whose: string | null, network: string) =>
      failures[i % 2]?.note({ userId: whose, address: `${network}.${i % 200}` })
    // Eight at a time: more than a pool holds would wait for a busy machine until they are refused.
    const flood = async (count: number, whose: string | null, network: string) => {
      for (let at = 0; at < count; at += 8)
        await Promise.all(Array.from({ length: Math.min(8, count - at) }, (_, i) => fail(at + i, whose, network)))
    }
    await flood(30, userId, '203.0.113')
    assert.equal((await stored()).length - before, 11, 'ten one by one, and the twentieth')
    await flood(175, null, '198.51.100')
    const rows = (await stored()).slice(before)
    assert.equal(
      rows.filter(({ userId }) => userId === null).length,
      71,
      'as many as make a hundred, and the two hundredth',
    )
    const told = rows.flatMap(({ details }) => details as string[])
    assert.deepEqual(told, ['failuresOfAccount=20', 'failuresOfAll=200'])
  })

  it('of floods double: the first ones, then twice as many, and so on', () => {
    const told = Array.from({ length: 1_000 }, (_, i) => i + 1).filter((n) => isAudited(n, 10))
    assert.deepEqual(told, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 40, 80, 160, 320, 640])
  })

  it('go when they are old enough, the oldest first, and leave the others', async () => {
    const old = (await stored()).length
    one.turn(400 * day)
    assert.equal((await logIn()).status, 200)
    one.turn(1000)
    await sweep(engine, { auditDays: 402 })
    assert.equal((await stored()).length, old + 1)
    one.turn(day)
    await sweep(engine, { auditDays: 400 })
    assert.deepEqual(
      (await stored()).map(({ event }) => event),
      ['log-in'],
    )
  })

  it('tell of a flood whose counts by account and by address are out of step', async () => {
    one.turn(day)
    const { id: userId } = await one.admin()
    const before = (await stored()).length
    const { note } = makeFailureAudit({ ...one.service.engine, marks: one.service.engine.catalog })
    await note({ userId: null, address: '192.0.2.9' })
    for (let i = 0; i < 50; i += 1) await note({ userId, address: '192.0.2.9' })
    const details = (await stored()).slice(before).flatMap((row) => row.details as string[])
    assert.deepEqual(details, ['failuresOfAccount=39', 'failuresOfAddress=40'])
  })
})

describe('an application without an audit', () => {
  it('records nothing, counts nothing and lacks nothing', async () => {
    const plain = await startService([...people, keys])
    try {
      assert.equal(plain.service.engine.catalog.audit, undefined)
      assert.equal((await plain.ask('POST', '/auth/login', { body: { email: adminEmail, password } })).status, 200)
      const wrong = { email: adminEmail, password: 'wrong' }
      assert.equal((await plain.ask('POST', '/auth/login', { body: wrong })).status, 401)
      const { count } = await plain.service.engine.storage.readCounter('audited all', plain.now())
      assert.equal(count, 0)
    } finally {
      await plain.stop()
    }
  })
})
