/**
 * How effects run on both databases: at once, in parallel, within a timeout, with retries, and kept
 * after the last failure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Effect, EffectKind } from '../../src/effects/effect-kind.ts'
import { EffectRefused, waitAfter } from '../../src/effects/effect-kind.ts'
import { type EffectRunner, startEffects } from '../../src/effects/run-effects.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { NewEffect } from '../../src/storage/stored-effects.ts'
import { until } from '../helpers/until.ts'
import { openBoth } from '../storage/both-databases.ts'
import { libraryCatalog, tester } from '../storage/library.ts'
import { kindOf } from './kinds.ts'

const nameOf = ({ payload }: Effect) => payload as string

/**
 * One service's worth of effects: what ran and what was reported, and a clock that a test turns.
 */
function makeRun(storage: Storage, kinds: readonly EffectKind[]) {
  const reports: string[] = []
  const clock = { nowMs: 1_000 }
  const effects: EffectRunner = startEffects({
    storage,
    kinds,
    clock: () => clock.nowMs,
    times: { leaseMs: 60_000, checkMs: 600_000, stopMs: 0 },
    report: (message, error) => void reports.push(`${message}: ${(error as Error).message}`),
  })
  const leave = (kind: EffectKind, ...names: readonly string[]) =>
    storage.transaction(tester, (writing) =>
      writing.leaveEffects(
        names.map((name): NewEffect => {
          const { inOrder } = kind
          const place = { id: `${kind.name} ${name}`, kind: kind.name, key: name[0] ?? null, inOrder }
          return { ...place, dueMs: clock.nowMs, leftMs: clock.nowMs, payload: JSON.stringify(name), context: null }
        }),
      ),
    )
  return { effects, reports, clock, leave }
}

for (const [i, database] of ['SQLite', 'PostgreSQL'].entries()) {
  const open = async (t: Parameters<typeof openBoth>[0]) => (await openBoth(t, libraryCatalog))[i]?.[1] as Storage

  test(`${database}: what is left runs at once, side by side, and in order where that is said`, async (t) => {
    const ran: string[] = []
    const holds = new Map<string, PromiseWithResolvers<void>>()
    const run = async (effect: Effect) => {
      ran.push(nameOf(effect))
      await holds.get(nameOf(effect))?.promise
    }
    const [plain, line] = [kindOf('plain', run), kindOf('line', run, { inOrder: true })]
    for (const name of ['hang', 'a1']) holds.set(name, Promise.withResolvers())
    const { effects, leave } = makeRun(await open(t), [plain, line])
    await leave(plain, 'hang')
    await until(() => ran.includes('hang'), 'it runs without anybody asking')
    await leave(plain, 'x', 'y')
    await leave(line, 'a1', 'a2', 'b1')
    await until(() => ran.length === 5, 'others run beside one that hangs')
    assert.deepEqual(ran.slice(1).toSorted(), ['a1', 'b1', 'x', 'y'])
    holds.get('a1')?.resolve()
    await until(() => ran.includes('a2'), 'the next of its line runs when the first has ended')
    holds.get('hang')?.resolve()
    await effects.runDue()
    await effects.stop()
    const [family] = effects.counts.families()
    const done = family?.kind === 'counter' ? family.samples.filter(({ labels }) => labels.result === 'done') : []
    assert.deepEqual(
      done.map(({ value }) => value),
      [3, 3],
    )
  })

  test(`${database}: what is due includes an effect whose process has ended, once its lease has`, async (t) => {
    const ran: string[] = []
    const plain = kindOf('plain', async (effect) => void ran.push(nameOf(effect)))
    const storage = await open(t)
    const { effects, clock } = makeRun(storage, [plain])
    await effects.runDue()
    const dueMs = clock.nowMs + 3
    const place = { id: 'plain x', kind: 'plain', key: null, inOrder: false, dueMs, leftMs: clock.nowMs }
    await storage.transaction(tester, (tx) => tx.leaveEffects([{ ...place, payload: '"x"', context: null }]))
    const asked = { kind: 'plain', fromMs: 0, withLost: false, limit: 9, holder: 'gone', leaseMs: 5, inOrder: false }
    assert.equal((await storage.effects.claim({ ...asked, nowMs: dueMs })).length, 1)
    clock.nowMs = dueMs + 5
    await effects.runDue()
    assert.deepEqual(ran, ['x'])
    await effects.stop()
  })

  test(`${database}: the next of a line runs at once where a look passed its time meanwhile`, async (t) => {
    const ran: string[] = []
    const line = kindOf('line', async (effect) => void ran.push(nameOf(effect)), { inOrder: true })
    const storage = await open(t)
    const { effects: stored } = storage
    let looksWithout = 0
    let isFirst = true
    const slow: Storage = {
      ...storage,
      effects: {
        ...stored,
        async next(kind, fromMs) {
          const found = await stored.next(kind, fromMs)
          if (found === undefined || found > clock.nowMs) looksWithout += 1
          return found
        },
        async settle(holder, outcomes, nowMs) {
          if (isFirst) {
            isFirst = false
            clock.nowMs += 5
            await leave(line, 'b1')
            looksWithout = 0
            await until(() => ran.includes('b1') && looksWithout > 0, 'a later look has found nothing more')
          }
          return stored.settle(holder, outcomes, nowMs)
        },
      },
    }
    const { effects, clock, leave } = makeRun(slow, [line])
    await until(() => looksWithout > 0, 'the first look is over')
    looksWithout = 0
    await leave(line, 'a1', 'a2')
    await until(() => ran.includes('a2'), 'it runs after the one before')
    await effects.stop()
  })

  test(`${database}: one that fails is tried again with the same id, and given up at last`, async (t) => {
    const tried: [string, number][] = []
    const failing = kindOf('failing', async (effect) => {
      tried.push([effect.id, effect.tries])
      throw nameOf(effect) === 'final' ? new EffectRefused('never') : new Error('not now')
    })
    const storage = await open(t)
    const { effects, reports, clock, leave } = makeRun(storage, [failing])
    await leave(failing, 'often')
    await effects.runDue()
    assert.deepEqual(tried, [['failing often', 1]])
    await effects.runDue()
    assert.equal(tried.length, 1, 'not before its time')
    for (const tries of [2, 3]) {
      clock.nowMs += 10_000
      await effects.runDue()
      assert.deepEqual(tried.at(-1), ['failing often', tries])
    }
    await leave(failing, 'final')
    await effects.runDue()
    clock.nowMs += 1_000_000
    await effects.runDue()
    assert.equal(tried.length, 4)
    const kept = await storage.effects.list({ limit: 10, nowMs: clock.nowMs })
    assert.deepEqual(
      kept.map(({ id, state, error }) => [id, state, error]),
      [
        ['failing often', 'given-up', 'not now'],
        ['failing final', 'given-up', 'never'],
      ],
    )
    const again = ['failing again: not now', 'failing again: not now']
    assert.deepEqual(reports, [...again, 'failing given up: not now', 'failing given up: never'])
    await effects.stop()
  })

  test(`${database}: one that does not end in its time is ended, whether it heeds its signal or not`, async (t) => {
    const signals: AbortSignal[] = []
    const deaf = kindOf('deaf', async (_, { signal }) => new Promise(() => signals.push(signal)), { timeoutMs: 1 })
    const { effects, reports, leave } = makeRun(await open(t), [deaf])
    await leave(deaf, 'a1')
    await until(() => reports.length > 0, 'its time is over')
    assert.deepEqual(reports, ['deaf again: It took longer than 0.001 s'])
    assert.equal(signals[0]?.aborted, true)
    await effects.stop()
  })

  test(`${database}: a stop leaves what runs to others, and counts no try`, async (t) => {
    const storage = await open(t)
    let started = 0
    const hanging = kindOf('hanging', () => {
      started += 1
      return new Promise(() => undefined)
    })
    const { effects, reports, leave, clock } = makeRun(storage, [hanging])
    await leave(hanging, 'a1')
    await until(() => started === 1, 'it runs')
    await effects.stop()
    const [left] = await storage.effects.list({ limit: 10, nowMs: clock.nowMs })
    assert.deepEqual([left?.state, left?.tries, left?.error], ['waiting', 0, null])
    assert.deepEqual(reports, [])
  })
}

test('waits grow up to the most, and differ by a quarter', () => {
  const backoff = { firstMs: 1_000, factor: 3, mostMs: 20_000 }
  const waits = [1, 2, 3, 4, 9].map((tries) => waitAfter(backoff, tries, () => 0.5))
  assert.deepEqual(waits, [1_000, 3_000, 9_000, 20_000, 20_000])
  assert.deepEqual(
    [0, 1].map((random) => waitAfter(backoff, 1, () => random)),
    [750, 1_250],
  )
})
