/** Reads server-sent events from the body of an answer. */
import { limitIdle } from '../retry.ts'

export type StreamEvent = { readonly event: string; readonly data: Readonly<Record<string, unknown>> }
/** All events of one piece. `id`: the last one that the stream has named; empty: none resumes. */
export type StreamPiece = { readonly events: readonly StreamEvent[]; readonly id: string | undefined }

/** The server says something at least every 15 seconds. */
const silenceMsMax = 45_000

/** `'event: ready\ndata: {}'` → the event; undefined where it has no data. */
function parseBlock(block: string): { readonly event: StreamEvent | undefined; readonly id: string | undefined } {
  let [name, data, id]: [string, string, string | undefined] = ['message', '', undefined]
  for (const line of block.split('\n')) {
    const at = line.indexOf(':')
    const value = line.slice(at + 1).replace(/^ /, '')
    const field = at < 0 ? line : line.slice(0, at)
    if (field === 'event') name = value
    else if (field === 'data') data += value
    else if (field === 'id') id = at < 0 ? '' : value
  }
  return { event: data === '' ? undefined : { event: name, data: JSON.parse(data) }, id }
}

/** Throws `RequestError` where the stream falls silent, or its connection breaks. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPiece, void, undefined> {
  const reader = limitIdle(body, { named: 'The stream', idleMs: silenceMsMax }).getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = `${text}${decoder.decode(value, { stream: true })}`.split('\n\n')
      text = blocks.pop() ?? ''
      const parsed = blocks.map(parseBlock)
      const id = parsed.findLast((one) => one.id !== undefined)?.id
      yield { events: parsed.flatMap(({ event }) => event ?? []), id }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
