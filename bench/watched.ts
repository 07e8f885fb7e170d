/**
 * The cost of observability: `node bench/watched.ts`. Messages switch one service on one core
 * between nothing, slow statements, its log too, and the metrics of the port too. The figure is
 * processor time per request, over many short rounds. Other load only adds cost, so the cheapest
 * quarter is compared as well. The response cache is first on, then off; a process reads the log.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bindery } from './contestants.ts'
import { type Facts, readFacts } from './facts.ts'
import { fill } from './fill.ts'
import { type Generator, makeGenerator } from './generator.ts'
import { cpuUs, median, requestsOf } from './measure.ts'
import { endAll, launch, pinning } from './processes.ts'
import type { Watching } from './watched-server.ts'
import { type Workload, workloads } from './workloads.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '0.3' },
    json: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const connections = 32
const products = 1000
const answeredMin = 500

/**
 * From the least to the most that is watched. The first is there twice: how far it is from itself
 * says how much to believe the others.
 */
const settings = [
  { name: 'nothing', slow: false, logs: false, counts: false },
  { name: 'nothing again', slow: false, logs: false, counts: false },
  { name: 'slow statements', slow: true, logs: false, counts: false },
  { name: 'slow statements and log', slow: true, logs: true, counts: false },
  { name: 'slow statements, log and metrics', slow: true, logs: true, counts: true },
] as const
type Setting = (typeof settings)[number]

type Measured = {
  readonly workload: string
  readonly name: string
  readonly us: number
  /** The median over that of nothing, round by round. */
  readonly over: number
  /** The mean of the cheapest quarter over that of nothing. */
  readonly overCheapest: number
}
type Parts = {
  readonly facts: Facts
  readonly generator: Generator
  readonly child: ChildProcess
  readonly port: number
  readonly dataDir: string
}

async function tell(child: ChildProcess, watching: Watching): Promise<void> {
  const told = once(child, 'message')
  child.send(watching)
  await told
}

function cheapest(all: readonly number[]): number {
  const quarter = all.toSorted((a, b) => a - b).slice(0, Math.max(1, Math.floor(all.length / 4)))
  return quarter.reduce((sum, one) => sum + one, 0) / quarter.length
}

async function measure({ title, asks }: Workload, { facts, generator, child, port, dataDir }: Parts) {
  const spent = new Map<Setting, number[]>(settings.map((one) => [one, []]))
  const requests = requestsOf(bindery(dataDir), asks(facts), { token: '', key: '' })
  for (let round = 0; round < rounds; round += 1) {
    // Back and forth, so that what grows steadily in the surroundings hits all alike.
    for (const one of round % 2 === 0 ? settings : settings.toReversed()) {
      const warmSeconds = round === 0 ? 2 : 0.05
      await tell(child, {
        logs: one.logs,
        slow: one.slow,
        countsMs: one.counts ? (warmSeconds + seconds) * 1000 + 50 : 0,
      })
      const outcome = await generator.run({
        port,
        pid: child.pid,
        warmSeconds,
        seconds,
        pool: { requests, connections },
      })
      // Where neighbours took the processor for most of a round, a few requests say nothing
      spent.get(one)?.push(outcome.pool.answered < answeredMin ? Number.NaN : cpuUs(outcome))
      if (one.counts) await sleep(60)
    }
  }
  const isWhole = (round: number) => [...spent.values()].every((own) => !Number.isNaN(own[round]))
  const wholeOf = (own: readonly number[]) => own.filter((_, round) => isWhole(round))
  const base = wholeOf([...spent.values()][0] ?? [])
  return [...spent].map(([{ name }, all]): Measured => {
    const own = wholeOf(all)
    const over = median(own.map((us, i) => us / (base[i] as number))) - 1
    return { workload: title, name, us: median(own), over, overCheapest: cheapest(own) / cheapest(base) - 1 }
  })
}

function print({ name, us, over, overCheapest }: Measured): string {
  const [median, quarter] = [over, overCheapest].map((share) => `${(share * 100).toFixed(1)} %`)
  return `  ${name}: ${us.toFixed(1)} µs, ${median} over nothing, ${quarter} by the cheapest quarter\n`
}

async function main(folder: string): Promise<void> {
  const { dataDir, plainFile } = await fill(products, { folder, keep: undefined }, () => undefined)
  const program = join(import.meta.dirname, 'watched-server.ts')
  const [facts, generator] = [readFacts(plainFile, products), makeGenerator()]
  const found: Measured[] = []
  for (const keeps of [true, false]) {
    const env = { DATA_DIR: dataDir, PORT: '0', KEEP_ANSWERS: String(keeps) }
    const child = launch('server', [process.execPath, program], { env, ipc: true, output: 'read' })
    const [address] = (await once(child, 'message')) as [string]
    const parts = { facts, generator, child, port: Number(new URL(address).port), dataDir }
    for (const workload of workloads.filter(({ name }) => name === 'record' || name === 'records')) {
      const title = `${workload.title}${keeps ? '' : ', read each time'}`
      const measured = await measure({ ...workload, title }, parts)
      found.push(...measured)
      if (!values.json) process.stdout.write(`${title}, processor time a request\n${measured.map(print).join('')}`)
    }
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ pinning, rounds, seconds, found }, null, 2)}\n`)
  else process.stdout.write(`Medians of ${rounds} rounds of ${seconds} s; ${pinning}.\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'bindery-watched-'))
try {
  await main(folder)
} finally {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(process.exitCode ?? 0)
