/**
 * The load, a process of its own: raw sockets that send prepared bytes and only look at statuses and lengths, so that its core is not what
 * limits a fast server. Without pipelining: a connection sends its next request when it has its answer. Jobs come as messages.
 */
import { connect, type Socket } from 'node:net'

/** A pool of connections that walk one list of requests. */
export type Pool = {
  readonly requests: readonly string[]
  readonly connections: number
  /** Requests a second in all; as fast as it goes unless said. */
  readonly perSecond?: number
  /** The client's own address, so that servers see two clients. */
  readonly from?: string
  /** Statuses that are not failures besides 2xx. */
  readonly accept?: readonly number[]
}

export type Job = {
  readonly port: number
  readonly warmSeconds: number
  readonly seconds: number
  /** Each request once, and then it is over. */
  readonly once?: boolean
  readonly pool: Pool
  /** Runs at the same time; what it sees is counted apart. */
  readonly beside?: Pool
}

export type Seen = {
  readonly answered: number
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly failed: number
  /** The beginning of the first answer that was a failure. */
  readonly firstFailure: string | undefined
}

/** `busy`: the share of the time in which the load's own core was at work. */
export type Outcome = { readonly pool: Seen; readonly beside: Seen | undefined; readonly busy: number }

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** Whether the buffer holds one whole answer. */
function isWhole(buffer: Buffer): boolean {
  const end = buffer.indexOf(headEnd)
  if (end === -1) return false
  const head = buffer.toString('latin1', 0, end).toLowerCase()
  const at = head.indexOf('\r\ncontent-length:')
  if (at !== -1) return buffer.length >= end + 4 + Number.parseInt(head.slice(at + 17), 10)
  if (head.includes('\r\ntransfer-encoding: chunked')) return buffer.subarray(-5).equals(lastChunk)
  return true // 204
}

type Running = {
  readonly stop: () => void
  readonly measure: () => void
  readonly seen: (seconds: number) => Seen
  readonly done: Promise<void>
}

const percentile = (sorted: Float64Array, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function run(port: number, pool: Pool, once: boolean): Running {
  const requests = pool.requests.map((text) => Buffer.from(text))
  const accepted = new Set(pool.accept)
  const sockets = new Set<Socket>()
  const began = performance.now()
  let latencies: number[] = []
  let next = 0
  let failed = 0
  let firstFailure: string | undefined
  let stopped = false
  let finish = () => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })

  function note(answer: Buffer, ms: number): void {
    const status = Number(answer.toString('latin1', 9, 12))
    if ((status >= 200 && status < 300) || accepted.has(status)) latencies.push(ms)
    else {
      failed += 1
      firstFailure ??= answer.toString('latin1', 0, 400)
    }
  }

  function open(): void {
    const socket = connect({ port, host: '127.0.0.1', localAddress: pool.from, noDelay: true })
    let parts: Buffer[] = []
    let sent = 0
    const send = () => {
      if (stopped || (once && next >= requests.length)) {
        sockets.delete(socket)
        socket.destroy()
        if (sockets.size === 0) finish()
        return
      }
      const due = pool.perSecond === undefined ? 0 : began + (next * 1000) / pool.perSecond - performance.now()
      if (due > 1) return void setTimeout(send, due)
      sent = performance.now()
      socket.write(requests[next++ % requests.length] as Buffer)
    }
    socket.on('connect', send)
    socket.on('data', (data: Buffer) => {
      parts.push(data)
      const answer = parts.length === 1 ? data : Buffer.concat(parts)
      if (parts.length > 1) parts = [answer]
      if (!isWhole(answer)) return
      parts = []
      note(answer, performance.now() - sent)
      send()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (!sockets.delete(socket)) return
      if (!stopped && sent > 0) {
        failed += 1
        firstFailure ??= 'the connection was closed'
      }
      if (!stopped) setTimeout(open, 10)
    })
    sockets.add(socket)
  }
  for (let i = 0; i < pool.connections; i += 1) open()

  return {
    done,
    stop() {
      stopped = true
      for (const socket of sockets) socket.destroy()
    },
    measure() {
      latencies = []
      failed = 0
    },
    seen(seconds) {
      const sorted = Float64Array.from(latencies).sort()
      const [medianMs, p99Ms, maxMs] = [0.5, 0.99, 1].map((share) => percentile(sorted, share)) as [
        number,
        number,
        number,
      ]
      return {
        answered: sorted.length,
        perSecond: sorted.length / seconds,
        medianMs,
        p99Ms,
        maxMs,
        failed,
        firstFailure,
      }
    },
  }
}

const pause = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))

async function perform({ port, warmSeconds, seconds, once = false, pool, beside }: Job): Promise<Outcome> {
  const side = beside && run(port, beside, false)
  if (side) await pause(0.2)
  const main = run(port, pool, once)
  if (!once) await pause(warmSeconds)
  main.measure()
  side?.measure()
  const began = performance.now()
  const cpu = process.cpuUsage()
  await (once ? Promise.race([main.done, pause(seconds)]) : pause(seconds))
  const took = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  main.stop()
  side?.stop()
  return { pool: main.seen(took), beside: side?.seen(took), busy: (user + system) / 1e6 / took }
}

process.on('message', async (job: Job) => {
  const outcome = await perform(job)
  process.send?.(outcome)
})
process.on('disconnect', () => process.exit(0))
