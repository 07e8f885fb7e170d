/**
 * The cost of a filter over links: `node bench/links.ts`. It fills tables of 10,000 and 1,000,000
 * links, each tag with as many articles in both. It compares lists of one tag with plain lists, and
 * the times of the two sizes. Rounds alternate, so that other load affects all alike.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { makePostgresDatabase, startCluster } from '../packages/server/src/testing/postgres.ts'
import { spawnServer } from '../packages/server/src/testing/process.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '12' },
    requests: { type: 'string', default: '400' },
    on: { type: 'string', default: 'sqlite,postgres' },
  },
})
const [rounds, requests] = [Number(values.rounds), Number(values.requests)]
const [tagsEach, articlesEach] = [5, 50]
const linesAtOnce = 20_000
const connections = 4
const agent = new Agent({ keepAlive: true, maxSockets: connections })

type Answer = { readonly status: number; readonly text: string }

function send(url: string, { method = 'GET', body }: { method?: string; body?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/x-ndjson' }
    // The server may close a connection that was idle while the lines of an import were made.
    const sent = request(url, { method, agent: body === undefined && agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.once('error', reject).end(body)
  })
}

async function importAll(url: string, lines: readonly string[]): Promise<void> {
  for (let at = 0; at < lines.length; at += linesAtOnce) {
    const body = lines.slice(at, at + linesAtOnce).join('\n')
    const { status, text } = await send(`${url}/import`, { method: 'POST', body })
    if (status !== 200 || !text.includes('"rejected":0')) throw new Error(`${url}/import: ${status} ${text}`)
  }
}

/** Fills the tables. Returns the ids of the tags. */
async function fill(url: string, links: number): Promise<readonly string[]> {
  const tags = Math.max(tagsEach, Math.round(links / articlesEach))
  const names = Array.from({ length: tags }, (_, i) => JSON.stringify({ name: `tag ${i}` }))
  await importAll(`${url}/api/v1/tags`, names)
  const ids: string[] = []
  for (let page = 1; ids.length < tags; page += 1) {
    const { text } = await send(`${url}/api/v1/tags?fields=id&limit=100&page=${page}`)
    const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] }
    if (data.length === 0) throw new Error(`${ids.length} of ${tags} tags are there`)
    ids.push(...data.map(({ id }) => id))
  }
  // Tags of an article lie apart, so that no page of the index has them all.
  const tagOf = (i: number, n: number) => ids[(i + n * Math.floor(tags / tagsEach)) % tags]
  const articles = Array.from({ length: links / tagsEach }, (_, i) =>
    JSON.stringify({ title: `article ${i}`, tags: Array.from({ length: tagsEach }, (_one, n) => tagOf(i, n)) }),
  )
  await importAll(`${url}/api/v1/articles`, articles)
  return ids
}

/**
 * Statistics of the filled tables, which PostgreSQL's autovacuum makes within a minute. Clusters of
 * tests run it once an hour.
 */
async function analyze(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
  agent.destroy() // the server has closed connections that were idle meanwhile
}

type Times = { readonly each: number[]; ms: number }

/** Sends the requests over a few connections, and notes how long each took. */
async function measure(urlOf: (i: number) => string, times: Times): Promise<void> {
  let next = 0
  const begun = performance.now()
  const one = async () => {
    while (next < requests) {
      next += 1
      const at = performance.now()
      const { status, text } = await send(urlOf(next))
      if (status !== 200) throw new Error(`${status} ${text}`)
      times.each.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  times.ms += performance.now() - begun
}

function p99(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}

type Served = {
  readonly url: string
  readonly tags: readonly string[]
  readonly plain: Times
  readonly filtered: Times
}

/** The mark makes each request one that no cache has. */
async function round({ url, tags, plain, filtered }: Served, mark: number): Promise<void> {
  const list = (i: number) => `${url}/api/v1/articles?limit=20&page=${1 + (i % 50)}.${mark}${i}`
  const some = (i: number) => {
    const filter = { tags: { some: { id: { eq: tags[(i * 7919 + mark) % tags.length] } } } }
    return `${url}/api/v1/articles?limit=20&page=1.${mark}${i}&filter=${encodeURIComponent(JSON.stringify(filter))}`
  }
  await measure(list, plain)
  await measure(some, filtered)
}

async function compare(on: string, sizes: readonly number[], clusterUrl: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-links-'))
  const servers = []
  try {
    const served: Served[] = []
    for (const size of sizes) {
      const DATABASE_URL = clusterUrl ? await makePostgresDatabase(clusterUrl, `links_${size}`) : ''
      const env = { DATABASE_URL, DATA_DIR: join(folder, `${size}`), NODE_ENV: 'production' }
      const server = spawnServer({ env, command: ['links-app.ts'], cwd: import.meta.dirname })
      servers.push(server)
      const url = await server.ready()
      const tags = await fill(url, size)
      if (DATABASE_URL) await analyze(DATABASE_URL)
      served.push({ url, tags, plain: { each: [], ms: 0 }, filtered: { each: [], ms: 0 } })
    }
    for (let i = 1; i <= rounds; i += 1) for (const one of served) await round(one, i)
    served.forEach(({ plain, filtered }, i) => {
      const share = plain.ms / filtered.ms
      console.log(
        `${on} ${sizes[i]} links: a plain list ${((rounds * requests * 1000) / plain.ms).toFixed(0)}/s, of one tag ` +
          `${((rounds * requests * 1000) / filtered.ms).toFixed(0)}/s, ${share.toFixed(2)} of it; p99 ${p99(filtered.each).toFixed(1)} ms`,
      )
    })
    const [small, large] = [served[0], served.at(-1)].map((one) => p99(one?.filtered.each ?? []))
    console.log(`${on}: p99 of the largest over the smallest: ${((large ?? 0) / (small ?? 1)).toFixed(2)}`)
  } finally {
    await Promise.all(servers.map((one) => one.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

const sizes = values.links.split(',').map(Number)
for (const on of values.on.split(',')) {
  if (on === 'sqlite') {
    await compare(on, sizes, undefined)
    continue
  }
  const cluster = await startCluster()
  await compare(on, sizes, cluster.url).finally(() => cluster.remove())
}
agent.destroy()
