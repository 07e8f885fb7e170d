/**
 * Counted fields equal a real count after random writes, with imports, undone batches, trash and
 * restores, while processes are killed in the middle. `COUNTED_WRITES`, `COUNTED_KILLS`,
 * `COUNTED_INSTANCES` and `COUNTED_WORKERS`, the workers of each, make it longer. `COUNTED_READERS`
 * are the records that count: the fewer there are, the more the writers wait for each other.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openEngine } from '../../src/service/open-engine.ts'
import {
  databaseOf,
  makeAsk,
  removeDatabase,
  removeFolder,
  type ServerProcess,
  spawnServer,
  temporaryFolder,
} from '../helpers/application.ts'
import { countsIn, loans, readers } from '../record/counted-resources.ts'
import { until } from './instances.ts'
import { makeRandom } from './random-requests.ts'

const writesMin = Number(process.env.COUNTED_WRITES ?? 200)
const kills = Number(process.env.COUNTED_KILLS ?? 1)
const instances = Number(process.env.COUNTED_INSTANCES ?? 2)
const workers = process.env.COUNTED_WORKERS ?? '1'
const countingRecords = Number(process.env.COUNTED_READERS ?? 12)
const writersEach = 4

/** The records that the writers know of, shared by all of them. */
type Known = { readonly readers: string[]; readonly loans: string[] }
type Sent = { readonly method: string; readonly path: string; readonly body?: unknown; readonly lines?: string }

function makeWrites(random: () => number, known: Known) {
  const below = (max: number) => Math.floor(random() * max)
  const oneOf = (ids: readonly string[]) => ids[below(ids.length)] ?? 'none'
  const person = () => (below(6) === 0 ? null : oneOf(known.readers))
  const values = () => ({
    readerId: person(),
    adviserId: person(),
    title: ['lost', 'kept', 'kept', `t${below(50)}`][below(4)],
    returned: below(2) === 0,
    fee: below(3) === 0 ? null : below(1000) / 100,
    days: below(4) === 0 ? null : below(30),
    takenAt: below(4) === 0 ? null : new Date(Date.UTC(2026, 0, 1 + below(300))).toISOString(),
  })
  const batch = (): Sent => {
    const isUndone = below(2) === 0
    const made = Array.from({ length: 3 }, () => ({ method: 'POST', path: '/loans', body: values() }))
    const last = {
      method: 'PATCH',
      path: `/loans/${oneOf(known.loans)}`,
      body: isUndone ? { readerId: 'no' } : values(),
    }
    return { method: 'POST', path: '/batch', body: { operations: [...made, last] } }
  }
  const lines = (): Sent => {
    const made = Array.from({ length: 20 }, () => JSON.stringify(below(9) === 0 ? { title: 1 } : values()))
    return { method: 'POST', path: '/loans/import', lines: made.join('\n') }
  }
  const ways: readonly (() => Sent)[] = [
    () => ({ method: 'POST', path: '/loans', body: values() }),
    () => ({ method: 'POST', path: '/loans', body: values() }),
    () => ({ method: 'PATCH', path: `/loans/${oneOf(known.loans)}`, body: values() }),
    () => ({ method: 'PATCH', path: `/loans/${oneOf(known.loans)}`, body: { readerId: person() } }),
    () => ({ method: 'DELETE', path: `/loans/${oneOf(known.loans)}` }),
    () => ({ method: 'POST', path: `/loans/${oneOf(known.loans)}/restore` }),
    () => ({ method: 'DELETE', path: `/loans/${oneOf(known.loans)}?_trash=skip` }),
    () => ({ method: 'POST', path: `/loans/${oneOf(known.loans)}/twice` }),
    () => ({ method: 'DELETE', path: `/readers/${oneOf(known.readers)}` }),
    () => ({ method: 'POST', path: `/readers/${oneOf(known.readers)}/restore` }),
    () => ({ method: 'POST', path: `/readers/${oneOf(known.readers)}/restore` }),
    () => ({ method: 'PATCH', path: `/loans?title=t${below(50)}&limit=1000`, body: { returned: below(2) === 0 } }),
    () => ({ method: 'DELETE', path: `/loans?title=t${below(50)}&limit=1000` }),
    batch,
    lines,
  ]
  return () => (ways[below(ways.length)] as () => Sent)()
}

type Writing = { readonly known: Known; readonly next: () => Sent; done: number; readonly faults: string[] }

/** Remembers new records, and forgets old ones: the writers meet at few records. */
function remember(ids: string[], id: unknown): void {
  if (typeof id === 'string') ids.push(id)
  if (ids.length > 200) ids.shift()
}

async function writeTo(url: string, writing: Writing, isEnough: () => boolean): Promise<void> {
  const ask = makeAsk(url)
  while (!isEnough()) {
    const { method, path, body, lines } = writing.next()
    const sent = lines === undefined ? { body } : { body: lines, headers: { 'content-type': 'application/x-ndjson' } }
    const answer = await ask(method, `/api/v1${path}`, (body ?? lines) === undefined ? {} : (sent as never))
    if (answer.status >= 500 && answer.status !== 503) writing.faults.push(`${method} ${path} ${answer.text}`)
    if (answer.status >= 300) continue
    writing.done += answer.body?.created ?? 1
    if (path === '/loans') remember(writing.known.loans, answer.body.id)
  }
}

/** Fails where the writers are stuck, however slow they are. */
async function reached(writing: Writing, goal: number): Promise<void> {
  let done = -1
  while (writing.done < goal) {
    const known = done
    await until(async () => {
      done = writing.done
      assert.ok(done > known, `${done} of ${goal} writes; ${writing.faults}`)
    })
  }
}

test('counts are exact after random writes and kills', async () => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: folder, ...(await databaseOf(folder)), WORKERS: workers }
  const start = () => spawnServer({ env, command: ['counted-command.ts'], cwd: import.meta.dirname })
  const random = makeRandom(20261127)
  const servers: ServerProcess[] = []
  try {
    const urls: string[] = []
    for (let i = 0; i < instances; i += 1) {
      servers.push(start())
      urls.push(await (servers[i] as ServerProcess).ready())
    }
    const known: Known = { readers: [], loans: [] }
    for (let i = 0; i < countingRecords; i += 1) {
      const { body } = await makeAsk(urls[0] as string)('POST', '/api/v1/readers', { body: { label: `r${i}` } })
      known.readers.push(body.id)
    }
    const writing: Writing = { known, next: makeWrites(random, known), done: 0, faults: [] }
    const writers: Promise<unknown>[] = []
    const begin = (url: string, goal: () => boolean) => {
      for (let i = 0; i < writersEach; i += 1) writers.push(writeTo(url, writing, goal).catch(() => undefined))
    }
    const isEnough = () => writing.done >= writesMin
    for (const url of urls) begin(url, isEnough)
    for (let kill = 1; kill <= kills; kill += 1) {
      await reached(writing, (writesMin * kill) / (kills + 1))
      const at = Math.floor(random() * instances)
      await (servers[at] as ServerProcess).stop('SIGKILL')
      servers[at] = start()
      begin(await servers[at].ready(), isEnough)
      if (kills > 10) process.stderr.write(`${writing.done} of ${writesMin} writes, ${kill} of ${kills} kills\n`)
    }
    await Promise.all(writers)
    assert.deepEqual(writing.faults, [])
    assert.ok(isEnough(), `${writing.done} writes`)
    await Promise.all(servers.map((one) => one.stop()))
    const engine = await openEngine(readConfig(env), [readers, loans])
    const { kept, real } = await countsIn(engine)
    await engine.storage.close()
    assert.deepEqual(kept, real)
    assert.ok([...real.values()].some((one) => Number(one.loans) > 0))
  } finally {
    await Promise.all(servers.map((one) => one.stop('SIGKILL')))
    await removeDatabase(folder)
    removeFolder(folder)
  }
})
