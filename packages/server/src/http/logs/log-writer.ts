/**
 * Writes log lines to standard output in order, many in one system call. This thread makes the
 * call: waking another thread would cost more than all the lines that it writes.
 */
import { writeSync } from 'node:fs'
import { timestampOf } from '../../base/clock.ts'
import { ownCopy } from '../../value/own-copy.ts'

export type LogWriter = {
  write(line: string): void
  /** Resolves when all lines are written. */
  flush(): Promise<void>
}

/**
 * A pipe takes a write of this size whole or not at all (POSIX, PIPE_BUF on Linux). So lines of
 * several processes on one pipe never mix.
 */
const sharedBytes = 4_096
/**
 * For a process that writes alone: half of a pipe's buffer. Its reader empties one half while the
 * server fills the other.
 */
const aloneBytes = 32_768
/** The bound of unwritten lines. Lines beyond it are lost, and counted. */
const waitingBytesMax = 8_000_000
/** The longest delay of a line. */
const flushMs = 250
/** The pause before another try when a pipe is full. */
const againMs = 20
/** The longest wait when the process ends. */
const endMs = 2_000

/**
 * Writes the first `length` bytes and returns the rest. Returns undefined when the reader has
 * closed the pipe: a log that cannot be written must not end the server.
 */
function writeNow(fd: number, bytes: Buffer, length: number): Buffer | undefined {
  let at = 0
  try {
    while (at < length) at += writeSync(fd, bytes, at, length - at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return bytes.subarray(at, length)
  }
  return undefined
}

const newline = 0x0a

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (const byte of bytes) if (byte === newline) lines += 1
  return lines
}

/**
 * Writes to pipes and sockets never block: Node makes them so when `process.stdout` is first used.
 * `isAlone`: no other process writes there, so a nearly full pipe may take a line in two parts.
 */
export function makeLogWriter({ isAlone }: { readonly isAlone: boolean }): LogWriter {
  const { fd } = process.stdout
  const gatheredBytes = isAlone ? aloneBytes : sharedBytes
  const gathered = Buffer.allocUnsafeSlow(gatheredBytes)
  let gatheredTo = 0
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let lost = 0
  let again: NodeJS.Timeout | undefined
  let told: (() => void)[] = []

  function drain(): void {
    again = undefined
    while (waiting.length > 0) {
      const first = waiting[0] as Buffer
      const left = writeNow(fd, first, first.length)
      waitingBytes -= first.length - (left?.length ?? 0)
      if (left) {
        waiting[0] = left
        again = setTimeout(drain, againMs)
        return
      }
      waiting.shift()
      if (waiting.length === 0 && lost > 0) sayLost()
    }
    for (const tell of told) tell()
    told = []
  }
  function wait(chunk: Buffer): void {
    if (waitingBytes + chunk.length > waitingBytesMax) {
      lost += linesIn(chunk)
      return
    }
    waiting.push(chunk)
    waitingBytes += chunk.length
    again ??= setTimeout(drain, againMs)
  }
  function sayLost(): void {
    const msg = `${lost} lines of the log are lost: standard output was not read in time`
    lost = 0
    wait(Buffer.from(`${JSON.stringify({ level: 'warn', time: timestampOf(Date.now()), msg })}\n`))
  }
  /** Bytes that have to wait are copied: a slice would keep its whole buffer in memory. */
  function send(bytes: Buffer): void {
    const left = again ? bytes : writeNow(fd, bytes, bytes.length)
    if (left) wait(ownCopy(left))
  }
  function handOver(): void {
    if (gatheredTo > 0) send(gathered.subarray(0, gatheredTo))
    gatheredTo = 0
  }
  function finish(): void {
    handOver()
    const untilMs = performance.now() + endMs
    for (drain(); waiting.length > 0 && performance.now() < untilMs; drain())
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs)
    clearTimeout(again)
  }

  setInterval(handOver, flushMs).unref()
  process.on('exit', finish)
  return {
    /** The line is encoded at once, while its text is in the processor's cache. */
    write(line) {
      const most = line.length * 3 // of UTF-8, for each unit of UTF-16
      if (most > gatheredBytes - gatheredTo) handOver()
      if (most <= gatheredBytes) gatheredTo += gathered.write(line, gatheredTo)
      else send(Buffer.from(line))
    },
    flush() {
      handOver()
      if (!again) return Promise.resolve()
      return new Promise((resolve) => told.push(resolve))
    },
  }
}
