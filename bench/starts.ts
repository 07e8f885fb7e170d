/**
 * Time from the start of the process to its first good response, with these rows and with an empty
 * database; and its memory.
 */
import { join } from 'node:path'
import { bindery } from './contestants.ts'
import { type Figure, milliseconds, times } from './figure.ts'
import { type Bench, type Field, median } from './measure.ts'
import { memoryOf } from './proc.ts'
import { end } from './processes.ts'

/**
 * Both have been started once before: what is made or migrated at the first start is not of every
 * start.
 */
export async function measureStarts({ folder, timing, report }: Bench, dataDir: string): Promise<Omit<Figure, 'name'>> {
  const full = bindery(dataDir)
  const empty = bindery(join(folder, 'empty'))
  const startOf = async (contestant: typeof full) => {
    const { child, readyMs } = await contestant.start()
    await end(child)
    return readyMs
  }
  await startOf(empty)
  const first = await startOf(full)
  const rounds: { full: number; empty: number }[] = []
  for (let i = 0; i < Math.max(3, timing.rounds); i += 1) {
    rounds.push({ empty: await startOf(empty), full: await startOf(full) })
    report(`start: ${milliseconds(rounds.at(-1)?.full ?? 0)}, empty ${milliseconds(rounds.at(-1)?.empty ?? 0)}`)
  }
  const ratio = median(rounds.map((round) => round.full / round.empty))
  const [fullMs, emptyMs] = [median(rounds.map(({ full }) => full)), median(rounds.map(({ empty }) => empty))]
  return {
    title: 'start to ready, over that of an empty database',
    contestant: 'Bindery',
    text: `${times(ratio)} (${milliseconds(fullMs)} over ${milliseconds(emptyMs)}; the first ${milliseconds(first)})`,
    values: { ratio, fullMs, emptyMs, firstMs: first },
  }
}

/** `when`: after what. Undefined where the system does not tell. */
export function memoryFigure({ contestant, served }: Field, when: string): Omit<Figure, 'name'> | undefined {
  const memory = memoryOf(served.child.pid)
  if (!memory) return undefined
  const { residentMiB, peakMiB } = memory
  return {
    title: `memory ${when}`,
    contestant: contestant.name,
    text: `${residentMiB} MiB, peak ${peakMiB} MiB`,
    values: { residentMiB, peakMiB },
  }
}
