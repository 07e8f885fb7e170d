/**
 * A cached response holds its bytes and the records that it depends on. It holds no reference to
 * the caller, their connection, or the reads that made it.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ReadStorage } from '../../src/storage/storage.ts'
import { startService, type TestService } from '../helpers/application.ts'

let service: TestService
let token: string
const callers: WeakRef<object>[] = []
before(async () => {
  service = await startService()
  token = (await service.person('EDITOR')).token
  const { storage } = service.service.engine
  const { by } = storage
  const noted: ReadStorage['by'] = (readClient) => {
    // an object for each caller, as a server with reading threads makes it
    const reads = { ...by(readClient) }
    callers.push(new WeakRef(readClient as object), new WeakRef(reads))
    return reads
  }
  Object.assign(storage, { by: noted })
})
after(() => service.stop())

const query = '{ editions(limit: 3) { data { title } meta { total } } }'
const answers: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a page', () => service.ask('GET', '/api/v1/editions?limit=3')],
  ['a page by cursor', () => service.ask('GET', '/letters?limit=3', { token })],
  ['a GraphQL query', () => service.ask('POST', '/graphql', { body: { query } })],
]

test('what made an answer is released while the answer is kept', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held: string[] = []
  for (const [name, ask] of answers) {
    callers.length = 0
    await ask()
    const made = callers.length
    assert.ok(made > 0)
    await ask()
    assert.equal(callers.length, made, 'the second answer is the first one, kept')
    for (let tries = 0; tries < 400 && callers.some((one) => one.deref()); tries += 1) {
      await pause(5)
      collect()
    }
    const left = callers.filter((one) => one.deref()).length
    if (left > 0) held.push(`${name}: ${left}`)
  }
  assert.deepEqual(held, [])
})
