/**
 * One client sends the costliest permitted reads in a loop. Another reads records by id, and its
 * latency must hardly change.
 */
import type { Facts } from './facts.ts'
import { type Measurement, milliseconds } from './figure.ts'
import { requestsOf, settle } from './measure.ts'
import { makeRandom } from './random.ts'
import { type Ask, priceRange } from './workloads.ts'

const products = '/api/v1/products'

/**
 * Deep pages in an order that no index has, parts of texts that most rows have, beginnings of many
 * words, wide ranges.
 */
function worstReads(facts: Facts): Ask[] {
  const { counts, words } = facts
  const random = makeRandom(5)
  const last = Math.ceil(counts.products / 20)
  const list = (query: Record<string, string>): Ask => ({ path: products, query })
  const deep = () => String(Math.max(1, last - random.below(1000)))
  const aliases = () => {
    const field = `products(limit: 100, page: ${Math.ceil(last / 5) - random.below(50)}, sort: "category,stock,name,-price") { data { id } }`
    return `{ ${Array.from({ length: 5 }, (_, i) => `a${i}: ${field}`).join(' ')} }`
  }
  return Array.from({ length: 200 }, () => [
    list({ sort: 'category,stock,name,-price', page: deep() }),
    list({ 'description[contains]': random.pick([...'aeinorst']), sort: 'stock,name' }),
    list({ q: random.pick(words).slice(0, 3), sort: '-updatedAt' }),
    { ...priceRange(random, facts), query: { ...priceRange(random, facts).query, sort: 'name' } },
    {
      path: '/books',
      query: { sort: 'author,-year,title', limit: '100', page: String(1 + random.below(counts.books / 100)) },
    },
    { method: 'POST' as const, path: '/graphql', body: { query: aliases() } },
  ]).flat()
}

export const fairness: Measurement = {
  name: 'fairness',
  title: 'a record by id, while another client loops the worst reads',
  async measure({ facts, generator, timing, report }, field) {
    const figures = []
    // The hand-written routes have neither these filters nor any protection.
    for (const { contestant, served } of field.filter(({ contestant }) => contestant.name.startsWith('Bindery'))) {
      const credentials = await contestant.logIn(served.port)
      const records = facts.ids.map((id) => ({ path: `${products}/${id}` }))
      const pool = { requests: requestsOf(contestant, records, credentials), connections: 2, perSecond: 100 }
      const worst = requestsOf(contestant, worstReads(facts), credentials)
      // Another address, so that the two are two clients. It may be told to narrow its reads or to
      // come back.
      const beside = { requests: worst, connections: 8, from: '127.0.0.2', accept: [400, 429, 503] }
      const seconds = Math.max(10, timing.seconds)
      const job = { port: served.port, pid: served.child.pid, warmSeconds: 1, seconds, pool, beside }
      const { pool: seen, beside: others } = await generator.run(job)
      await settle(served.port, { path: '/livez' })
      report(`fairness: ${contestant.name} p99 ${milliseconds(seen.p99Ms)}, longest ${milliseconds(seen.maxMs)}`)
      figures.push({
        title: 'record by id while another client loops the worst reads',
        contestant: contestant.name,
        text: `${seen.answered === 0 ? 'no answer' : `p99 ${milliseconds(seen.p99Ms)}`}, longest ${milliseconds(seen.maxMs)}; ${seen.answered} answers, the other ${others?.answered}`,
        values: {
          p99Ms: seen.p99Ms,
          maxMs: seen.maxMs,
          medianMs: seen.medianMs,
          answered: seen.answered,
          others: others?.answered ?? 0,
        },
      })
    }
    return figures
  },
}
