/**
 * How late webhooks are beside ten endpoints that hang: `node bench/dead-endpoints.ts
 * [sqlite|postgres]`. All receivers are at one host, and 20 creates a second are told. It takes the
 * time from the answer of a create to its request at the receiver that works.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePostgresDatabase, startCluster, startService } from '../packages/server/src/testing/index.ts'
import { library } from '../packages/server/test/webhooks/library-with-hooks.ts'
import { quantile } from './quantile.ts'

const [which = 'sqlite'] = process.argv.slice(2)
const seconds = Number(process.env.DEAD_SECONDS ?? 30)
const [createsInSecond, dead] = [20, 10]
const say = (name: string, text: string) => console.log(`${which}  ${name.padEnd(24)} ${text}`)

const servers: Server[] = []
/** `take` gets the title of each book. Without it no request has an answer. */
async function receiver(take?: (title: string) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    if (!take) return
    response.writeHead(204).end()
    take(JSON.parse(Buffer.concat(pieces).toString()).data.record.title)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const folder = mkdtempSync(join(tmpdir(), 'bindery-dead-'))
const cluster = which === 'postgres' ? await startCluster() : undefined
const env = {
  ...{ DATA_DIR: folder, OUTGOING_ALLOW: '127.0.0.1', LOG_LEVEL: 'error' },
  DATABASE_URL: cluster ? await makePostgresDatabase(cluster.url, 'dead') : `sqlite:${join(folder, 'dead.db')}`,
}
const service = await startService(library({ waits: [5, 300], timeoutSeconds: 15 }), { env })
try {
  const admin = await service.admin()
  const tell = async (url: string) => {
    const body = { url, resources: ['books'] }
    const made = await service.ask('POST', '/api/v1/webhook-endpoints', { body, token: admin.token })
    if (made.status !== 201) throw new Error(made.text)
  }
  const answered = new Map<string, number>()
  const late: number[] = []
  await tell(await receiver((title) => late.push(performance.now() - (answered.get(title) ?? performance.now()))))

  async function measure(name: string): Promise<void> {
    late.length = 0
    const count = createsInSecond * seconds
    for (let i = 0; i < count; i += 1) {
      const title = `${name} ${i}`
      const turn = sleep(1000 / createsInSecond)
      await service.ask('POST', '/api/v1/books', { body: { title }, token: admin.token })
      answered.set(title, performance.now())
      await turn
    }
    for (let i = 0; i < 100 && late.length < count; i += 1) await sleep(100)
    const [half, most] = [quantile(late, 0.5), quantile(late, 0.99)].map((ms) => `${Math.round(ms)} ms`)
    say(name, `p50 ${half}, p99 ${most}, ${late.length} of ${count} arrived`)
  }
  await measure('none hangs')
  for (let i = 0; i < dead; i += 1) await tell(await receiver())
  await measure(`${dead} hang`)
} finally {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
  await service.stop()
  await cluster?.stop()
  rmSync(folder, { recursive: true })
}
