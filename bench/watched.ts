/**
 * What watching costs: `node bench/watched.ts`. The same service several times on one core, asked for records by id in turn: with nothing,
 * with its log, and with the port for metrics and the watch for slow statements besides. Compared is processor time a request, in many short
 * rounds: what neighbours do to this machine changes by the second, and hits all that are measured within one alike.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bindery } from './contestants.ts'
import { type Facts, readFacts } from './facts.ts'
import { fill } from './fill.ts'
import { type Generator, makeGenerator } from './generator.ts'
import { cpuUs, type Field, median, requestsOf } from './measure.ts'
import { endAll, pinning } from './processes.ts'
import { type Workload, workloads } from './workloads.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '48' },
    seconds: { type: 'string', default: '0.5' },
    json: { type: 'boolean', default: false },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const connections = 32
const products = 1000

/** From the least to the most that is watched. */
const settings = [
  { name: 'nothing', env: { LOG_LEVEL: 'silent', SLOW_MS: 'off' } },
  { name: 'log', env: { SLOW_MS: 'off' } },
  { name: 'log, metrics, slow statements', env: { METRICS_PORT: '0' } },
] as const

type Measured = { readonly workload: string; readonly name: string; readonly us: number; readonly over: number[] }

/** Back and forth, so that what grows steadily in the surroundings hits all alike. */
function orderOf(field: readonly Field[], round: number): readonly Field[] {
  return round % 2 === 0 ? field : field.toReversed()
}

type Parts = { readonly facts: Facts; readonly generator: Generator; readonly field: readonly Field[] }

async function measure({ title, asks }: Workload, { facts, generator, field }: Parts): Promise<Measured[]> {
  const spent = new Map<Field, number[]>(field.map((one) => [one, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const one of orderOf(field, round)) {
      const { port, child } = one.served
      const pool = { requests: requestsOf(one.contestant, asks(facts), { token: '', key: '' }), connections }
      const warmSeconds = round === 0 ? 2 : 0.1
      spent.get(one)?.push(cpuUs(await generator.run({ port, pid: child.pid, warmSeconds, seconds, pool })))
    }
  }
  const all = [...spent.values()]
  return all.map((own, at) => ({
    workload: title,
    name: field[at]?.contestant.name ?? '',
    us: median(own),
    over: all.slice(0, at).map((other) => median(own.map((us, i) => us / (other[i] as number))) - 1),
  }))
}

function print({ name, us, over }: Measured): string {
  const beside = over.map((more, at) => `, ${(more * 100).toFixed(1)} % over ${settings[at]?.name}`)
  return `  ${name}: ${us.toFixed(1)} µs${beside.join('')}\n`
}

async function main(folder: string): Promise<void> {
  const { dataDir, plainFile } = await fill(products, { folder, keep: undefined }, () => undefined)
  const field: Field[] = []
  for (const { name, env } of settings) {
    const contestant = bindery(dataDir, { name, env })
    field.push({ contestant, served: await contestant.start() })
  }
  const parts = { facts: readFacts(plainFile, products), generator: makeGenerator(), field }
  const found: Measured[] = []
  for (const workload of workloads.filter(({ name }) => name === 'record' || name === 'records')) {
    const measured = await measure(workload, parts)
    found.push(...measured)
    if (!values.json)
      process.stdout.write(`${workload.title}, processor time a request\n${measured.map(print).join('')}`)
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
