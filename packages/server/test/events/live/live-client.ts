/**
 * A reader of a live stream for tests. It folds events into a table, and checks each against what
 * it knows. It remembers the position, and resumes from it when it connects again.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { until } from '../../helpers/until.ts'

type Shown = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: events have data of many forms, which each test knows
export type EventData = any
export type StreamEvent = { readonly event: string; readonly id: string | undefined; readonly data: EventData }

export type LiveAsked = {
  readonly url: string
  /** `/notes?_live` */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly body?: unknown
  /** Before the path. */
  readonly prefix?: string
  /** Reads an event of another protocol. */
  readonly read?: (event: StreamEvent) => StreamEvent
  /** How many events it keeps: all, unless a test has a million and waits for none. */
  readonly keeps?: number
}

export type LiveClient = {
  /** Connects again, where it was connected. Throws for a status that is not 200. */
  connect(url?: string): Promise<void>
  /** Cuts the connection. */
  cut(): Promise<void>
  readonly events: StreamEvent[]
  /** By the ids: the records of a set. */
  readonly table: Map<string, Shown>
  /** Waits for an event behind the last one that was waited for. It may have come already. */
  next(event: string, isIt?: (data: EventData) => boolean): Promise<StreamEvent>
  /** Resolves when the server has ended the stream. */
  ended(): Promise<void>
  status(): number
  position(): string | undefined
  /** All that the present connection was told, and the one that it began with. */
  positions(): readonly (string | undefined)[]
  reply(): Response
  /** Why it began anew, each time. */
  losses(): readonly string[]
}

/** Parses server-sent events as a browser does. */
export async function* parseStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let text = ''
  let id: string | undefined
  const decoder = new TextDecoder()
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      let [event, data] = ['message', '']
      for (const line of lines) {
        const [, name, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) as unknown as [string, string, string]
        if (name === 'id') id = value
        else if (name === 'event') event = value
        else if (name === 'data') data += value
      }
      yield { event, id, data: data === '' ? undefined : JSON.parse(data) }
    }
  }
}

export function makeLiveClient(asked: LiveAsked): LiveClient {
  const { url: first, path, headers = {}, method = 'GET', body, prefix = '/api/v1', read: readEvent } = asked
  const { keeps = Number.POSITIVE_INFINITY } = asked
  const events: StreamEvent[] = []
  const table = new Map<string, Shown>()
  const losses: string[] = []
  let [position, seen, status]: [string | undefined, number, number] = [undefined, 0, 0]
  let positions: (string | undefined)[] = []
  let control = new AbortController()
  let reading: Promise<void> = Promise.resolve()
  let reply: Response | undefined
  /** Until a stream is ready, its records replace the table. */
  let isFresh = false
  /** Of a transaction whose last event has not come: a resumed stream sends it anew. */
  let begun: StreamEvent[] = []

  function fold({ event, data }: StreamEvent): void {
    const id = String(data?.id)
    const words = () => `${event} ${JSON.stringify(data)} known ${JSON.stringify(table.get(id))}`
    const check = (isRight: boolean) => isRight || assert.fail(words())
    if (event === 'record') {
      if (isFresh) table.clear()
      isFresh = false
      check(!table.has(id))
      table.set(id, data.record)
    } else if (event === 'ready') {
      if (isFresh && !data.resumed) table.clear()
      isFresh = false
    } else if (event === 'lost') {
      losses.push(data.error)
      isFresh = true
    } else if (event === 'enter') {
      check(!table.has(id))
      table.set(id, data.record)
    } else if (event === 'change') {
      check(table.has(id))
      // GraphQL shows a hidden value and none alike.
      check(readEvent !== undefined || !isDeepStrictEqual(table.get(id), data.record))
      table.set(id, data.record)
    } else if (event === 'leave' || event === 'delete') check(table.delete(id))
  }
  async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const one of parseStream(stream)) {
        if (one.id !== undefined) position = one.id === '' ? undefined : one.id
        if (positions.at(-1) !== position) positions.push(position)
        if (one.data === undefined) continue
        const event = readEvent?.(one) ?? one
        events.push(event)
        if (events.length > keeps && events[0]?.event !== 'failed') events.shift()
        begun.push(event)
        if (event.data?.transaction !== undefined && event.data.last !== true) continue
        for (const part of begun) fold(part)
        begun = []
      }
    } catch (error) {
      if (control.signal.aborted || (error as Error).message === 'terminated') return
      events.push({ event: 'failed', id: undefined, data: String((error as Error).stack) })
    }
  }
  return {
    async connect(url = first) {
      control = new AbortController()
      isFresh = position === undefined
      begun = []
      positions = [position]
      reply = await fetch(`${url}${prefix}${path}`, {
        method,
        headers: {
          accept: 'text/event-stream',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
          ...(position && { 'last-event-id': position }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: control.signal,
      })
      status = reply.status
      if (status !== 200) throw new Error(`${status} ${await reply.text()}`)
      reading = read(reply.body as ReadableStream<Uint8Array>)
    },
    async cut() {
      control.abort()
      await reading
    },
    events,
    table,
    async next(event, isIt = () => true) {
      let found: StreamEvent | undefined
      await until(
        () => {
          const at = events.findIndex((one, i) => i >= seen && one.event === event && isIt(one.data))
          if (at < 0) return false
          seen = at + 1
          found = events[at]
          return true
        },
        () => `${event} of ${path}: ${JSON.stringify(events.slice(-5))}`,
      )
      return found as StreamEvent
    },
    ended: () => reading,
    status: () => status,
    position: () => position,
    positions: () => positions,
    reply: () => reply as Response,
    losses: () => losses,
  }
}
