/**
 * Writes with effects while processes are killed each second, and the receiver fails half the time.
 * Each effect arrives, in order for its record, and none arrives without its write.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  databaseOf,
  makeAsk,
  removeDatabase,
  removeFolder,
  type ServerProcess,
  spawnServer,
  temporaryFolder,
} from 'bindery-server/test'
import { long } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { makeRandom } from './random-requests.ts'

const writesMin = 1000
const writersAtOnce = 8
const changesOfRecord = 20

/** `effect`: its id. A write that was repeated has an effect of its own. */
type Told = { readonly id: string; readonly number: number; readonly effect: string }

/** Accepts half of what it is told, and keeps the order. */
async function startReceiver(random: () => number) {
  const told: Told[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const accepted = random() < 0.5
    if (accepted) told.push(JSON.parse(text) as Told)
    response.writeHead(accepted ? 204 : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { told, port, stop: () => server.close() }
}

for (const [on, processes] of [
  ['sqlite', 2],
  ['postgres', 3],
] as const)
  test(`${on}: kills of ${processes} processes lose no effect and no order`, long, async (t) => {
    const random = makeRandom(20261127)
    const receiver = await startReceiver(random)
    const folder = temporaryFolder()
    const database = await databaseOf(folder, on)
    const env = {
      DATA_DIR: folder,
      ...database,
      RECEIVER: `http://127.0.0.1:${receiver.port}/`,
      OUTGOING_ALLOW: '127.0.0.1',
    }
    const servers: ServerProcess[] = []
    const urls: string[] = []
    const start = async (i: number) => {
      const server = spawnServer({ env, command: ['effects-server.ts'], cwd: import.meta.dirname })
      servers[i] = server
      urls[i] = await server.ready()
    }
    t.after(async () => {
      await Promise.all(servers.map((server) => server.stop('SIGKILL')))
      receiver.stop()
      await removeDatabase(folder)
      removeFolder(folder)
    })
    for (let i = 0; i < processes; i += 1) await start(i)

    let writes = 0
    let isOver = false
    const pick = () => makeAsk(urls[Math.floor(random() * processes)] as string)
    /** A killed process answers nothing: then the record says what was stored. */
    const asked = async (method: string, path: string, body?: object) => {
      const reply = await pick()(method, path, body === undefined ? {} : { body }).catch(() => undefined)
      if (!reply) await sleep(50)
      return reply
    }
    const write = async () => {
      while (!isOver) {
        const made = await asked('POST', '/api/v1/tickets', { number: 0 })
        if (made?.status !== 201) continue
        writes += 1
        const path = `/api/v1/tickets/${made.body.id}`
        for (let number = 1; number <= changesOfRecord && !isOver; ) {
          const changed = await asked('PATCH', path, { number })
          if (changed?.status === 200) writes += 1
          const found = await asked('GET', path)
          if (found?.status === 200) number = (found.body.number as number) + 1
        }
      }
    }
    const writing = Promise.all(Array.from({ length: writersAtOnce }, write))
    let kills = 0
    while (writes < writesMin || kills < 10) {
      await sleep(1000)
      const i = Math.floor(random() * processes)
      await servers[i]?.stop('SIGKILL')
      await start(i)
      kills += 1
    }
    isOver = true
    await writing

    const stored = new Map<string, number>()
    for (let page = 1; ; page += 1) {
      const { body, status, text } = await makeAsk(urls[0] as string)('GET', `/api/v1/tickets?limit=100&page=${page}`)
      assert.equal(status, 200, text)
      for (const { id, number } of body.data as Told[]) stored.set(id, number)
      if (body.data.length < 100) break
    }
    const heard = () => new Set(receiver.told.map(({ id, number }) => `${id} ${number}`))
    const expected = [...stored].flatMap(([id, last]) => Array.from({ length: last + 1 }, (_, i) => `${id} ${i}`))
    await until(
      () => heard().size >= expected.length,
      () => `${heard().size} of ${expected.length} effects`,
      200,
    )
    assert.deepEqual([...heard()].toSorted(), expected.toSorted(), 'each effect, and none without its write')
    const lastOf = new Map<string, number>()
    for (const { id, number } of receiver.told) {
      assert.ok(number >= (lastOf.get(id) ?? 0), `${id}: ${number} after ${lastOf.get(id)}`)
      lastOf.set(id, number)
    }
    t.diagnostic(
      `${writes} writes, ${kills} kills, ${receiver.told.length - new Set(receiver.told.map(({ effect }) => effect)).size} repeats`,
    )
  })
