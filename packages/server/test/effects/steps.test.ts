/**
 * Steps of an effect: each result is kept before the next step begins, and a later try does not
 * repeat it. Their names are unique, and their results are JSON.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, defineResource, id, text } from '../../src/index.ts'
import type { RunStep } from '../../src/resource/effects/effect-step.ts'
import { startService } from '../../src/testing/index.ts'

const done: string[] = []
const seen: unknown[] = []
let work: (step: RunStep, tries: number) => Promise<void>

const orders = defineResource({
  name: 'order',
  path: '/orders',
  fields: { id: id(), name: text({ required: true }) },
  access: { create: anyone },
  effects: { settle: { on: ['create'], run: ({ step, tries }) => work(step, tries), retries: { tries: 3 } } },
})

/** Work that is counted, with a result. */
const counted = <T>(name: string, result: T) => {
  done.push(name)
  return result
}

test('a later try is given the results of finished steps, and repeats none', async (t) => {
  const service = await startService([orders])
  t.after(() => service.stop())
  work = async (step, tries) => {
    const paid = await step('charge', async () => counted('charge', { id: 'p1', at: undefined as string | undefined }))
    const nothing = await step('note', () => void counted('note', 0))
    seen.push([paid, nothing])
    if (tries === 1) throw new Error('the mail server is away')
    await step('mail', () => counted('mail', 1))
  }
  assert.equal((await service.ask('POST', '/api/v1/orders', { body: { name: 'one' } })).status, 201)
  await service.expectFailure('order.settle')
  assert.deepEqual(done, ['charge', 'note'])
  service.turn(60_000)
  await service.sweep()
  assert.deepEqual(done, ['charge', 'note', 'mail'])
  assert.deepEqual(seen, [
    [{ id: 'p1' }, undefined],
    [{ id: 'p1' }, undefined],
  ])
})

test('a name that is twice in a run, and a result that is not JSON, are told', async (t) => {
  const service = await startService([orders])
  t.after(() => service.stop())
  const circle: { self?: object } = {}
  circle.self = circle
  const mistakes: [(step: RunStep) => Promise<unknown>, RegExp][] = [
    [(step) => step('a', () => 1).then(() => step('a', () => 2)), /step\('a'\) is twice in one run/],
    // @ts-expect-error a response is not JSON
    [(step) => step('get', async () => new Response('{}')), /The result of step\('get'\) is not JSON/],
    // @ts-expect-error a date is not JSON
    [(step) => step('when', () => ({ on: [new Date(0)] })), /The result\.on\[0\] of step\('when'\) is not JSON/],
    // @ts-expect-error a bigint is not JSON
    [(step) => step('sum', () => 1n), /The result of step\('sum'\) is not JSON/],
    [(step) => step('nan', () => Number.NaN), /The result of step\('nan'\) is not JSON/],
    [(step) => step('circle', () => circle), /The result\.self\.self.* of step\('circle'\) is not JSON/],
    [(step) => step('', () => 1), /The name of a step is a text of 1 to 100 characters/],
    [(step) => step('long', () => 'x'.repeat(1_000_001)), /longer than 1000000 characters/],
  ]
  for (const [run, sentence] of mistakes) {
    let told: unknown
    work = async (step) => void (await run(step).catch((error) => (told = error)))
    await service.ask('POST', '/api/v1/orders', { body: { name: 'x' } })
    await service.sweep()
    assert.match(String(told), sentence)
  }
})
