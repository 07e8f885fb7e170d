/**
 * Sends a streamed list that turns out to be small as a whole, with its length and its validator.
 */
import { type HttpResponse, isWholeBody } from '../../http/messages/exchange.ts'
import { prependFirst } from '../../http/messages/pieces.ts'

const wholeMax = 65_536

/**
 * Reads up to 64 KB. A longer response stays a stream that begins with those pieces; for HEAD it is
 * ended.
 */
export async function wholeIfSmall(
  response: HttpResponse,
  { isHead }: { readonly isHead: boolean },
): Promise<HttpResponse> {
  const { body } = response
  if (body === null || isWholeBody(body)) return response
  const rest = body[Symbol.asyncIterator]()
  const read: string[] = []
  for (let length = 0; length <= wholeMax; ) {
    const piece = await rest.next()
    if (piece.done) return { ...response, body: read.join('') }
    const text = String(piece.value) // rows are texts
    read.push(text)
    length += text.length
  }
  if (isHead) await rest.return?.()
  return { ...response, body: prependFirst(read, rest) }
}
