/**
 * Detection of an overloaded process, by injected measurements and by real ones; and the client
 * that a connection counts for.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { makeAddressGroupOf } from '../../src/http/connections/address-group.ts'
import { makeOverloadDetector, monitorLoad } from '../../src/http/connections/overload.ts'
import { makeBudget } from '../../src/http/connections/shared-budget.ts'
import { makeTrustsProxy } from '../../src/http/proxies.ts'
import { limits } from '../../src/limits.ts'
import { until } from '../helpers/until.ts'

describe('load', () => {
  it('is three late turns in a row, until one is early', () => {
    const judge = makeOverloadDetector(limits)
    const seen = [2000, 2000, 10, 2000, 2000, 2000, 600, 600, 100, 2000].map((delayMs) => {
      judge.see({ delayMs, heapShare: 0 })
      return judge.isBusy()
    })
    assert.deepEqual(seen, [false, false, false, false, false, true, true, true, false, false])
  })

  it('is a heap that is full of what is in use, until enough of it is free', () => {
    const judge = makeOverloadDetector(limits)
    const seen = [0.8, 0.9, 0.8, 0.7, 0.8].map((heapShare) => {
      judge.see({ delayMs: 0, heapShare })
      return judge.isBusy()
    })
    assert.deepEqual(seen, [false, true, true, false, false])
  })

  it('is seen in a process whose turns are long', async () => {
    const load = monitorLoad({ ...limits, loadCheckMs: 5, loopDelayMsMax: 30, loopDelayMsCalm: 20 })
    for (let i = 0; i < 5; i += 1) {
      const untilMs = performance.now() + 60
      while (performance.now() < untilMs);
      await pause(1)
    }
    assert.equal(load.isBusy(), true)
    await until(() => !load.isBusy(), 'it has time again', 20)
    load.stop()
  })

  it('is seen in a process whose heap is full after a full collection', async () => {
    setFlagsFromString('--expose-gc')
    const load = monitorLoad({ ...limits, loadCheckMs: 5, heapShareMax: 1e-6, loopDelayMsMax: 1e9 })
    await pause(30)
    assert.equal(load.isBusy(), false)
    runInNewContext('gc')()
    await until(() => load.isBusy(), 'it is seen', 20)
    load.stop()
  })
})

describe('a budget that many share', () => {
  it('takes from the one who has held most for longest', () => {
    let nowMs = 0
    const cut: string[] = []
    const budget = makeBudget<string>({ amountMax: 100, cut: (holder) => cut.push(holder), now: () => nowMs })
    budget.hold('large', 60)
    nowMs = 10
    budget.hold('small', 5)
    budget.hold('new', 50)
    assert.deepEqual(cut, ['large'])
    assert.equal(budget.total(), 55)
    nowMs = 20_000
    budget.hold('new', 50) // it has made progress
    budget.hold('newest', 48)
    assert.deepEqual(cut, ['large', 'small'])
    budget.release('new')
    budget.release('new')
    assert.equal(budget.total(), 48)
  })
})

describe('whose a connection is', () => {
  const cases: readonly (readonly [boolean | number | string, string, string | undefined])[] = [
    [false, '10.1.2.3', '10.1.2.3'],
    [false, '::ffff:10.1.2.3', '10.1.2.3'],
    [false, '2001:db8::1', '2001:db8:0:0'],
    [false, '2001:db8:0:0:1:2:3:4', '2001:db8:0:0'],
    [false, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    [false, 'fe80::1%eth0', 'fe80:0:0:0'],
    [false, '::1', '0:0:0:0'],
    [true, '10.1.2.3', undefined],
    [1, '10.1.2.3', undefined],
    [0, '10.1.2.3', '10.1.2.3'],
    ['10.0.0.0/8, loopback', '10.1.2.3', undefined],
    ['10.0.0.0/8, loopback', '::ffff:10.1.2.3', undefined],
    ['10.0.0.0/8, loopback', '::1', undefined],
    ['10.0.0.0/8, loopback', '11.1.2.3', '11.1.2.3'],
    ['fd00::/8', 'fd01::1', undefined],
    ['10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ]
  for (const [trust, address, peer] of cases)
    it(`${address}, trusting ${trust}: ${peer}`, () =>
      assert.equal(makeAddressGroupOf(makeTrustsProxy(trust))(address), peer))
})
