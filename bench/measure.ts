/** One workload, all contestants: bare, a contestant, bare, the next …, for several rounds. What counts is the median of the ratios. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bare, type Contestant, type Credentials } from './contestants.ts'
import type { Facts } from './facts.ts'
import type { Generator } from './generator.ts'
import type { Pool, Seen } from './load.ts'
import { end, type Served } from './processes.ts'
import type { Ask, Workload } from './workloads.ts'

export type Field = { readonly contestant: Contestant; readonly served: Served }
export type Timing = { readonly rounds: number; readonly seconds: number; readonly connections: number }

export type Share = {
  readonly contestant: string
  /** Of what the bare server manages. */
  readonly share: number
  readonly perSecond: number
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
  /** How busy the load's core was while it asked the bare server: near 1, the load was the limit. */
  readonly loadBusy: number
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

/** Waits until the server is done with what was left behind in it, so that the next measurement is not of that. */
export async function settle(port: number, ask: Ask): Promise<void> {
  let quick = 0
  const began = performance.now()
  while (quick < 3 && performance.now() - began < 120_000) {
    const asked = performance.now()
    await (await fetch(`http://127.0.0.1:${port}${ask.path}`)).arrayBuffer()
    quick = performance.now() - asked < 20 ? quick + 1 : 0
  }
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
    if (!response.ok) throw new Error(`${target}: ${response.status} ${text}`)
    bodies.push(text)
  }
  return bodies
}

type Round = { readonly seen: Seen; readonly beside: Seen | undefined; readonly share: number }

function shareOf(contestant: string, rounds: readonly Round[]): Share {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  return {
    contestant,
    share: of(({ share }) => share),
    perSecond: of(({ seen }) => seen.perSecond),
    medianMs: of(({ seen }) => seen.medianMs),
    p99Ms: of(({ seen }) => seen.p99Ms),
    maxMs: Math.max(...rounds.map(({ seen }) => seen.maxMs)),
    ...(rounds[0]?.beside && { writesP99Ms: of(({ beside }) => beside?.p99Ms ?? 0) }),
  }
}

/** The first of the field says which bytes the bare server sends. */
export async function measure(bench: Bench, workload: Workload, field: readonly Field[]): Promise<Line> {
  const { facts, generator, timing, folder, report } = bench
  const asks = workload.asks(facts)
  const ready: { one: Field; pool: Pool; beside: Pool | undefined; rounds: Round[] }[] = []
  for (const one of field) {
    const credentials = await one.contestant.logIn(one.served.port)
    const requests = requestsOf(one.contestant, asks, credentials)
    const writes = requestsOf(one.contestant, workload.writes?.(facts) ?? [], credentials)
    if (requests.length === 0) continue
    const pool = { requests, connections: timing.connections }
    const beside = writes.length > 0 ? { requests: writes, connections: 8, perSecond: 50 } : undefined
    ready.push({ one, pool, beside, rounds: [] })
  }
  const first = field[0] as Field
  const bodies = await sample(first.served.port, asks, await first.contestant.logIn(first.served.port))
  const file = join(folder, 'bodies.json')
  writeFileSync(file, JSON.stringify(bodies))
  const limit = await bare(file).start()
  const { seconds, connections } = timing
  const bares: number[] = []
  const busy: number[] = []
  const askBare = async () => {
    const pool = { requests: ['GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'], connections }
    const outcome = await generator.run({
      port: limit.port,
      warmSeconds: bares.length === 0 ? 0.5 : 0.1,
      seconds,
      pool,
    })
    bares.push(outcome.pool.perSecond)
    busy.push(outcome.busy)
  }
  try {
    for (let round = 0; round < timing.rounds; round += 1) {
      await askBare()
      for (const { one, pool, beside, rounds } of ready) {
        const warmSeconds = round === 0 ? Math.min(1, seconds) : 0.2
        const outcome = await generator.run({ port: one.served.port, warmSeconds, seconds, pool, beside })
        await settle(one.served.port, { path: '/livez' })
        await askBare()
        const around = ((bares.at(-1) as number) + (bares.at(-2) as number)) / 2
        const share = outcome.pool.perSecond / around
        rounds.push({ seen: outcome.pool, beside: outcome.beside, share })
        report(
          `${workload.name}: ${one.contestant.name} ${Math.round(outcome.pool.perSecond)} of ${Math.round(around)}`,
        )
      }
    }
  } finally {
    await end(limit.child)
  }
  const bytes = Math.round(bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length)
  const shares = ready.map(({ one, rounds }) => shareOf(one.contestant.name, rounds))
  return {
    name: workload.name,
    title: workload.title,
    bytes,
    barePerSecond: median(bares),
    loadBusy: median(busy),
    shares,
  }
}
