/**
 * Measures one workload for all contestants: bare, a contestant, bare, the next …, for several
 * rounds. The result is the median of the ratios.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bare, type Contestant, type Credentials } from './contestants.ts'
import type { Facts } from './facts.ts'
import type { Generator } from './generator.ts'
import type { Outcome } from './load.ts'
import type { Pool } from './load-pool.ts'
import { end, type Served } from './processes.ts'
import type { Ask, Workload } from './workloads.ts'

export type Field = { readonly contestant: Contestant; readonly served: Served }
export type Timing = { readonly rounds: number; readonly seconds: number; readonly connections: number }

export type Share = {
  readonly contestant: string
  /** Of what the bare server manages. */
  readonly share: number
  /** The same of processor time a request: steadier on a machine that others use too. */
  readonly cpuShare: number
  readonly perSecond: number
  /**
   * Before that, when each request was asked for the first time; where there are many different
   * ones.
   */
  readonly firstPerSecond?: number
  /** Microseconds of the server's processor that one request takes. */
  readonly cpuUs: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Of the writes at the same time, where there are any. */
  readonly writesP99Ms?: number
}
export type Line = {
  readonly name: string
  readonly title: string
  /** Of an answer, on average. */
  readonly bytes: number
  readonly barePerSecond: number
  readonly bareCpuUs: number
  /**
   * How busy the load's core was while it asked the bare server: near 1, the load was the limit.
   */
  readonly loadBusy: number
  /** Whether the second contestant gave the same records as the first. */
  readonly agree: boolean
  readonly shares: readonly Share[]
}

export type Bench = {
  readonly facts: Facts
  readonly generator: Generator
  readonly timing: Timing
  readonly folder: string
  readonly report: (text: string) => void
}

export const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

export const requestsOf = (contestant: Contestant, asks: readonly Ask[], credentials: Credentials): string[] =>
  asks.flatMap((ask) => contestant.requestOf(ask, credentials) ?? [])

/**
 * Waits until the server is done with what was left behind in it, so that the next measurement is
 * not of that.
 */
export async function settle(port: number, ask: Ask): Promise<void> {
  let quick = 0
  const began = performance.now()
  while (quick < 3 && performance.now() - began < 120_000) {
    const asked = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${ask.path}`).catch(() => undefined)
    await response?.arrayBuffer()
    quick = response?.ok && performance.now() - asked < 20 ? quick + 1 : 0
  }
}

const sampleOf = async ({ contestant, served }: Field, asks: readonly Ask[]) =>
  sample(served.port, asks, await contestant.logIn(served.port))

/** Of which records: what else an answer says, such as the form of a cursor, may differ. */
function sameAnswers(one: readonly string[], other: readonly string[]): boolean {
  const recordsOf = (text: string) => {
    const { id, data } = JSON.parse(text) as { id?: string; data?: unknown }
    return JSON.stringify(id ?? data)
  }
  return one.every((text, i) => recordsOf(text) === recordsOf(other[i] as string))
}

/** The bodies of some of the requests: what the bare server is to send. */
async function sample(port: number, asks: readonly Ask[], { token, key }: Credentials): Promise<string[]> {
  const step = Math.max(1, Math.floor(asks.length / 24))
  const bodies: string[] = []
  for (let i = 0; i < asks.length && bodies.length < 24; i += step) {
    const { method, path, query, body, credential } = asks[i] as Ask
    const headers = {
      ...(credential === 'token' && { authorization: `Bearer ${token}` }),
      ...(credential === 'key' && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const target = `http://127.0.0.1:${port}${path}${query ? `?${new URLSearchParams(query)}` : ''}`
    const response = await fetch(target, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok || text.includes('"errors":[{')) throw new Error(`${target}: ${response.status} ${text}`)
    bodies.push(text)
  }
  return bodies
}

/** This many samples suffice for the time of a read that is not cached. */
const firstsMin = 100
/**
 * The pass in which everything is asked for once takes at most so many times as long as a round.
 */
const firstRounds = 8

/**
 * Each request once, so that the rounds meet a server that has seen them. Returns how many a second
 * that were.
 */
async function askEachOnce({ generator, timing }: Bench, { served }: Field, pool: Pool): Promise<number | undefined> {
  const requests = [...new Set(pool.requests)]
  const job = {
    port: served.port,
    pid: served.child.pid,
    warmSeconds: 0,
    seconds: firstRounds * timing.seconds,
    once: true,
  }
  const outcome = await generator.run({ ...job, pool: { ...pool, requests } })
  return requests.length < firstsMin ? undefined : outcome.pool.perSecond
}

type Round = { readonly outcome: Outcome; readonly share: number; readonly cpuShare: number }

/** Of a request, in microseconds of the server's processor. */
export const cpuUs = ({ pool, cpuSeconds = 0 }: Outcome) =>
  pool.answered === 0 ? 0 : (cpuSeconds * 1e6) / pool.answered

function roundOf(outcome: Outcome, bares: readonly Outcome[]): Round {
  const mean = (pick: (bare: Outcome) => number) => bares.reduce((sum, bare) => sum + pick(bare), 0) / bares.length
  const own = cpuUs(outcome)
  return {
    outcome,
    share: outcome.pool.perSecond / mean(({ pool }) => pool.perSecond),
    cpuShare: own === 0 ? 0 : mean(cpuUs) / own,
  }
}

type Asked = {
  readonly one: Field
  readonly pool: Pool
  readonly beside: Pool | undefined
  readonly rounds: Round[]
  first: number | undefined
}

function shareOf({
  one: {
    contestant: { name: contestant },
  },
  rounds,
  first,
}: Asked): Share {
  const of = (pick: (outcome: Outcome) => number) => median(rounds.map(({ outcome }) => pick(outcome)))
  return {
    contestant,
    share: median(rounds.map(({ share }) => share)),
    cpuShare: median(rounds.map(({ cpuShare }) => cpuShare)),
    perSecond: of(({ pool }) => pool.perSecond),
    ...(first !== undefined && { firstPerSecond: first }),
    cpuUs: of(cpuUs),
    medianMs: of(({ pool }) => pool.medianMs),
    p99Ms: of(({ pool }) => pool.p99Ms),
    maxMs: Math.max(...rounds.map(({ outcome }) => outcome.pool.maxMs)),
    ...(rounds[0]?.outcome.beside && { writesP99Ms: of(({ beside }) => beside?.p99Ms ?? 0) }),
  }
}

/** The first of the field says which bytes the bare server sends. */
export async function measure(bench: Bench, workload: Workload, field: readonly Field[]): Promise<Line> {
  const { facts, generator, timing, folder, report } = bench
  const asks = workload.asks(facts)
  const ready: Asked[] = []
  for (const one of field) {
    const credentials = await one.contestant.logIn(one.served.port)
    const requests = requestsOf(one.contestant, asks, credentials)
    const writes = requestsOf(one.contestant, workload.writes?.(facts) ?? [], credentials)
    if (requests.length === 0) continue
    const pool = { requests, connections: timing.connections }
    const beside = writes.length > 0 ? { requests: writes, connections: 8, perSecond: 50 } : undefined
    ready.push({ one, pool, beside, rounds: [], first: undefined })
  }
  const [first, second] = field as readonly [Field, Field | undefined]
  const bodies = await sampleOf(first, asks)
  const agree = second === undefined || sameAnswers(bodies, await sampleOf(second, asks))
  for (const asked of ready) {
    asked.first = await askEachOnce(bench, asked.one, asked.pool)
    if (asked.first)
      report(`${workload.name}: ${asked.one.contestant.name} ${Math.round(asked.first)}/s for the first time`)
  }
  const file = join(folder, 'bodies.json')
  writeFileSync(file, JSON.stringify(bodies))
  const limit = await bare(file).start()
  const { seconds, connections } = timing
  const bares: Outcome[] = []
  const askBare = async () => {
    const pool = { requests: ['GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'], connections }
    const outcome = await generator.run({
      port: limit.port,
      pid: limit.child.pid,
      warmSeconds: bares.length === 0 ? 0.5 : 0.1,
      seconds,
      pool,
    })
    bares.push(outcome)
  }
  try {
    for (let round = 0; round < timing.rounds; round += 1) {
      await askBare()
      for (const { one, pool, beside, rounds } of ready) {
        const warmSeconds = round === 0 ? Math.min(1, seconds) : 0.2
        const outcome = await generator.run({
          port: one.served.port,
          pid: one.served.child.pid,
          warmSeconds,
          seconds,
          pool,
          beside,
        })
        await settle(one.served.port, { path: '/livez' })
        await askBare()
        rounds.push(roundOf(outcome, bares.slice(-2)))
        const { share } = rounds.at(-1) as Round
        const { perSecond } = outcome.pool
        report(`${workload.name}: ${one.contestant.name} ${Math.round(perSecond)}/s, ${share.toPrecision(2)} of bare`)
      }
    }
  } finally {
    await end(limit.child)
  }
  const bytes = Math.round(bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length)
  const shares = ready.map(shareOf)
  return {
    name: workload.name,
    title: workload.title,
    bytes,
    barePerSecond: median(bares.map(({ pool }) => pool.perSecond)),
    agree,
    bareCpuUs: median(bares.map(cpuUs)),
    loadBusy: median(bares.map(({ busy }) => busy)),
    shares,
  }
}
