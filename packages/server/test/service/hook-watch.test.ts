/**
 * A hook that never awaits holds its process: a thread names it in the log while it does. Errors
 * that nothing handles name the code that left them.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeCodeInHand, numbersIn } from '../../src/record/guard/code-in-hand.ts'
import { type ServerProcess, spawnServer } from '../../src/testing/process.ts'

let server: ServerProcess
let url: string
before(async () => {
  server = spawnServer({ command: ['looping-main.ts'], cwd: import.meta.dirname })
  url = await server.ready()
})
after(() => server?.stop())

const create = (ms: number) =>
  fetch(`${url}/api/v1/loops`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms }),
  })

test('an error that nothing handles names the code that left it, which goes on', async () => {
  const of = 'looping-main.ts: loop: hooks'
  const codes: Readonly<Record<string, string | undefined>> = {
    'a hook that prepares': `${of}.prepareCreate`,
    'a hook': `${of}.beforeCreate`,
    'an effect': 'loop.follow',
    'a transaction': 'transaction(…) of loop.follow',
    'a job': 'job.report',
    'an endpoint': 'endpoint stray',
    'a service': 'service pool',
    'a timer': undefined,
  }
  assert.equal((await create(0)).status, 201)
  assert.equal((await fetch(`${url}/api/v1/stray`)).status, 200)
  for (const by of Object.keys(codes))
    for (const word of ['thrown', 'rejected']) await server.wrote(`${word} by ${by}"`)
  const errors = server.lines().filter(({ err, msg }) => err !== undefined && msg !== 'told as an error')
  const told = new Map(errors.map((line) => [(line.err as { message: string }).message, line]))
  assert.equal(errors.length, told.size, 'each once')
  assert.ok(!server.stdout().includes('starts a timer'), 'nothing else is blamed')
  for (const [by, code] of Object.entries(codes)) {
    const who = code ?? 'Code that is not known'
    const [thrown, rejected] = [told.get(`thrown by ${by}`), told.get(`rejected by ${by}`)]
    assert.deepEqual([thrown?.code, rejected?.code], [code, code], by)
    assert.equal(thrown?.msg, `${who} left an error that nothing catches`)
    assert.equal(rejected?.msg, `${who} left a rejected promise that nothing handles: await it, or give it a catch`)
  }
})

test('a line of application code has each member once, and its own ones as they are', async () => {
  await server.wrote('told as an error')
  const detail = { level: 'loud', time: 7, msg: 'other', code: 'x', detail: 'y', err: 'z' }
  for (const [msg, level] of [
    ['told', 'info'],
    ['told as an error', 'error'],
  ]) {
    const text = server
      .stdout()
      .split('\n')
      .find((line) => line.includes(`"msg":"${msg}"`))
    const { time, err, ...line } = JSON.parse(text ?? '{}')
    assert.deepEqual(line, { level, order: 3, detail, code: 'loop.follow', msg })
    assert.match(time, /^\d{4}-/)
    assert.equal(err?.message, level === 'error' ? 'odd' : undefined)
    const outside = String(text).replace(JSON.stringify(detail), '{}')
    for (const name of ['level', 'time', 'msg', 'code', 'err', 'detail'])
      assert.ok(outside.split(`"${name}":`).length <= 2, `${name} once: ${text}`)
  }
})

test('a hook that holds the process is named before it returns', async () => {
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
