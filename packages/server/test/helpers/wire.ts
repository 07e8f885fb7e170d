/**
 * Raw sockets: a test writes requests byte by byte, and responses come in their order of arrival.
 */
import { connect, type Socket } from 'node:net'
import { stuckMs } from './until.ts'

export type WireAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Wire = {
  readonly socket: Socket
  send(text: string | Buffer): void
  /** The next complete response. Rejects when the connection ends first, or after `msMax`. */
  next(msMax?: number): Promise<WireAnswer>
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>
  /** How many bytes have arrived that are not yet read as responses. */
  unread(): number
  end(): void
}

/**
 * The complete chunked body at the start of the bytes, and where it ends; undefined while some of
 * it is missing.
 */
function readChunks(bytes: Buffer): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const end = line + 2 + size
    if (bytes.length < end + 2) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end: end + 2 }
    parts.push(bytes.subarray(line + 2, end))
    at = end + 2
  }
}

/** The first response in the bytes, and what follows it; undefined while it is not complete. */
function readAnswer(bytes: Buffer, ended: boolean): { answer: WireAnswer; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(first.split(' ')[1])
  const after = bytes.subarray(headEnd + 4)
  const done = (body: Buffer, used: number) => ({
    answer: { status, headers, body: body.toString('utf8') },
    rest: after.subarray(used),
  })
  if (status < 200 || status === 204 || status === 304) return done(Buffer.alloc(0), 0)
  if (headers['transfer-encoding'] === 'chunked') {
    const chunks = readChunks(after)
    return chunks && done(chunks.body, chunks.end)
  }
  const length = headers['content-length']
  if (length === undefined) return ended ? done(after, after.length) : undefined
  return after.length < Number(length) ? undefined : done(after.subarray(0, Number(length)), Number(length))
}

/** How long the first response is, where the bytes say so. */
function lengthOf(bytes: Buffer): number {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const said = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, Math.max(0, headEnd)))?.[1]
  return said === undefined ? 0 : headEnd + 4 + Number(said)
}

/** Connects to `http://127.0.0.1:3000`. */
export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let chunks: Buffer[] = []
  let length = 0
  let ended = false
  let wake: () => void = () => undefined
  const note = (more?: Buffer) => {
    if (more) chunks.push(more)
    length += more?.length ?? 0
    wake()
  }
  /** All that has arrived and is not yet read as responses. */
  const whole = (): Buffer => {
    if (chunks.length !== 1) chunks = [Buffer.concat(chunks)]
    return chunks[0] as Buffer
  }
  socket.on('data', note)
  socket.on('error', () => undefined) // 'close' follows and is enough
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      ended = true
      note()
      resolve()
    }
    socket.once('end', end)
    socket.once('close', end)
  })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    socket,
    send: (text) => void socket.write(text),
    closed,
    unread: () => length,
    end: () => socket.destroy(),
    async next(msMax = stuckMs) {
      const deadline = Date.now() + msMax
      let least = 0
      for (;;) {
        const found = ended || length >= least ? readAnswer(whole(), ended) : undefined
        if (found) {
          chunks = [found.rest]
          length = found.rest.length
          return found.answer
        }
        if (least === 0) least = lengthOf(whole())
        if (ended)
          throw new Error(`closed without an answer; got ${JSON.stringify(whole().toString('latin1').slice(0, 200))}`)
        const leftMs = deadline - Date.now()
        if (leftMs <= 0) throw new Error(`no answer within ${msMax} ms`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
  }
}

/**
 * Sends one request on a connection of its own and returns the response. The connection is closed
 * afterwards.
 */
export async function exchange(url: string, text: string | Buffer, msMax?: number): Promise<WireAnswer> {
  const wire = await openWire(url)
  try {
    wire.send(text)
    return await wire.next(msMax)
  } finally {
    wire.end()
  }
}
