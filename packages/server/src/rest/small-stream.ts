/** A streamed list that turns out to be small is sent as a whole, with its length and its validator. */
import type { HttpResponse } from '../http/exchange.ts'

const wholeMax = 65_536

async function* continued(read: readonly string[], rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield* read
    for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value
  } finally {
    await rest.return?.()
  }
}

/** Reads up to 64 KB; what is longer stays a stream, with those pieces at its beginning. */
export async function wholeIfSmall(response: HttpResponse): Promise<HttpResponse> {
  const { body } = response
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) return response
  const rest = body[Symbol.asyncIterator]()
  const read: string[] = []
  for (let length = 0; length <= wholeMax; ) {
    const piece = await rest.next()
    if (piece.done) return { ...response, body: read.join('') }
    read.push(piece.value)
    length += piece.value.length
  }
  return { ...response, body: continued(read, rest) }
}
