/**
 * Durable creates over many connections, relative to one: shows whether concurrent writes share an
 * fsync.
 */
import { type Figure, type Measurement, perSecond, times } from './figure.ts'
import { type Bench, type Field, median, requestsOf } from './measure.ts'
import { type Command, printedBy } from './processes.ts'
import { makeRandom } from './random.ts'
import { create } from './workloads.ts'

const manyConnections = 64

export async function measureCreates(bench: Bench, { contestant, served }: Field): Promise<Omit<Figure, 'name'>> {
  const { facts, generator, timing } = bench
  const random = makeRandom(9)
  const asks = Array.from({ length: 5000 }, () => create(random, facts.categories))
  const requests = requestsOf(contestant, asks, await contestant.logIn(served.port))
  const rateOf = async (connections: number) => {
    const job = { port: served.port, pid: served.child.pid, warmSeconds: 0.3, seconds: timing.seconds }
    return (await generator.run({ ...job, pool: { requests, connections } })).pool.perSecond
  }
  return compare(bench, contestant.name, rateOf)
}

/** `rateOf`: creates a second with so many at once. */
async function compare(
  { timing, report }: Pick<Bench, 'timing' | 'report'>,
  contestant: string,
  rateOf: (atOnce: number) => Promise<number>,
): Promise<Omit<Figure, 'name'>> {
  const rounds: { one: number; many: number; ratio: number }[] = []
  for (let i = 0; i < timing.rounds; i += 1) {
    const one = await rateOf(1)
    const many = await rateOf(manyConnections)
    rounds.push({ one, many, ratio: many / one })
    report(`creates: ${contestant} ${perSecond(many)} over ${perSecond(one)}`)
  }
  const [one, many, ratio] = (['one', 'many', 'ratio'] as const).map((name) =>
    median(rounds.map((round) => round[name])),
  )
  return {
    title: `durable creates, ${manyConnections} connections over 1`,
    contestant,
    text: `${times(ratio as number)} (${perSecond(many as number)} over ${perSecond(one as number)})`,
    values: { one: one as number, many: many as number, ratio: ratio as number },
  }
}

/**
 * Creates by SQLite alone, on the file of a service that has ended, with the same rows in a
 * transaction. It is the limit of a service whose requests cost no time. `before`: a program that
 * runs it.
 */
export function measureCreatesAlone(bench: Bench, file: string, before: Command): Promise<Omit<Figure, 'name'>> {
  const { seconds } = bench.timing
  return compare(bench, 'SQLite alone', (atOnce) =>
    printedBy<number>('create-rows.ts', [file, String(atOnce), String(seconds)], before),
  )
}

export const creates: Measurement = {
  name: 'creates',
  title: 'durable creates with 64 connections and with 1',
  async measure(bench, field) {
    const figures = []
    for (const one of field) figures.push(await measureCreates(bench, one))
    return figures
  },
}
