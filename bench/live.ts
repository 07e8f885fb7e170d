/**
 * Figures of live lists on a database: `node bench/live.ts [sqlite|postgres]`. Memory and processor
 * time of idle streams, the cost of filters for a write, and changes to 100 readers. The time from
 * a request to its event. Only ratios mean anything on another machine.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePostgresDatabase, startCluster } from '../packages/server/src/testing/index.ts'
import type { ServerFigures, ServerStart, ServerWord } from './live-server.ts'
import { quantile } from './quantile.ts'

const [which = 'sqlite'] = process.argv.slice(2)
const idle = Number(process.env.LIVE_STREAMS ?? 9_000)
const streamsOfCaller = 90
const say = (name: string, text: string) => console.log(`${which}  ${name.padEnd(48)} ${text}`)

type Server = ServerStart & { tell(word: ServerWord): Promise<ServerFigures>; readonly child: ChildProcess }

async function serve(people: number, env: Record<string, string>): Promise<Server> {
  const execArgv = ['--expose-gc', '--conditions=source']
  const child = fork(join(import.meta.dirname, 'live-server.ts'), [String(people)], {
    execArgv,
    env: { ...process.env, ...env },
  })
  const [started] = (await once(child, 'message')) as [ServerStart]
  return {
    ...started,
    child,
    async tell(word) {
      const told = once(child, 'message')
      child.send(word)
      return (await told)[0] as ServerFigures
    },
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Returns the status. */
function post({ url, tokens }: Server, path: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' }
    const sent = request(`${url}/api/v1${path}`, { method: 'POST', agent, headers }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode ?? 0))
    })
    sent.on('error', reject).end(text)
  })
}

/** Resolves when the stream is ready. `heard` gets the name and text of each later event. */
function follow(url: string, token: string, { path, heard }: Following): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const sent = request(`${url}/api/v1${path}`, { agent: false, headers }, (reply) => {
      if (reply.statusCode !== 200) return reject(new Error(String(reply.statusCode)))
      let text = ''
      reply.setEncoding('utf8').on('data', (piece: string) => {
        const blocks = (text + piece).split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const event = /^event: (\S+)$/m.exec(block)?.[1]
          if (event === 'ready') resolve(reply)
          else if (event) heard(event, block)
        }
      })
    })
    sent.on('error', reject).end()
  })
}
type Following = { readonly path: string; readonly heard: (event: string, block: string) => void }

/** Sends so many requests a second, and returns those that were answered well. */
async function paced(perSecond: number, seconds: number, send: (i: number) => Promise<number>): Promise<number> {
  const beganMs = performance.now()
  const all: Promise<number>[] = []
  for (let i = 0; i < perSecond * seconds; i += 1) {
    const waitMs = beganMs + (i * 1000) / perSecond - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    all.push(send(i))
  }
  return (await Promise.all(all)).filter((status) => status < 300).length
}

const quiet = () => undefined

async function memory(server: Server): Promise<void> {
  await server.tell('gc')
  const before = await server.tell('gc')
  const open: IncomingMessage[] = []
  for (let i = 0; i < idle; i += 50) {
    const token = (k: number) => server.tokens[1 + Math.floor((i + k) / streamsOfCaller)] as string
    const some = Array.from({ length: Math.min(50, idle - i) }, (_, k) =>
      follow(server.url, token(k), { path: `/notes?rank=${(i + k) % 1000}&state=DONE&_live`, heard: quiet }),
    )
    open.push(...(await Promise.all(some)))
  }
  await sleep(3_000)
  await server.tell('gc')
  const after = await server.tell('gc')
  await sleep(10_000)
  const later = await server.tell('look')
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  say(`${idle} idle streams`, `${mb(after.rss - before.rss)}, ${mb(after.heap - before.heap)} of them objects`)
  say('their processor time', `${((later.cpuMs - after.cpuMs) / 100).toFixed(1)} % of a core`)
  for (const one of open) one.destroy()
}

async function costOfFilters(server: Server): Promise<void> {
  const round = async () => {
    const before = await server.tell('look')
    for (let i = 0; i < 400; i += 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, k) => post(server, '/notes', { rank: 100_000 + i + k, title: 'w' })),
      )
    return (await server.tell('look')).cpuMs - before.cpuMs
  }
  await round()
  await round()
  const ratios: number[] = []
  for (let i = 0; i < 5; i += 1) {
    const without = await round()
    const open: IncomingMessage[] = []
    for (let at = 0; at < 1_000; at += 1) {
      const path = `/notes?rank=${at}${at % 2 ? '&state=OPEN' : ''}&_live`
      open.push(
        await follow(server.url, server.tokens[1 + Math.floor(at / streamsOfCaller)] as string, { path, heard: quiet }),
      )
    }
    ratios.push((await round()) / without)
    for (const one of open) one.destroy()
    await sleep(1_500)
  }
  say('a write beside 1,000 filters, processor time', `${quantile(ratios, 0.5).toFixed(2)} of one without`)
}

async function fan(server: Server): Promise<void> {
  const heard = { enter: 0, lost: 0 }
  const open: IncomingMessage[] = []
  for (let i = 0; i < 100; i += 1)
    open.push(
      await follow(server.url, server.tokens[1 + Math.floor(i / streamsOfCaller)] as string, {
        path: '/notes?state=OPEN&rank=7&_live',
        heard: (event) => {
          if (event === 'enter' || event === 'lost') heard[event] += 1
        },
      }),
    )
  const operations = Array.from({ length: 50 }, () => ({
    method: 'POST',
    path: '/notes',
    body: { state: 'OPEN', rank: 7 },
  }))
  const batches = await paced(20, 10, () => post(server, '/batch', { operations }))
  for (let i = 0; i < 100 && heard.enter < batches * 5_000; i += 1) await sleep(100)
  say('1,000 changes a second to 100 readers', `${heard.enter} of ${batches * 5_000} events, ${heard.lost} times lost`)
  for (const one of open) one.destroy()
}

async function latency(server: Server, { url, name }: { readonly url: string; readonly name: string }): Promise<void> {
  const sentMs = new Map<number, number>()
  const ms: number[] = []
  const stream = await follow(url, server.tokens[0] as string, {
    path: '/notes?rank=8&_live',
    heard(event, block) {
      const title = /"title":"n(\d+)"/.exec(block)?.[1]
      if (event === 'enter' && title) ms.push(performance.now() - (sentMs.get(Number(title)) as number))
    },
  })
  const written = await paced(200, 10, (i) => {
    sentMs.set(i, performance.now())
    return post(server, '/notes', { rank: 8, title: `n${i}` })
  })
  await sleep(2_000)
  const text = `p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms, ${ms.length} of ${written}`
  say(`from the request to its event, 200/s, ${name}`, text)
  stream.destroy()
}

const folder = mkdtempSync(join(tmpdir(), 'bindery-live-'))
const cluster = which === 'postgres' ? await startCluster() : undefined
const env = {
  DATA_DIR: folder,
  DATABASE_URL: cluster ? await makePostgresDatabase(cluster.url, 'live') : `sqlite:${join(folder, 'live.db')}`,
}
const people = 2 + Math.ceil(Math.max(idle, 1_000) / streamsOfCaller)
const servers: Server[] = []
try {
  const first = await serve(people, env)
  servers.push(first)
  await memory(first)
  await latency(first, { url: first.url, name: 'one instance' })
  const second = await serve(0, env)
  servers.push(second)
  await latency(first, { url: second.url, name: 'another instance' })
  await fan(first)
  await costOfFilters(first)
} finally {
  for (const { child } of servers) child.kill()
  await cluster?.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(process.exitCode ?? 0)
