/** Bounds the bytes of an answer while its reader reads them. */

import { OutgoingRefused } from './outgoing-refused.ts'

type ResponseBounds = {
  readonly host: string
  readonly bytesMax: number
  /** Turns an error of the connection into the one that its reader is given. */
  explain(error: unknown): unknown
}

/** A body that is longer than the bound ends with an error, and so does its connection. */
export function boundResponse(answer: Response, { host, bytesMax, explain }: ResponseBounds): Response {
  const { body, status, statusText, headers } = answer
  if (body === null) return answer
  const reader = body.getReader()
  let bytes = 0
  const tooLong = () => new OutgoingRefused('size', `The answer of ${host} has more than ${bytesMax} bytes`)
  const bounded = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        bytes += value.length
        if (bytes > bytesMax) throw tooLong()
        controller.enqueue(value)
      } catch (error) {
        await reader.cancel(error).catch(() => undefined)
        controller.error(explain(error))
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(bounded, { status, statusText, headers })
}
