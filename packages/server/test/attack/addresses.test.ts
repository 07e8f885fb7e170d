/**
 * One client may hold a whole network: rate limits count an IPv6 client by its /64, and an
 * IPv4-mapped address as IPv4.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { failuresPerAddressMax, makeThrottle } from '../../src/accounts/throttles/throttle.ts'
import { startService } from '../../src/testing/index.ts'
import { notes, people } from '../service/people.ts'

const requestsMax = 4

describe('one client with many addresses', async () => {
  const service = await startService([...people, notes], { env: { TRUST_PROXY: 'true' } })
  after(() => service.stop())
  const { storage, clock } = service.service.engine
  const status = async (address: string) => {
    const body = { email: 'nobody@example.com', password: 'a wrong guess' }
    return (await service.ask('POST', '/auth/login', { body, headers: { 'x-forwarded-for': address } })).status
  }

  it('has no more guesses than one with a single address', async () => {
    // The guesses themselves are left out: a hash for each would take five seconds.
    const throttle = makeThrottle(storage, clock)
    for (let i = 0; i < failuresPerAddressMax; i += 1)
      await throttle.failed(`in-${i}`, `2001:db8:0:7:${(i * 641).toString(16)}::${i}`)
    assert.equal(await status('2001:db8:0:7::ffff'), 429)
    assert.equal(await status('2001:0DB8:0000:0007:0:0:192.0.2.1'), 429)
    assert.equal(await status('2001:db8:0:8::1'), 401, 'the neighbour is another client')
  })
})

describe('RATE_LIMIT', async () => {
  const env = { TRUST_PROXY: 'true', RATE_LIMIT: `${requestsMax}/1m` }
  const service = await startService([...people, notes], { env })
  after(() => service.stop())
  const asks = async (addresses: readonly string[]) => {
    const statuses: number[] = []
    for (const address of addresses)
      statuses.push((await service.ask('GET', '/api/v1/notes', { headers: { 'x-forwarded-for': address } })).status)
    return statuses
  }

  const same: [string, string[]][] = [
    ['a network of 64 bits', ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::1', '2001:DB8::', '2001:db8::a:b:c:d']],
    [
      'an IPv4 address and its mapped forms',
      ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7', '0:0:0:0:0:ffff:c000:0207', '::ffff:c000:207'],
    ],
  ]
  for (const [what, addresses] of same) {
    it(`counts ${what} as one client`, async () => {
      assert.deepEqual(await asks(addresses), [200, 200, 200, 200, 429])
    })
  }

  it('counts others as others', async () => {
    assert.deepEqual(
      await asks(['2001:db8:0:1::1', '192.0.2.8', '::ffff:192.0.2.9', '::1', '::c000:207']),
      [200, 200, 200, 200, 200],
    )
  })
})
