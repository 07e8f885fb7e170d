/**
 * No response time tells whether an address is known. Requests for known and unknown addresses
 * alternate, and the fastest quarter of each is compared: other load on the machine only makes
 * requests slower. A difference by chance disappears with more pairs. A difference by extra work
 * for one kind remains.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { adminEmail, startService } from '../../src/testing/index.ts'
import { withMails } from '../mail/people.ts'

const pairs = 60
const roundsMax = 30
const env = { TRUST_PROXY: 'true', LOG_LEVEL: 'silent', LOGIN_LINK: 'on' }
const service = await startService(withMails, { env, passwordCost: 'usual' })
after(() => service.stop())

/** The median of the faster half. */
const fastOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] as number

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

const kinds = ['known', 'unknown'] as const
const emails = { known: adminEmail, unknown: 'unknown@example.com' }

/** Adds a round of pairs to the times. Each of the two is the first of every other pair. */
async function measure(
  path: string,
  bodyOf: (email: string) => object,
  times: Record<(typeof kinds)[number], number[]>,
) {
  for (let i = -2; i < pairs; i += 1) {
    // A window of its own for every few: the counts are not what is measured.
    if (i % 4 === 0) service.turn(16 * 60_000)
    for (const which of i % 2 === 0 ? kinds : kinds.toReversed()) {
      const ms = await timed(path, bodyOf(emails[which]))
      if (i >= 0) times[which].push(ms)
    }
  }
}

/** A log-in hashes, for some 45 ms; mails are sent after the answer. */
for (const [path, bodyOf] of [
  ['/auth/login', (email: string) => ({ email, password: 'wrong horse' })],
  ['/auth/forgot', (email: string) => ({ email })],
  ['/auth/verify', (email: string) => ({ email })],
  ['/auth/login-link', (email: string) => ({ email })],
  // A token says nothing of an address; one of no account takes as long as one that has ended.
  ['/auth/reset', (email: string) => ({ token: `${email}-${'x'.repeat(20)}`, password: 'a much longer horse' })],
] as const)
  it(`${path} takes as long for an unknown address`, async (t) => {
    const times = { known: [] as number[], unknown: [] as number[] }
    let told = ''
    for (let round = 1; round <= roundsMax; round += 1) {
      await measure(path, bodyOf, times)
      const [known, unknown] = [fastOf(times.known), fastOf(times.unknown)]
      told = `${path}: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms over ${round * pairs} pairs`
      t.diagnostic(told)
      if (Math.abs(known - unknown) < 0.3 * Math.max(known, unknown)) return
    }
    assert.fail(told)
  })
