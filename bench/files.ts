/**
 * The cost of files: `node bench/files.ts`. Downloads of 1 MB stand beside nginx with the same
 * bytes, and uploads beside a bare node:http server that hashes and syncs too. It measures the
 * memory that 1 GB in each direction takes. Without nginx the bare server stands in for it. Rounds
 * alternate, so that other load affects all alike.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuSecondsOf, memoryOf } from './proc.ts'
import { end, endAll, pinning, type Served, serve } from './processes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    downloads: { type: 'string', default: '300' },
    uploads: { type: 'string', default: '60' },
    large: { type: 'string', default: '1000' },
    nginx: { type: 'string', default: 'nginx' },
  },
})
const [rounds, downloads, uploads] = [Number(values.rounds), Number(values.downloads), Number(values.uploads)]
const largeMegabytes = Number(values.large)
const megabyte = 1_000_000
const [connections, filesCount] = [4, 20]
const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-files-'))
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const block = randomBytes(megabyte)

type Sent = { readonly method?: string; readonly megabytes?: number; readonly json?: string }
type Answer = { readonly bytes: number; readonly text: string }

/** Throws for an answer that is no success. */
function send(url: string, { method = 'GET', megabytes = 0, json }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = json === undefined ? megabytes * megabyte : Buffer.byteLength(json)
    const type = json === undefined ? 'application/octet-stream' : 'application/json'
    const headers = method === 'GET' ? {} : { 'content-type': type, 'content-length': length }
    const sent = request(url, { method, agent, headers }, (response) => {
      let bytes = 0
      const texts: Buffer[] = []
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (method !== 'GET') texts.push(part)
      })
      response.once('end', () => {
        const text = Buffer.concat(texts).toString()
        const { statusCode = 0 } = response
        if (statusCode >= 300) reject(new Error(`${method} ${url}: ${statusCode} ${text}`))
        else resolve({ bytes, text })
      })
    })
    sent.once('error', reject)
    if (json !== undefined) return void sent.end(json)
    let left = megabytes
    const more = () => {
      while (left > 0) {
        left -= 1
        if (!sent.write(block)) return void sent.once('drain', more)
      }
      sent.end()
    }
    more()
  })
}

type Figure = { readonly perSecond: number; readonly cpuSeconds: number }

/** Sends so many requests with some connections at once. */
async function measure({ pids }: Contestant, count: number, one: (i: number) => Promise<Answer>): Promise<Figure> {
  const spent = () => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0)
  const [sinceMs, before] = [performance.now(), spent()]
  let next = 0
  const worker = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return { perSecond: (count * 1000) / (performance.now() - sinceMs), cpuSeconds: (spent() - before) / count }
}

type Contestant = { readonly pids: readonly number[]; readonly urls: readonly string[] }

const pidsOf = ({ child }: Served) => [child.pid as number]

async function startBindery(): Promise<{ served: Served; boxes: Contestant }> {
  const data = join(folder, 'data')
  const app = join(import.meta.dirname, 'files-app.ts')
  const served = await serve({
    command: () => [process.execPath, app],
    env: (port) => ({ PORT: String(port), HOST: '127.0.0.1', DATA_DIR: data, DATABASE_URL: '', RATE_LIMIT: '' }),
    ready: '/readyz',
  })
  const api = `http://127.0.0.1:${served.port}/api/v1/boxes`
  const urls: string[] = []
  for (let i = 0; i < filesCount; i += 1) {
    const { text } = await send(api, { method: 'POST', json: '{}' })
    urls.push(`${api}/${(JSON.parse(text) as { id: string }).id}/label`)
  }
  for (const url of urls) await send(url, { method: 'PUT', megabytes: 1 })
  return { served, boxes: { pids: pidsOf(served), urls } }
}

async function startBare(): Promise<Contestant> {
  const files = join(folder, 'bare')
  mkdirSync(files)
  for (let i = 0; i < filesCount; i += 1) writeFileSync(join(files, `${i}`), block)
  const bare = join(import.meta.dirname, 'bare-files.ts')
  const served = await serve({ command: (port) => [process.execPath, bare, String(port), files], ready: '/0' })
  const urls = Array.from({ length: filesCount }, (_, i) => `http://127.0.0.1:${served.port}/${i}`)
  return { pids: pidsOf(served), urls }
}

/** One process, which serves with sendfile. */
const nginxText = (port: number, files: string) => `daemon off; master_process off; pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 64; }
http {
  access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
  client_body_temp_path ${folder}/n1; proxy_temp_path ${folder}/n2; fastcgi_temp_path ${folder}/n3;
  uwsgi_temp_path ${folder}/n4; scgi_temp_path ${folder}/n5;
  server { listen 127.0.0.1:${port}; root ${files}; }
}`

async function startNginx(): Promise<Contestant | undefined> {
  const files = join(folder, 'bare')
  const command = (port: number) => {
    const config = join(folder, 'nginx.conf')
    writeFileSync(config, nginxText(port, files))
    return [values.nginx, '-c', config, '-p', folder] as const
  }
  const served = await serve({ command, ready: '/0' }).catch(() => undefined)
  if (!served) return undefined
  const urls = Array.from({ length: filesCount }, (_, i) => `http://127.0.0.1:${served.port}/${i}`)
  return { pids: pidsOf(served), urls }
}

const median = (all: readonly number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] as number
const url = ({ urls }: Contestant, i: number) => urls[i % urls.length] as string

type Compared = { readonly what: string; readonly one: Contestant; readonly other: Contestant; readonly count: number }

async function compare({ what, one, other, count }: Compared, ask: (url: string) => Promise<Answer>): Promise<void> {
  const [shares, byCpu, rates]: number[][] = [[], [], []]
  for (let round = 0; round <= rounds; round += 1) {
    const theirs = await measure(other, count, (i) => ask(url(other, i)))
    const ours = await measure(one, count, (i) => ask(url(one, i)))
    if (round === 0) continue // both have warmed up
    shares?.push(ours.perSecond / theirs.perSecond)
    byCpu?.push(theirs.cpuSeconds / ours.cpuSeconds)
    rates?.push(ours.perSecond)
  }
  const [share, cpu, rate] = [median(shares ?? []), median(byCpu ?? []), median(rates ?? [])]
  process.stdout.write(`${what}: ${share.toFixed(2)} of it (${cpu.toFixed(2)} by CPU), ${rate.toFixed(0)} MB/s\n`)
}

async function weigh({ served, boxes }: { served: Served; boxes: Contestant }): Promise<void> {
  const there = async (megabytes: number) => {
    await send(url(boxes, 0), { method: 'PUT', megabytes })
    const { bytes } = await send(url(boxes, 0))
    if (bytes !== megabytes * megabyte) throw new Error(`${bytes} bytes came back`)
  }
  await there(40)
  const before = memoryOf(served.child.pid)?.peakMiB ?? 0
  await there(largeMegabytes)
  const grown = (memoryOf(served.child.pid)?.peakMiB ?? 0) - before
  process.stdout.write(`${largeMegabytes} MB up and down: the peak of memory grew by ${grown} MiB, from ${before}\n`)
}

try {
  const bindery = await startBindery()
  const bare = await startBare()
  const nginx = await startNginx()
  process.stdout.write(`${pinning}\n`)
  const { boxes: one } = bindery
  const down = nginx ?? bare
  const beside = nginx ? 'nginx' : 'a bare node:http server (there is no nginx)'
  await weigh(bindery)
  await send(url(one, 0), { method: 'PUT', megabytes: 1 })
  await compare({ what: `downloads beside ${beside}`, one, other: down, count: downloads }, (to) => send(to))
  await compare({ what: 'uploads beside a bare node:http server', one, other: bare, count: uploads }, (to) =>
    send(to, { method: 'PUT', megabytes: 1 }),
  )
  await end(bindery.served.child)
} finally {
  agent.destroy()
  await endAll()
  rmSync(folder, { recursive: true, force: true })
}
