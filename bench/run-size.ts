/**
 * Runs all measurements at one size, in one order: cold before warm, reads before writes, and last
 * those that end the service.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cold } from './cold.ts'
import { bindery, type Contestant, handWritten } from './contestants.ts'
import { creates, measureCreates, measureCreatesAlone } from './creates.ts'
import { readFacts } from './facts.ts'
import { fairness } from './fairness.ts'
import type { Figure, Measurement } from './figure.ts'
import { type Filled, fill } from './fill.ts'
import { imports, measureByHand } from './imports.ts'
import { type Bench, type Field, type Line, measure } from './measure.ts'
import type { Options } from './options.ts'
import { end } from './processes.ts'
import { measureStarts, memoryFigure } from './starts.ts'
import { workloads } from './workloads.ts'

export type Result = { readonly size: number; readonly lines: readonly Line[]; readonly figures: readonly Figure[] }

/** Starts more contestants, made for these rows. */
export type Peers = (filled: Filled) => Promise<readonly Field[]>

/**
 * strace makes each sync 2 ms longer, as on a disk. The build of SQLite decides which of the two
 * calls it makes. A seccomp filter stops the server at these two calls alone. Otherwise strace
 * slows every call, and a create makes some seventy.
 */
const slowDisk = [
  'strace',
  '-D',
  '-f',
  '--seccomp-bpf',
  '-qq',
  '-o',
  '/dev/null',
  '-e',
  'trace=fsync,fdatasync',
  '-e',
  'inject=fsync,fdatasync:delay_exit=2000',
] as const

/** The names of all workloads, in the order of measurement. */
export const names: readonly string[] = [
  'start',
  'memory',
  'cold',
  ...workloads.map(({ name }) => name),
  'fairness',
  'creates',
  'import',
  'slow-disk',
]

type Parts = {
  readonly bench: Bench
  readonly wanted: (name: string) => boolean
  readonly figures: Figure[]
}

async function startAll(contestants: readonly Contestant[]): Promise<Field[]> {
  const field: Field[] = []
  for (const contestant of contestants) field.push({ contestant, served: await contestant.start() })
  return field
}

function add(figures: Figure[], name: string, ...made: readonly (Omit<Figure, 'name'> | undefined)[]): void {
  for (const one of made) if (one) figures.push({ name, ...one })
}

async function measureServed({ bench, wanted, figures }: Parts, field: readonly Field[]): Promise<Line[]> {
  const own = field[0] as Field
  const both = field.slice(0, 2) // peers are asked reads alone
  const run = async ({ name, measure }: Measurement, these: readonly Field[]) => {
    if (wanted(name)) add(figures, name, ...(await measure(bench, these)))
  }
  const noteMemory = (when: string) => wanted('memory') && add(figures, 'memory', memoryFigure(own, when))
  noteMemory('after the start')
  await run(cold, field)
  const lines: Line[] = []
  for (const workload of workloads) {
    if (wanted(workload.name)) lines.push(await measure(bench, workload, workload.writes ? both : field))
  }
  noteMemory('after all reads')
  await run(fairness, field)
  await run(creates, both)
  await run(imports, both)
  noteMemory('at the end')
  return lines
}

export async function runSize(
  size: number,
  options: Options,
  { folder, generator, report, peers }: Omit<Bench, 'facts' | 'timing'> & { readonly peers: Peers },
): Promise<Result> {
  const filled = await fill(size, { folder, keep: options.keep }, report)
  const bench: Bench = { facts: readFacts(filled.plainFile, size), generator, timing: options, folder, report }
  const wanted = (name: string) => options.only.includes(name)
  const figures: Figure[] = []
  if (wanted('start')) add(figures, 'start', await measureStarts(bench, filled.dataDir))
  const field = [...(await startAll([bindery(filled.dataDir), handWritten(filled)])), ...(await peers(filled))]
  const lines = await measureServed({ bench, wanted, figures }, field)
  for (const { served } of field) await end(served.child)
  if (wanted('import')) add(figures, 'import', await measureByHand(bench, join(filled.dataDir, 'bindery.db')))
  if (wanted('slow-disk')) {
    const slow = bindery(filled.dataDir, { before: slowDisk })
    const served = await slow.start()
    const own = await measureCreates(bench, { contestant: slow, served })
    await end(served.child)
    const alone = await measureCreatesAlone(bench, join(filled.dataDir, 'bindery.db'), slowDisk)
    for (const figure of [own, alone])
      add(figures, 'slow-disk', { ...figure, title: `${figure.title}, each sync 2 ms longer` })
  }
  rmSync(join(folder, `rows-${size}`), { recursive: true })
  return { size, lines, figures }
}
