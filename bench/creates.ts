/** Durable creates: many connections over one, which shows whether writes that arrive together share a sync. */
import { type Figure, type Measurement, perSecond, times } from './figure.ts'
import { type Bench, type Field, median, requestsOf } from './measure.ts'
import { makeRandom } from './random.ts'
import { create } from './workloads.ts'

const manyConnections = 64

export async function measureCreates(bench: Bench, { contestant, served }: Field): Promise<Omit<Figure, 'name'>> {
  const { facts, generator, timing, report } = bench
  const random = makeRandom(9)
  const asks = Array.from({ length: 5000 }, () => create(random, facts.categories))
  const requests = requestsOf(contestant, asks, await contestant.logIn(served.port))
  const rateOf = async (connections: number) => {
    const job = { port: served.port, pid: served.child.pid, warmSeconds: 0.3, seconds: timing.seconds }
    return (await generator.run({ ...job, pool: { requests, connections } })).pool.perSecond
  }
  const rounds: { one: number; many: number; ratio: number }[] = []
  for (let i = 0; i < timing.rounds; i += 1) {
    const one = await rateOf(1)
    const many = await rateOf(manyConnections)
    rounds.push({ one, many, ratio: many / one })
    report(`creates: ${contestant.name} ${perSecond(many)} over ${perSecond(one)}`)
  }
  const [one, many, ratio] = (['one', 'many', 'ratio'] as const).map((name) =>
    median(rounds.map((round) => round[name])),
  )
  return {
    title: `durable creates, ${manyConnections} connections over 1`,
    contestant: contestant.name,
    text: `${times(ratio as number)} (${perSecond(many as number)} over ${perSecond(one as number)})`,
    values: { one: one as number, many: many as number, ratio: ratio as number },
  }
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
