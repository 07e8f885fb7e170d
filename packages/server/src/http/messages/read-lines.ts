/**
 * Reads the lines of an NDJSON body as they arrive, a few in each turn of the event loop, so that
 * other requests get theirs. Bodies are pushed, counted in the budget of all bodies, and paused
 * when lines wait. Files are pulled instead: see `storage/copy/file-lines.ts`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { importLine } from '../../operation/import-line.ts'
import type { ImportLine } from '../../operation/operation.ts'
import { listenToBody, makeGrowingBuffer, tooLarge, type UnreadBody } from './whole-body.ts'

/** Bytes of lines that are handed out in one turn of the event loop, and that wait in the queue. */
const turnBytes = 262_144
const newline = 10

type LineQueue = {
  readonly lines: Buffer[]
  bytes: number
  /** Why there are no more lines. */
  over: 'end' | ApiError | undefined
}

/** Splits the stream into lines. Calls `more` when the queue has new ones. */
function fill({ stream, holding, invite }: UnreadBody, queue: LineQueue, more: () => void): () => void {
  const bytesMax = limits.importLineBytesMax
  invite?.()
  const rest = makeGrowingBuffer((bytes) => holding.hold(stream, bytes + queue.bytes))
  const finish = (over: LineQueue['over']) => {
    queue.over ??= over
    stop()
    more()
  }
  /** Adds a part of a line, or its last one. Returns false when the line is too long. */
  function add(part: Buffer, isLast: boolean): boolean {
    if (rest.size() + part.length > bytesMax) return false
    if (!isLast || rest.size() > 0) rest.append(part)
    if (!isLast) return true
    const line = rest.size() > 0 ? rest.take() : Buffer.from(part)
    queue.lines.push(line)
    queue.bytes += line.length
    return true
  }
  const stop = listenToBody(stream, {
    data(chunk) {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        if (!add(chunk.subarray(start, end), true)) return finish(tooLarge(bytesMax))
        start = end + 1
      }
      if (start < chunk.length && !add(chunk.subarray(start), false)) return finish(tooLarge(bytesMax))
      if (queue.bytes > turnBytes) stream.pause()
      if (queue.lines.length > 0) more()
    },
    end() {
      if (rest.size() > 0) queue.lines.push(rest.take())
      finish('end')
    },
    failed: finish,
  })
  return stop
}

/**
 * Empty lines are skipped. Throws `too-large` for a line that is too long, after the lines before
 * it.
 */
export async function* linesOf(body: UnreadBody): AsyncGenerator<ImportLine> {
  const queue: LineQueue = { lines: [], bytes: 0, over: undefined }
  let wake: () => void = () => undefined
  const stop = fill(body, queue, () => wake())
  let number = 0
  let handedOut = 0
  try {
    for (;;) {
      for (const bytes of queue.lines.splice(0)) {
        number += 1
        const line = importLine(bytes, number)
        if (!line) continue
        yield line
        handedOut += bytes.length
        if (handedOut < turnBytes) continue
        handedOut = 0
        await nextTurn()
      }
      queue.bytes = 0
      if (queue.lines.length > 0) continue
      if (queue.over === 'end') return
      if (queue.over) throw queue.over
      body.stream.resume()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    stop()
    body.holding.release(body.stream)
  }
}
