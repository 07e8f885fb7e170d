/**
 * The cost of related records: `node bench/expanded.ts`. One request reads 20 orders with their
 * items, each product and the customer, by `expand=` or by GraphQL. The figure is relative to the
 * plain list of the same orders. Rounds alternate, so that other load affects all alike.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makePostgresDatabase, startCluster } from '../packages/server/src/testing/postgres.ts'
import { bindery } from './contestants.ts'
import { fillOrders } from './fill-orders.ts'
import { makeGenerator } from './generator.ts'
import { cpuUs, median, requestsOf } from './measure.ts'
import { endAll, pinning } from './processes.ts'
import { makeRandom } from './random.ts'
import type { Ask } from './workloads.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '1' },
    on: { type: 'string', default: 'sqlite,postgres' },
    json: { type: 'boolean', default: false },
  },
})
const [orders, rounds, seconds] = [Number(values.orders), Number(values.rounds), Number(values.seconds)]
const connections = 16
/** In a round, all of them different. */
const askedInRound = 6000

/** `mark`: what no other request has, and no answer shows, so that an answer is made anew. */
type Page = { readonly page: number; readonly sort: string; readonly mark: number }
type Form = { readonly title: string; readonly ask: (page: Page) => Ask }

const list = (more: Readonly<Record<string, string>>) => (at: Page) => ({
  path: '/api/v1/orders',
  query: { limit: '20', page: `${at.page}.${at.mark}`, sort: at.sort, ...more },
  credential: 'key' as const,
})
const graphql = (fields: string) => (at: Page) => ({
  method: 'POST' as const,
  path: '/graphql',
  body: {
    query: `query Page($page: Int, $sort: String) { orders(page: $page, limit: 20, sort: $sort) { data { ${fields} } meta { total } } }`,
    variables: at,
  },
  credential: 'key' as const,
})
const own = 'id status total placedAt items { id productName quantity lineTotal }'

/** Each form with related records behind the plain one that it is compared with. */
const pairs: readonly (readonly [plain: Form, expanded: Form])[] = [
  [
    { title: 'the list', ask: list({}) },
    { title: 'with items, products and customers', ask: list({ expand: 'items.product,user' }) },
  ],
  [
    { title: 'GraphQL, the list', ask: graphql(own) },
    {
      title: 'GraphQL, with items, products and customers',
      ask: graphql(
        `${own.replace('lineTotal', 'lineTotal product { id name category price }')} user { id name email }`,
      ),
    },
  ],
]

const sorts = ['placedAt', 'total', 'subtotal', 'updatedAt', 'id'].flatMap((name) => [name, `-${name}`])

/** Pages up to `last`, in one of these orders. The server ignores the fraction of a page number. */
const differentPages =
  (last: number, orders: readonly string[]) =>
  (round: number): Page[] => {
    const random = makeRandom(round + 1)
    const first = (round + 1) * askedInRound
    return Array.from({ length: askedInRound }, (_, i) => ({
      page: 1 + random.below(last),
      sort: random.pick(orders),
      mark: first + i,
    }))
  }

type Measured = { readonly title: string; readonly pages: string; readonly us: number[]; readonly perSecond: number[] }

function ratio({ us, perSecond }: Measured, plain: Measured): { byRate: number; byCpu: number } {
  return {
    byRate: median(perSecond.map((own, i) => own / (plain.perSecond[i] as number))),
    byCpu: median(us.map((own, i) => (plain.us[i] as number) / own)),
  }
}

async function measureOn(database: string, env: Readonly<Record<string, string>>, folder: string): Promise<object[]> {
  const say = (text: string) => values.json || process.stdout.write(`${text}\n`)
  await fillOrders(orders, { DATA_DIR: folder, ...env })
  const contestant = bindery(folder, { env: { LOG_LEVEL: 'silent', ...env } })
  const { port, child } = await contestant.start()
  const credentials = await contestant.logIn(port)
  const generator = makeGenerator()
  const found: object[] = []
  for (const [pages, pagesOf] of [
    ['one page, kept', () => [{ page: 3, sort: '-placedAt', mark: 0 }]],
    ['the latest, made anew', differentPages(50, ['-placedAt'])],
    ['anywhere, in ten orders, made anew', differentPages(Math.floor(orders / 20), sorts)],
  ] as const) {
    for (const pair of pairs) {
      const measured: Measured[] = pair.map(({ title }) => ({ title, pages, us: [], perSecond: [] }))
      for (let round = 0; round < rounds; round += 1) {
        const order = round % 2 === 0 ? [0, 1] : [1, 0]
        for (const at of order) {
          const requests = requestsOf(contestant, pagesOf(round).map((pair[at] as Form).ask), credentials)
          const warmSeconds = round === 0 ? 1 : 0.1
          const outcome = await generator.run({
            port,
            pid: child.pid,
            warmSeconds,
            seconds,
            pool: { requests, connections },
          })
          measured[at]?.us.push(cpuUs(outcome))
          measured[at]?.perSecond.push(outcome.pool.perSecond)
        }
      }
      const [plain, expanded] = measured as [Measured, Measured]
      const { byRate, byCpu } = ratio(expanded, plain)
      found.push({ database, pages, plain, expanded, byRate, byCpu })
      const line = ({ title, us, perSecond }: Measured) =>
        `  ${title}: ${median(us).toFixed(0)} µs, ${Math.round(median(perSecond))}/s`
      say(
        `${database}, ${pages}\n${line(plain)}\n${line(expanded)}, ${byRate.toFixed(2)} by rate, ${byCpu.toFixed(2)} by processor time`,
      )
    }
  }
  return found
}

const folder = mkdtempSync(join(tmpdir(), 'bindery-expanded-'))
const names = values.on.split(',')
const cluster = names.includes('postgres') ? await startCluster() : undefined
try {
  const found: object[] = []
  for (const name of names) {
    const env: Record<string, string> = {}
    if (cluster && name === 'postgres') env.DATABASE_URL = await makePostgresDatabase(cluster.url, 'expanded')
    found.push(...(await measureOn(name, env, join(folder, name))))
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ pinning, orders, rounds, seconds, found }, null, 2)}\n`)
  else process.stdout.write(`Medians of ${rounds} rounds of ${seconds} s at ${orders} orders; ${pinning}.\n`)
} finally {
  await endAll()
  await cluster?.remove()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(process.exitCode ?? 0)
