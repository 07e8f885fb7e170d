/**
 * Figures of effects on both databases: `node bench/effects.ts [sqlite|postgres]`. Throughput of a
 * handler that does nothing, beside done effects and an open transaction. The time from a write to
 * its effect, and the cost of an effect for a write. Only ratios mean anything on another machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../packages/server/src/config.ts'
import { startEffects } from '../packages/server/src/effects/run-effects.ts'
import { anyone, defineResource, id, text } from '../packages/server/src/index.ts'
import { makeCatalog } from '../packages/server/src/resource/catalog.ts'
import { serviceAuthor } from '../packages/server/src/storage/changes.ts'
import { openStorage } from '../packages/server/src/storage/open.ts'
import type { Storage } from '../packages/server/src/storage/storage.ts'
import { makePostgresDatabase, startCluster, startService } from '../packages/server/src/testing/index.ts'
import { quantile } from './quantile.ts'

const scale = Number(process.env.EFFECTS_SCALE ?? 1)
const [which = 'sqlite'] = process.argv.slice(2)
const say = (name: string, text: string) => console.log(`${which}  ${name.padEnd(44)} ${text}`)
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] as number

const starts = new Map<string, number>()
let hangMs = 0
const fields = { id: id(), name: text({ required: true }), note: text() }
const common = { fields, list: { style: 'page' }, access: { list: anyone, get: anyone, create: anyone } } as const
const plain = defineResource({ ...common, name: 'plain', path: '/plains' })
const told = defineResource({
  ...common,
  name: 'told',
  path: '/tolds',
  effects: {
    tell: {
      on: ['create'],
      async run({ record }) {
        starts.set(record.name, performance.now())
        if (hangMs > 0) await sleep(hangMs)
      },
    },
  },
})

let ran = 0
let firstMs = 0
const kind = () => ({
  name: 'noop',
  async run() {
    if (ran === 0) firstMs = performance.now()
    ran += 1
  },
  inOrder: true,
  atOnce: 50,
  triesMax: 3,
  timeoutMs: 30_000,
  backoff: { firstMs: 1000, factor: 3, mostMs: 60_000 },
  words: { again: 'again', givenUp: 'given up' },
})

async function leave(storage: Storage, count: number, round: string): Promise<void> {
  const nowMs = Date.now()
  for (let from = 0; from < count; from += 500)
    await storage.transaction(serviceAuthor, (tx) =>
      tx.leaveEffects(
        Array.from({ length: Math.min(500, count - from) }, (_, i) => {
          const name = `${round}-${from + i}`
          // As of 1,000 writes a second.
          const leftMs = nowMs - count + from + i
          const place = { id: name, kind: 'noop', key: name, inOrder: true, dueMs: leftMs, leftMs }
          return { ...place, payload: '{"record":{"name":"a name of a record"},"previous":null}', context: null }
        }),
      ),
    )
}

/** Effects a second: what waits is run to its end. */
async function rateOf(storage: Storage, count: number, round: string): Promise<number> {
  await leave(storage, count, round)
  ran = 0
  const times = { leaseMs: 60_000, checkMs: 10_000, stopMs: 1000 }
  const report = (message: string, error: unknown) => console.error(message, error)
  const effects = startEffects({ storage, kinds: [kind()], clock: Date.now, times, report })
  // Timed from the first to the last start: a runner looks at all once when it starts.
  while (ran < count) await sleep(2)
  const seconds = (performance.now() - firstMs) / 1000
  await effects.stop()
  return count / seconds
}

/** Ends plans that were made for an empty table. */
async function analyze(url: string): Promise<void> {
  if (!url.startsWith('postgres')) return
  const client = new pg.Client(url)
  await client.connect()
  await client.query('ANALYZE bindery_effects')
  await client.end()
}

async function throughput(env: Record<string, string>): Promise<void> {
  const storage = await openStorage(readConfig(env).database, makeCatalog([plain]), { heldMs: 0, making: 'fresh' })
  const count = 10_000
  await rateOf(storage, 500, 'warm')
  const first = await Promise.all([rateOf(storage, count, 'first')])
  say('effects a second, empty table', `${Math.round(first[0] as number)}/s`)
  const done = Math.round(1_000_000 * scale)
  const url = env.DATABASE_URL ?? ''
  const client = url.startsWith('postgres') ? new pg.Client(url) : undefined
  await client?.connect()
  if (client) {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SELECT 1 FROM bindery_effects LIMIT 1')
  }
  for (let at = 0; at < done; at += 50_000) await rateOf(storage, Math.min(50_000, done - at), `done${at}`)
  // As autovacuum does within a minute; the cluster of tests has none.
  await analyze(url)
  const later = [await rateOf(storage, count, 'later'), await rateOf(storage, count, 'later2')]
  const beside = client ? ', beside a transaction open since before them' : ''
  say(
    `after ${done} done ones${beside}`,
    `${Math.round(median(later))}/s, ${(median(later) / (first[0] as number)).toFixed(2)} of before`,
  )
  await client?.query('ROLLBACK')
  await client?.end()
  await storage.close()
}

type Service = Awaited<ReturnType<typeof startService>>
async function creates(service: Service, path: string, ms: number): Promise<number> {
  let count = 0
  const endMs = performance.now() + ms
  const writer = async () => {
    while (performance.now() < endMs) {
      const made = await service.ask('POST', path, { body: { name: `n${Math.random()}` } })
      if (made.status === 201) count += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, writer))
  return count / (ms / 1000)
}

async function latency(service: Service, perSecond: number, seconds: number): Promise<void> {
  starts.clear()
  const sent = new Map<string, { sentMs: number; answeredMs: number }>()
  const asks: Promise<unknown>[] = []
  let refused = 0
  const beganMs = performance.now()
  for (let i = 0; i < perSecond * seconds; i += 1) {
    const waitMs = beganMs + (i * 1000) / perSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const name = `latency${i}`
    const sentMs = performance.now()
    asks.push(
      service.ask('POST', '/api/v1/tolds', { body: { name } }).then(({ status }) => {
        if (status === 201) sent.set(name, { sentMs, answeredMs: performance.now() })
        else refused += 1
      }),
    )
  }
  await Promise.all(asks)
  while ([...sent.keys()].some((name) => !starts.has(name))) await sleep(20)
  if (refused > 0) say('writes that were refused, the machine being busy', String(refused))
  const all = [...sent].map(([name, { sentMs, answeredMs }]) => {
    const start = starts.get(name) as number
    return { afterAnswer: Math.max(0, start - answeredMs), afterSent: start - sentMs }
  })
  for (const part of ['afterAnswer', 'afterSent'] as const) {
    const ms = all.map((one) => one[part])
    say(
      `start of an effect ${part === 'afterAnswer' ? 'after the answer' : 'after the request'}, ${perSecond}/s`,
      `p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms`,
    )
  }
}

async function writes(env: Record<string, string>): Promise<void> {
  const service = await startService([plain, told], { env })
  try {
    const ratios: number[] = []
    await creates(service, '/api/v1/plains', 1000)
    for (let round = 0; round < 5; round += 1) {
      const without = await creates(service, '/api/v1/plains', 2000)
      const withEffect = await creates(service, '/api/v1/tolds', 2000)
      await service.sweep()
      ratios.push(withEffect / without)
    }
    say(
      'creates with an effect, of those without',
      `${median(ratios).toFixed(2)} (${ratios.map((one) => one.toFixed(2)).join(', ')})`,
    )
    await latency(service, 100, 10)
    const slow: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const before = await creates(service, '/api/v1/tolds', 2000)
      await service.sweep()
      hangMs = 10_000
      await creates(service, '/api/v1/tolds', 300)
      await sleep(200)
      const during = await creates(service, '/api/v1/tolds', 2000)
      hangMs = 0
      slow.push(during / before)
      await sleep(10_500)
      await service.sweep()
    }
    say(
      'creates while the receiver takes 10 s',
      `${median(slow).toFixed(2)} of before (${slow.map((one) => one.toFixed(2)).join(', ')})`,
    )
  } finally {
    await service.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bindery-effects-'))
const cluster = which === 'postgres' ? await startCluster() : undefined
try {
  const envOf = async (name: string): Promise<Record<string, string>> => ({
    DATA_DIR: join(folder, name),
    DATABASE_URL: cluster ? await makePostgresDatabase(cluster.url, name) : `sqlite:${join(folder, `${name}.db`)}`,
  })
  if (!process.env.EFFECTS_ONLY) await writes(await envOf('writes'))
  await throughput(await envOf('throughput'))
} finally {
  await cluster?.stop()
  rmSync(folder, { recursive: true, force: true })
}
