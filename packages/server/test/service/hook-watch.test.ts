/** A hook that never awaits holds its process: a thread names it in the log while it does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCodeInHand, numbersIn } from '../../src/record/guard/code-in-hand.ts'
import { spawnServer } from '../../src/testing/process.ts'

test('a hook that holds the process is named before it returns', async (t) => {
  const server = spawnServer({ command: ['looping-main.ts'], cwd: import.meta.dirname })
  t.after(() => server.stop())
  const url = await server.ready()
  const create = (ms: number) =>
    fetch(`${url}/api/v1/loops`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ms }),
    })
  assert.equal((await create(1)).status, 201)
  let hasReturned = false
  const held = create(7_000).finally(() => {
    hasReturned = true
  })
  const name = 'looping-main.ts: loop: hooks.beforeCreate'
  await server.wrote('has held the process for')
  assert.equal(hasReturned, false, 'the log has it while the hook runs')
  assert.equal((await held).status, 201)
  await server.wrote('without an await, so its limit')
  const [first, second] = server.lines().filter(({ msg }) => String(msg).includes('without an await'))
  assert.deepEqual([first?.level, second?.level], ['warn', 'warn'])
  assert.match(String(first?.msg), new RegExp(`${name} has held the process for 5 s without an await: nothing is`))
  assert.match(String(second?.msg), new RegExp(`${name} ran for 7\\d{3} ms without an await`))
  assert.ok(String(first?.time) < String(second?.time))
})

test('code has the thread but while the engine works for it, and frees its place at its end', () => {
  const inHand = makeCodeInHand()
  const told: string[] = []
  const first = inHand.enter('a.ts: a')
  inHand.follow((place) => told.push(place))
  const second = inHand.enter('b.ts: b')
  const again = inHand.enter('a.ts: a')
  assert.deepEqual(
    [told, numbersIn(inHand.shared)],
    [
      ['a.ts: a', 'b.ts: b'],
      [1, 2, 1],
    ],
  )
  second.pause()
  first.leave()
  assert.deepEqual(numbersIn(inHand.shared), [1])
  second.resume()
  again.leave()
  assert.deepEqual(numbersIn(inHand.shared), [2])
  second.leave()
  const many = Array.from({ length: 100 }, () => inHand.enter('c.ts: c'))
  assert.equal(numbersIn(inHand.shared).length, 64)
  for (const one of many) one.leave()
  assert.deepEqual(numbersIn(inHand.shared), [])
})
