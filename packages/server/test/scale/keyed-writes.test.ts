/**
 * Hundreds of creates with an `Idempotency-Key`, while connections are cut and the server is killed
 * at random. The client retries each until it has a response, and each takes effect once.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  databaseOf,
  makeAsk,
  removeDatabase,
  removeFolder,
  spawnServer,
  temporaryFolder,
} from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { makeRandom } from './random-requests.ts'

const creates = shortOr(400, 1_000)
const writersAtOnce = 16
const kills = shortOr(1, 6)

test(`${creates} records, and not one more`, async (t) => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const random = makeRandom(20261122)
  let server = spawnServer({ env })
  let url = await server.ready()
  const seen = { cut: 0, running: 0, replayed: 0, done: 0 }

  /** Sends the same request until it is answered. */
  async function create(number: number): Promise<void> {
    const body = JSON.stringify({ label: `Shelf ${number}`, room: 'a' })
    const headers = { 'content-type': 'application/json', 'idempotency-key': `create-${number}` }
    for (;;) {
      const cut = new AbortController()
      const isCut = random() < 0.3
      const timer = isCut ? setTimeout(() => cut.abort(), random() * 12) : undefined
      try {
        const reply = await fetch(`${url}/shelves`, { method: 'POST', body, headers, signal: cut.signal })
        await reply.arrayBuffer()
        if (reply.status === 201) {
          if (reply.headers.get('idempotency-replayed')) seen.replayed += 1
          seen.done += 1
          return
        }
        assert.ok([409, 503].includes(reply.status), `${reply.status}`)
        seen.running += 1
        await sleep(5)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        seen.cut += 1
        if (!isCut) await sleep(20)
      } finally {
        clearTimeout(timer)
      }
    }
  }

  try {
    let next = 0
    const writer = async () => {
      while (next < creates) await create(next++)
    }
    const writing = Promise.all(Array.from({ length: writersAtOnce }, writer))
    for (let killed = 1; killed <= kills; killed += 1) {
      while (seen.done < (creates * killed) / (kills + 1)) await sleep(2)
      await server.stop('SIGKILL')
      server = spawnServer({ env })
      url = await server.ready()
    }
    await writing
    const { body } = await makeAsk(url)('GET', '/shelves')
    assert.equal(body.count, creates)
    assert.equal(new Set(body.data.map(({ label }: { label: string }) => label)).size, creates)
    t.diagnostic(`${JSON.stringify(seen)}, killed ${kills} times`)
    assert.ok(seen.cut > creates / 20 && seen.replayed > creates / 50, JSON.stringify(seen))
  } finally {
    await server.stop()
    await removeDatabase(folder)
    removeFolder(folder)
  }
})
