/**
 * Whether an address is known shows in no answer's time. Pairs of requests take turns, so that whatever else the machine does falls on both; the
 * bars are wide, and fail for work that is done for the one and not for the other. With TEST_LONG the pairs are many and the medians are printed.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { adminEmail, startService } from '../../src/testing/index.ts'
import { withMails } from '../mail/people.ts'

const pairs = process.env.TEST_LONG ? 300 : 12
const service = await startService(withMails, { env: { TRUST_PROXY: 'true', LOG_LEVEL: 'silent', LOGIN_LINK: 'on' } })
after(() => service.stop())

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

/** Each request from an address of its own, and each account's counters far from full. */
let requests = 0
async function timed(path: string, body: object): Promise<number> {
  requests += 1
  const headers = { 'x-forwarded-for': `10.${requests >> 16}.${(requests >> 8) & 255}.${requests & 255}` }
  const begun = performance.now()
  const reply = await service.ask('POST', path, { body, headers })
  assert.ok([202, 400, 401].includes(reply.status), reply.text)
  return performance.now() - begun
}

async function compare(path: string, bodyOf: (email: string) => object): Promise<{ known: number; unknown: number }> {
  const times = { known: [] as number[], unknown: [] as number[] }
  const emails = { known: adminEmail, unknown: 'unknown@example.com' }
  for (let i = -4; i < pairs; i += 1) {
    // A window of its own for every few: the counts are not what is measured.
    if (i % 4 === 0) service.turn(16 * 60_000)
    for (const which of i % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
      const ms = await timed(path, bodyOf(emails[which]))
      if (i >= 0) times[which].push(ms)
    }
  }
  return { known: median(times.known), unknown: median(times.unknown) }
}

for (const [path, bodyOf, barMs] of [
  ['/auth/login', (email: string) => ({ email, password: 'wrong horse' }), 25],
  ['/auth/forgot', (email: string) => ({ email }), 10],
  ['/auth/verify', (email: string) => ({ email }), 10],
  ['/auth/login-link', (email: string) => ({ email }), 10],
  // A token says nothing of an address; one of no account takes as long as one that has ended.
  ['/auth/reset', (email: string) => ({ token: `${email}-${'x'.repeat(20)}`, password: 'a much longer horse' }), 10],
] as const)
  it(`${path} takes as long for an unknown address`, async (t) => {
    const { known, unknown } = await compare(path, bodyOf)
    t.diagnostic(`${path}: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms over ${pairs} pairs`)
    assert.ok(Math.abs(known - unknown) < Math.max(barMs, 0.5 * unknown), `${known} and ${unknown} ms`)
  })
