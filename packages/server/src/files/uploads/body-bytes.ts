/**
 * The bytes of a request's body as a stream that is pulled: the sender is slowed down to the speed
 * of the store. A sender that stops is refused; the connection is left for the answer.
 */
import type { Readable } from 'node:stream'
import { ApiError } from '../../errors.ts'
import type { UnreadBody } from '../../http/messages/whole-body.ts'
import { limits } from '../../limits.ts'

/** The next piece, within the time in which a body has to move on. */
async function nextPiece<T>(next: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new ApiError('timeout', 'The body did not arrive in time'))
    timer = setTimeout(refuse, limits.bodyTimeoutMs)
  })
  try {
    return await Promise.race([next, late])
  } finally {
    clearTimeout(timer)
  }
}

const endedEarly = (cause: unknown) =>
  cause instanceof ApiError ? cause : new ApiError('bad-request', 'The body ended too early', { cause })

/** Throws `bad-request` where the sender leaves, and `timeout` where it stops. */
export async function* bytesOfStream(stream: Readable): AsyncGenerator<Buffer> {
  const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (;;) {
      const { done, value } = await nextPiece(pieces.next())
      if (done) return
      yield value
    }
  } catch (error) {
    throw endedEarly(error)
  } finally {
    void pieces.return?.().catch(() => undefined)
  }
}

export async function* bytesOfBody(body: UnreadBody | undefined): AsyncGenerator<Buffer> {
  if (!body) return
  body.invite?.()
  yield* bytesOfStream(body.stream)
}
