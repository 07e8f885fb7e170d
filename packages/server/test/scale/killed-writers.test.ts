/**
 * Random writes by two processes that are killed in the middle: afterwards the change log and the
 * tables agree.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import { replayLog, storedVersions } from '../../src/testing/log-check.ts'
import {
  adminEmail,
  databaseOf,
  makeAsk,
  password,
  removeDatabase,
  removeFolder,
  resources,
  type ServerProcess,
  spawnServer,
  temporaryFolder,
} from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from './instances.ts'
import { makeRandom } from './random-requests.ts'

const rounds = shortOr(1, 3)
const writesAtOnce = 8

/** Logs in, so that nothing but writes is under way when the server is killed. */
async function tokenOf(url: string): Promise<string> {
  return (await makeAsk(url)('POST', '/auth/login', { body: { email: adminEmail, password } })).body.accessToken
}

type Writing = { acknowledged(): number; readonly ended: Promise<unknown> }

/** Creates, changes and deletes of all kinds until the server is gone. */
function writeUntilKilled(url: string, token: string, random: () => number): Writing {
  const ask = makeAsk(url)
  const ids: Record<string, string[]> = { editions: [], shelves: [], articles: [] }
  const bodies: Record<string, object> = {
    editions: { title: 'An edition', price: 5 },
    shelves: { label: `Shelf ${random()}`, room: 'a' },
    articles: { title: 'An article' },
  }
  let acknowledged = 0
  const writer = async () => {
    for (;;) {
      const path = Object.keys(bodies)[Math.floor(random() * 3)] as string
      const known = ids[path] as string[]
      const chosen = known[Math.floor(random() * known.length)]
      const kind = chosen === undefined ? 0 : random()
      const reply =
        kind < 0.5
          ? await ask('POST', `/api/v1/${path}`, { body: bodies[path], token })
          : kind < 0.8
            ? await ask('PATCH', `/api/v1/${path}/${chosen}`, { body: {}, token })
            : await ask('DELETE', `/api/v1/${path}/${chosen}`, { token })
      if (reply.status < 300) acknowledged += 1
      if (reply.status === 201) known.push(reply.body.id)
    }
  }
  const ended = Promise.allSettled(Array.from({ length: writesAtOnce }, writer))
  return { acknowledged: () => acknowledged, ended }
}

/** Throws unless each server has acknowledged as many. */
async function checkAcknowledged(writing: readonly Writing[], count: number): Promise<void> {
  const counts = writing.map((one) => one.acknowledged())
  assert.ok(Math.min(...counts) >= count, `${counts} writes were acknowledged`)
}

/** Throws unless the log says of each resource what its table has. */
async function checkLog(engine: Engine): Promise<void> {
  const replayed = await replayLog(engine)
  for (const [name, resource] of engine.catalog.resources) {
    const stored = await storedVersions(engine, resource)
    assert.deepEqual(new Map([...(replayed.get(name) ?? [])].sort()), new Map([...stored].sort()), name)
  }
}

test('two processes, killed at random moments, leave log and tables agreeing', async () => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)) }
  const random = makeRandom(20261122)
  let acknowledged = 0
  try {
    for (let round = 0; round < rounds; round += 1) {
      const first = spawnServer({ env })
      const urls = [await first.ready()]
      const second = spawnServer({ env })
      urls.push(await second.ready())
      const tokens = await Promise.all(urls.map(tokenOf))
      const writing = urls.map((url, i) => writeUntilKilled(url, tokens[i] as string, random))
      await until(() => checkAcknowledged(writing, 15))
      await sleep(500 + random() * 500)
      await Promise.all([first, second].map((one: ServerProcess) => one.stop('SIGKILL')))
      await Promise.all(writing.map(({ ended }) => ended))
      acknowledged += writing.reduce((sum, one) => sum + one.acknowledged(), 0)
    }
    assert.ok(acknowledged >= 30 * rounds, `${acknowledged} writes were acknowledged`)
    const engine = await openEngine(readConfig(env), resources)
    // A change is told when every older transaction of the whole cluster has ended, such as a
    // neighbour's or an autovacuum's.
    await until(() => checkLog(engine))
    await engine.storage.close()
  } finally {
    await removeDatabase(folder)
    removeFolder(folder)
  }
})
