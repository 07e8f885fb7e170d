/**
 * Cold reads on one connection, right after the start: the time of a response that is not cached,
 * relative to a record by id.
 */
import type { Facts } from './facts.ts'
import { type Measurement, milliseconds, times } from './figure.ts'
import type { Outcome } from './load.ts'
import { type Bench, cpuUs, type Field, requestsOf } from './measure.ts'
import { makeRandom, type Random } from './random.ts'
import { type Ask, priceRange, variedList } from './workloads.ts'

const each = 300
const secondsMax = 10

const distinct = (make: (random: Random) => Ask, count = each): Ask[] => {
  const random = makeRandom(77)
  const asks = new Map<string, Ask>()
  for (let tries = 0; asks.size < count && tries < count * 20; tries += 1) {
    const ask = make(random)
    asks.set(JSON.stringify(ask.query), ask)
  }
  return [...asks.values()]
}

/** Every one differs from the others and, by its page size, from those of the workloads. */
function kinds(facts: Facts): Record<string, Ask[]> {
  const sized = (random: Random, ask: Ask): Ask => ({
    ...ask,
    query: { ...ask.query, limit: String(10 + random.below(9)) },
  })
  return {
    list: distinct((random) => sized(random, variedList(random, facts))),
    range: distinct((random) => sized(random, priceRange(random, facts))),
    word: distinct((random) => ({ path: '/api/v1/products', query: { q: random.pick(facts.words), limit: '18' } })),
  }
}

async function measureOne({ facts, generator, report }: Bench, { contestant, served }: Field) {
  const credentials = await contestant.logIn(served.port)
  const ask = async (asks: readonly Ask[]): Promise<Outcome | undefined> => {
    const requests = requestsOf(contestant, asks, credentials)
    if (requests.length === 0) return undefined
    const job = { port: served.port, pid: served.child.pid, warmSeconds: 0, seconds: secondsMax, once: true }
    return generator.run({ ...job, pool: { requests, connections: 1 } })
  }
  const byId = facts.ids.map((id) => ({ path: `/api/v1/products/${id}` }))
  await ask(byId.slice(2000, 4000)) // compiled by then, as it would be in a server that serves
  const record = await ask(byId.slice(0, 2000))
  if (!record) return []
  const figures = []
  for (const [kind, asks] of Object.entries(kinds(facts))) {
    const outcome = await ask(asks)
    if (!outcome) continue
    const { medianMs, p99Ms, maxMs, answered } = outcome.pool
    report(`cold ${kind}: ${contestant.name} ${milliseconds(medianMs)}`)
    const [median, p99] = [medianMs / record.pool.medianMs, p99Ms / record.pool.medianMs]
    const cpu = cpuUs(outcome) / cpuUs(record)
    figures.push({
      title: `cold ${kind}, one connection, over a record by id`,
      contestant: contestant.name,
      text: `${milliseconds(medianMs)}: median ${times(median)}, p99 ${times(p99)}; CPU ${times(cpu)}`,
      values: { recordMs: record.pool.medianMs, median, p99, cpu, medianMs, p99Ms, maxMs, answered },
    })
  }
  return figures
}

export const cold: Measurement = {
  name: 'cold',
  title: 'a list, range or word that nobody asked before',
  async measure(bench, field) {
    const figures = []
    for (const one of field) figures.push(...(await measureOne(bench, one)))
    return figures
  },
}
