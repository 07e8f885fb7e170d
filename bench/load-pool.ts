/**
 * A pool of connections to one server: raw sockets that send prepared bytes and only read statuses
 * and lengths. So the load's core does not limit a fast server. Without pipelining: a connection
 * sends its next request when it has its response.
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

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')
/** All connections read into this buffer, one after the other. */
const memory = Buffer.alloc(65_536)

/**
 * How many bytes an answer has, by its head; undefined where it comes in chunks. Undefined of an
 * answer whose head is not there yet.
 */
function lengthIn(answer: Buffer): { readonly bytes: number | undefined } | undefined {
  const end = answer.indexOf(headEnd)
  if (end === -1) return undefined
  const head = answer.toString('latin1', 0, end).toLowerCase()
  const at = head.indexOf('\r\ncontent-length:')
  const whole = end + headEnd.length
  if (at !== -1) return { bytes: whole + Number.parseInt(head.slice(at + 17), 10) }
  return { bytes: head.includes('\r\ntransfer-encoding: chunked') ? undefined : whole } // 204
}

/**
 * Splits the bytes of one connection into responses and passes on each complete one. Of its body it
 * passes on the part that came with the head. The rest of a body of known length is only counted.
 * Garbage collection here takes time of the load's core, and the server waits meanwhile.
 */
function makeReading(answered: (answer: Buffer) => void): (piece: Buffer) => void {
  let answer: Buffer = Buffer.alloc(0)
  let length: ReturnType<typeof lengthIn>
  let bytes = 0
  return (piece) => {
    const isFirst = bytes === 0
    bytes += piece.length
    if (length?.bytes === undefined) {
      answer = isFirst ? piece : Buffer.concat([answer, piece])
      length ??= lengthIn(answer)
    }
    if (
      length &&
      (length.bytes === undefined ? answer.subarray(-lastChunk.length).equals(lastChunk) : bytes >= length.bytes)
    ) {
      length = undefined
      bytes = 0
      answered(answer)
    } else if (isFirst) answer = Buffer.from(piece) // the next piece is read into the same memory
  }
}

export type Running = {
  readonly stop: () => void
  readonly clear: () => void
  readonly seen: (seconds: number) => Seen
  readonly done: Promise<void>
}

/** Counts and latencies since `clear`. */
function makeNotes(accepted: ReadonlySet<number>) {
  let latencies: number[] = []
  let failed = 0
  let firstFailure: string | undefined
  return {
    answer(answer: Buffer, ms: number) {
      const status = Number(answer.toString('latin1', 9, 12))
      if ((status >= 200 && status < 300) || accepted.has(status)) latencies.push(ms)
      else this.failure(answer.toString('latin1', 0, 400))
    },
    failure(text: string) {
      failed += 1
      firstFailure ??= text
    },
    clear() {
      latencies = []
    },
    /**
     * `waits`: of those that are still without an answer. They count where they are longer than
     * what was measured.
     */
    seen(seconds: number, waits: readonly number[]): Seen {
      const sorted = Float64Array.from(latencies).sort()
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
      return {
        answered: sorted.length,
        perSecond: sorted.length / seconds,
        medianMs: at(0.5),
        p99Ms: at(0.99),
        maxMs: Math.max(at(1), ...waits),
        failed,
        firstFailure,
      }
    },
  }
}

/**
 * Begins at once. With `once` each request is sent once, and `done` resolves after the last answer.
 */
export function runPool(port: number, pool: Pool, once: boolean): Running {
  const requests = pool.requests.map((text) => Buffer.from(text))
  const notes = makeNotes(new Set(pool.accept))
  const sockets = new Set<Socket>()
  /** When each request that has no answer yet was sent. */
  const unanswered = new Map<Socket, number>()
  const began = performance.now()
  let next = 0
  let stopped = false
  let finish = () => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })

  function open(): void {
    let sent = 0
    const read = makeReading((answer) => {
      unanswered.delete(socket)
      notes.answer(answer, performance.now() - sent)
      send()
    })
    const callback = (bytes: number) => {
      read(memory.subarray(0, bytes))
      return true
    }
    const onread = { buffer: memory, callback }
    const socket = connect({ port, host: '127.0.0.1', localAddress: pool.from, noDelay: true, onread })
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
      unanswered.set(socket, sent)
      socket.write(requests[next++ % requests.length] as Buffer)
    }
    socket.on('connect', send)
    socket.on('error', () => {})
    socket.on('close', () => {
      if (!sockets.delete(socket)) return
      if (unanswered.delete(socket) && !stopped) notes.failure('the connection was closed')
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
    clear: notes.clear,
    seen: (seconds) =>
      notes.seen(
        seconds,
        [...unanswered.values()].map((since) => performance.now() - since),
      ),
  }
}
