/** Eviction: the responses that stay cached when there are more than the memory holds. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { anonymous } from '../../src/resource/principal.ts'
import { makeCacheFile } from '../../src/response-cache/cache-file.ts'
import { makeResponseCache } from '../../src/response-cache/response-cache.ts'
import { printPageEnding } from '../../src/rest/lists/page-ending.ts'
import { startService, type TestService } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.stop())

const readClient = { client: 'a', address: '', left: () => false, onLeft: () => () => undefined }
const caller = { principal: anonymous, readClient }
const answer = { headers: {}, body: 'x'.repeat(1_000) }
/** Of 17 of them. */
const bytesMax = 22_700

const noFile = makeCacheFile({ folder: '', bytesMax: 0, report: assert.fail })
noFile.close()

/** Asks for a key as a route does, and returns whether its answer was kept. */
function makeAsking(bytesMax: number, eager = true): (key: string) => Promise<boolean> {
  const { engine } = service.service
  const cache = makeResponseCache({
    engine,
    bytesMax,
    answerBytesMax: 10_000,
    file: noFile,
    printEnd: printPageEnding,
  })
  return async (key) => {
    if (await cache.find(key, caller)) return true
    const recorder = cache.record(key, engine, { eager })
    recorder?.keep(answer)
    recorder?.end()
    return false
  }
}

/** A clock that goes on when it is told to. */
function makeClock({ mock }: TestContext): (ms: number) => void {
  mock.timers.enable({ apis: ['setTimeout'] }) // until one fires, the time is not looked at again
  let now = performance.now()
  mock.method(performance, 'now', () => now)
  return (ms) => {
    now += ms
    mock.timers.tick(ms)
  }
}

test('a round that is larger than the memory meets some of its answers again', async (t) => {
  const passes = makeClock(t)
  const ask = makeAsking(bytesMax)
  let hits = 0
  for (let round = 0; round < 12; round += 1)
    for (let n = 0; n < 40; n += 1) {
      passes(100)
      if ((await ask(`key ${n}`)) && round >= 6) hits += 1
    }
  assert.ok(hits > 6 * 10, `${hits} in 6 rounds`)
})

test('what is asked for once is kept as long as there is room, and then takes the place of nothing', async () => {
  const ask = makeAsking(bytesMax)
  await ask('one')
  assert.equal(await ask('one'), true)
  for (let n = 0; n < 200; n += 1) await ask(`key ${n}`)
  assert.equal(await ask('one'), true, 'a crowd that asks for something else each time does not drop it')
})

test('what costs little to make is kept from the second time on', async () => {
  const ask = makeAsking(bytesMax, false)
  assert.deepEqual([await ask('one'), await ask('one'), await ask('one')], [false, false, true])
})

const many = shortOr(4_000, 20_000)
test(`each of ${many} records that are asked for in turn is kept from the second time on`, async () => {
  const ask = makeAsking(100_000_000, false)
  const keys = Array.from(
    { length: many },
    (_, n) => `/api/v1/products/${createHash('md5').update(`${n}`).digest('hex')}?`,
  )
  for (let round = 0; round < 2; round += 1) for (const key of keys) await ask(key)
  let kept = 0
  for (const key of keys) if (await ask(key)) kept += 1
  assert.ok(kept > 0.995 * many, `${kept} are kept`)
})

test('what nobody asked for in a while gives its place to whoever asks', async (t) => {
  const passes = makeClock(t)
  const ask = makeAsking(bytesMax)
  for (let n = 0; n < 40; n += 1) await ask(`key ${n}`)
  passes(61_000)
  await ask('new')
  assert.equal(await ask('new'), true)
})

test('what is asked for again and again finds a place, however full it is', async () => {
  const ask = makeAsking(bytesMax)
  for (let round = 0; round < 3; round += 1) for (let n = 0; n < 40; n += 1) await ask(`key ${n}`)
  let asked = 0
  while (!(await ask('new'))) asked += 1
  assert.ok(asked <= 10, `${asked}`)
})
