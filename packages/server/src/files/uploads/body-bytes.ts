/**
 * The bytes of a request's body in large pieces that are pulled: the sender is slowed down to the
 * speed of the store. A sender that stops is refused; the connection is left for the answer.
 *
 * The pieces of a body share one buffer: each is good until the next one is asked for.
 */
import type { Readable } from 'node:stream'
import { freeBytes } from '../../base/free-bytes.ts'
import { ApiError } from '../../errors.ts'
import { listenToBody, type UnreadBody } from '../../http/messages/whole-body.ts'
import { limits } from '../../limits.ts'

/** A piece costs a turn of the thread pool and of each step that it passes. */
const pieceBytes = 1 << 18

type GatheredStream = {
  readonly stream: Readable
  /** Nothing else reads the chunks of the stream. */
  readonly isOwn: boolean
  /** A piece has so many bytes, or is the last one. */
  readonly bytesMin: number
}

type Gathering = {
  /** The next bytes. Undefined at the end. Throws where the sender fails. */
  next(): Promise<Buffer | undefined>
  stop(): void
}

function gather({ stream, isOwn, bytesMin }: GatheredStream): Gathering {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes)
  let filled = 0
  /** A chunk, and how much of it is in the buffer. */
  let latest: { readonly chunk: Buffer; at: number } | undefined
  let end: { readonly error?: ApiError } | undefined
  let settle: () => void = () => undefined
  let timer: NodeJS.Timeout | undefined

  const move = () => {
    if (!latest) return
    const { chunk } = latest
    const copied = chunk.copy(buffer, filled, latest.at)
    filled += copied
    latest.at += copied
    if (latest.at < chunk.length) return
    latest = undefined
    if (isOwn) freeBytes(chunk)
  }
  const ended = (error?: ApiError) => {
    end ??= error ? { error } : {}
    settle()
  }
  const stop = listenToBody(stream, {
    data(chunk) {
      latest = { chunk, at: 0 }
      move()
      timer?.refresh()
      if (filled < bytesMin) return
      stream.pause()
      settle()
    },
    end: () => ended(),
    failed: ended,
  })
  /** Resolves when there are enough bytes, or when nothing follows. */
  const filling = () =>
    new Promise<void>((resolve) => {
      const late = () => ended(new ApiError('timeout', 'The body did not arrive in time'))
      timer = setTimeout(late, limits.bodyTimeoutMs)
      settle = () => {
        clearTimeout(timer)
        timer = undefined
        resolve()
      }
      stream.resume()
    })
  return {
    async next() {
      filled = 0
      move()
      if (filled < bytesMin && !end) await filling()
      if (filled > 0) return buffer.subarray(0, filled)
      if (end?.error) throw end.error
      return undefined
    },
    stop() {
      clearTimeout(timer)
      stop()
      freeBytes(buffer)
    },
  }
}

async function* gathered(from: GatheredStream): AsyncGenerator<Buffer> {
  const gathering = gather(from)
  try {
    for (let piece = await gathering.next(); piece; piece = await gathering.next()) yield piece
  } finally {
    gathering.stop()
  }
}

/**
 * Throws `bad-request` where the sender leaves, and `timeout` where it stops, both after the bytes
 * that came before.
 */
export function bytesOfStream(stream: Readable): AsyncGenerator<Buffer> {
  return gathered({ stream, isOwn: false, bytesMin: pieceBytes })
}

/** The same for the body of a request. */
export async function* bytesOfBody(body: UnreadBody | undefined, bytesMin = pieceBytes): AsyncGenerator<Buffer> {
  if (!body) return
  body.invite?.()
  yield* gathered({ stream: body.stream, isOwn: true, bytesMin })
}

/** The same bytes, for a reader that keeps pieces. */
export async function* copiesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}
