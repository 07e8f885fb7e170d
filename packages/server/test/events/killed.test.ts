/**
 * Random writes by ten writers while processes are killed. Readers of the feed, of its lines and of
 * live lists leave, and return at other processes. Each ends with the list that its rule and filter
 * show, and has seen each change once and in order. `FEED_WRITES`, `FEED_KILLS`, `FEED_READERS` (of
 * each kind) and `FEED_INSTANCES` make it longer. With `FEED_AT_ONCE`, most requests write so many
 * records in one transaction, and each counts as a write.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onPostgres, runSql } from 'bindery-server/test'
import { until } from '../helpers/until.ts'
import { type KilledWorld, startKilledWorld } from './killed-world.ts'
import { type LiveClient, makeLiveClient } from './live/live-client.ts'
import { makeRandomWrites, numbersFrom } from './random-world.ts'
import { makeReader, makeSettle, type ReaderOptions, type TestReader } from './reader.ts'

const writesMin = Number(process.env.FEED_WRITES ?? 300)
const kills = Number(process.env.FEED_KILLS ?? 1)
const readersOfKind = Number(process.env.FEED_READERS ?? 3)
const instances = Number(process.env.FEED_INSTANCES ?? 2)
const atOnce = Number(process.env.FEED_AT_ONCE ?? 1)
const writers = 10
const seed = Number(process.env.FEED_SEED ?? 45)
/** Records of a kind. */
const most = atOnce > 1 ? 300 : 150

type Storm = { readonly isOver: () => boolean; readonly below: (max: number) => number }

/** Reads now and then, until the writes are over. A reader that is too far behind begins anew. */
async function follow(reader: TestReader, { isOver, below }: Storm): Promise<void> {
  while (!isOver()) {
    while ((await reader.read(1 + below(Math.min(1_000, 100 * atOnce)))) && atOnce > 1);
    await new Promise((resolve) => setTimeout(resolve, below(300)))
  }
}

type Watcher = { readonly client: LiveClient; readonly asked: ReaderOptions }

/** Leaves at random, and returns at another process. */
async function watch({ client, asked }: Watcher, world: KilledWorld, { isOver, below }: Storm): Promise<void> {
  /** The token has ended, where no other reader with it has asked. */
  const renew = () => asked.ask('GET', `/api/v1/${asked.resource}?limit=1`, asked.as)
  let refused = ''
  const connect = () =>
    until(
      () =>
        client.connect(world.anyUrl()).then(
          () => true,
          async (error: Error) => {
            // A caller that has left the tenant, and a process that has ended
            assert.match(String(error), /fetch failed|^Error: (408|503|401)|terminated/)
            refused = String(error)
            if (refused.startsWith('Error: 401')) await renew()
            return false
          },
        ),
      () => `a stream: ${refused}`,
    )
  await connect()
  while (!isOver()) {
    const left = new Promise((resolve) => setTimeout(resolve, below(2_000)))
    await Promise.race([left, client.ended()])
    await client.cut()
    await connect()
  }
}

/** Lets writers wait while a reader begins anew. */
function makePause() {
  const running = new Set<Promise<unknown>>()
  let over: Promise<unknown> = Promise.resolve()
  return {
    async during(work: () => Promise<void>): Promise<void> {
      const own = over.then(() => Promise.all(running)).then(work)
      over = own.catch(() => undefined)
      await own
    },
    async whenOver(work: () => Promise<void>): Promise<void> {
      for (let seen: unknown; seen !== over; ) {
        seen = over
        await over
      }
      const own = work()
      running.add(own)
      await own.finally(() => running.delete(own))
    },
  }
}

const sorted = (rows: Iterable<readonly [string, unknown]>) => Object.fromEntries([...rows].sort())

async function checkClient(client: LiveClient, asked: ReaderOptions, words: string): Promise<void> {
  const reader = makeReader(asked)
  await reader.begin()
  const list = sorted(reader.table)
  const failed = () => client.events.filter(({ event }) => event === 'failed')
  await until(
    () => failed().length > 0 || JSON.stringify(sorted(client.table)) === JSON.stringify(list),
    () => `${words} ${asked.resource} ${asked.filter}: not the list, ${JSON.stringify(client.events.slice(-3))}`,
  )
  assert.deepEqual(failed(), [], words)
}

/** Removes the last row of the log about a record, as a fault would: no trigger notes it. */
async function loseLastChange({ env }: KilledWorld, id: string): Promise<void> {
  const sql = `DELETE FROM bindery_changes WHERE sequence = (SELECT max(sequence) FROM bindery_changes WHERE id = '${id}')`
  if (env.DATABASE_URL) return void (await runSql(env.DATABASE_URL, `SET session_replication_role = replica; ${sql}`))
  const file = new DatabaseSync(join(env.DATA_DIR as string, 'bindery.db'), { timeout: 60_000 })
  // With a row of its own, the commit is no write past the log
  const note = `INSERT INTO bindery_changes (at_ms, resource, kind, records, credential) VALUES (${Date.now()}, 'bindery_meta', 'update', '[]', 'service')`
  file.exec(`BEGIN; ${sql}; ${note}; COMMIT`)
  file.close()
}

/** A reader that misses one change says which record it was, and where. */
async function checkSeededLoss(world: KilledWorld, settle: () => Promise<void>): Promise<void> {
  const { ask, admin } = world
  const token = () => ({ token: admin.token })
  const reader = makeReader({
    ask,
    as: token(),
    resource: 'projects',
    filter: 'level=7',
    names: ['id', 'level', 'isOpen', 'ownerId'],
  })
  const { body } = await ask('POST', '/api/v1/projects', { body: { level: 7 }, ...token() })
  await settle()
  await reader.begin()
  const write = async (values: object) => {
    const reply = await ask('PATCH', `/api/v1/projects/${body.id}`, { body: values, ...token() })
    assert.equal(reply.status, 200, reply.text)
    await settle()
  }
  await write({ isOpen: true })
  await loseLastChange(world, body.id)
  await write({ isOpen: false })
  await assert.rejects(
    reader.catchUp().then(() => reader.check()),
    (error: Error) => error.message.includes(body.id) && /the values before: .*"position":"/.test(error.message),
    'a change that the log has lost',
  )
}

test('readers have each change once and in order, through kills, and a lost one has a name', async () => {
  const below = numbersFrom(seed)
  const world = await startKilledWorld(onPostgres ? { instances, workers: 1 } : { instances: 1, workers: 2 }, below)
  try {
    const { ask, admin } = world
    const people = [await world.person('USER'), await world.person('USER'), await world.person('SUPPORT')]
    const chief = await world.person('USER')
    const { write, asked, done, written } = await makeRandomWrites({
      draw: below,
      ask,
      admin,
      chief,
      people,
      most,
      mayFail: true,
      atOnce,
    })
    const sofar = atOnce > 1 ? written : done
    const settle = makeSettle(ask, {
      get token() {
        return admin.token
      },
    })
    let isOver = false
    const storm: Storm = { isOver: () => isOver, below }
    const withTenant = ({ as }: ReaderOptions) => (as.headers as object | undefined) !== undefined
    const askedOne = (): ReaderOptions => {
      for (;;) {
        const one = asked()
        // Its caller may have left the tenant: then there is no list to compare.
        if (!withTenant(one) && !one.filter?.startsWith('price')) return one
      }
    }
    const pause = makePause()
    const quietly = (work: () => Promise<void>) => pause.during(() => settle().then(work))
    const feeds = Array.from({ length: readersOfKind * 2 }, (_, i) =>
      makeReader({ ...askedOne(), lines: i % 2 === 1, quietly }),
    )
    await settle()
    for (const reader of feeds) await reader.begin()
    const lives = Array.from({ length: readersOfKind }, () => {
      const one = askedOne()
      const headers = {
        get authorization() {
          return `Bearer ${one.as.token}`
        },
      }
      const path = `/${one.resource}?${one.filter ? `${one.filter}&` : ''}_live`
      return { asked: one, client: makeLiveClient({ url: world.anyUrl(), path, headers, keeps: 1_000 }) }
    })
    const reading = [...feeds.map((reader) => follow(reader, storm)), ...lives.map((one) => watch(one, world, storm))]
    const failed = Promise.all(reading)
    const writing = Array.from({ length: writers }, async () => {
      while (sofar() < writesMin) await pause.whenOver(write)
    })
    const killing = (async () => {
      for (let kill = 1; kill <= kills; kill += 1) {
        while (sofar() < (writesMin * kill) / (kills + 1)) await new Promise((resolve) => setTimeout(resolve, 20))
        await world.kill()
        if (process.env.FEED_WRITES) console.log(`kill ${kill} of ${kills} at ${sofar()} writes`)
      }
    })()
    await Promise.race([failed, Promise.all([...writing, killing])])
    await Promise.all([...writing, killing])
    isOver = true
    await failed
    await settle()
    for (const [i, reader] of feeds.entries()) {
      await reader.catchUp()
      await reader.check(`reader ${i}`)
    }
    for (const [i, { client, asked }] of lives.entries()) await checkClient(client, asked, `live ${i}`)
    const events = feeds.reduce((sum, { count }) => sum + count(), 0)
    const losses = [...feeds, ...lives.map(({ client }) => client)].map((one) => one.losses())
    assert.ok(events > writesMin / 10, `${events} events`)
    assert.ok(losses.flat().length <= kills, `began anew: ${JSON.stringify(losses)}`)
    if (process.env.FEED_WRITES)
      console.log(`${done()} requests, ${written()} records, ${events} events, began anew ${JSON.stringify(losses)}`)
    for (const { client } of lives) await client.cut()
    await checkSeededLoss(world, settle)
  } finally {
    await world.stop()
  }
})
