/**
 * The text of one answer that goes on. The text waits here until the client reads. A client that
 * reads too slowly has its waiting text dropped, and is told so.
 */
import type { LastingText, TextSink } from '../../http/messages/exchange.ts'
import { limits } from '../../limits.ts'
import type { EventForm } from './print-live.ts'

export type LiveStream = {
  /** Of the texts that it sends. */
  readonly form: EventForm
  /** A client is slow that has not read what came before, however long a text is. */
  send(text: string): void
  /** Resolves when the client has read enough for more, or has gone. */
  space(): Promise<void>
  /** Of the text that waits. */
  length(): number
  /** `last`: a text that is sent although the client is slow. */
  end(last?: string): void
  isOpen(): boolean
  /** The time of `performance.now()` at which text was last sent. */
  sentMs(): number
  readonly text: LastingText
}

type LiveStreamParts = {
  readonly form: EventForm
  /** The last words to a client that reads too slowly. */
  readonly overflow: () => string
  /** Called once, when the stream has ended or the client has gone. */
  readonly onEnd: () => void
  readonly unreadMax?: number
}

export function makeLiveStream(parts: LiveStreamParts): LiveStream {
  const { form, overflow, onEnd, unreadMax = limits.live.unreadMax } = parts
  let waiting: string[] = []
  let length = 0
  let [isOpen, isOver, isFull, isDue] = [true, false, false, false]
  let lastMs = performance.now()
  let sink: TextSink | undefined
  let spacious: PromiseWithResolvers<void> | undefined

  function finish(): void {
    isOpen = false
    spacious?.resolve()
    spacious = undefined
    if (isOver) return
    isOver = true
    onEnd()
  }
  function take(): string {
    const text = waiting.join('')
    waiting = []
    length = 0
    spacious?.resolve()
    spacious = undefined
    return text
  }
  /** All texts of one turn go out together. */
  function flush(): void {
    isDue = false
    if (!sink) return
    if (!isOpen) {
      sink.end(take())
      sink = undefined
    } else if (!isFull && waiting.length > 0) isFull = !sink.write(take())
  }
  function plan(): void {
    if (isDue) return
    isDue = true
    setImmediate(flush)
  }
  function push(text: string): void {
    waiting.push(text)
    length += text.length
    lastMs = performance.now()
    plan()
  }
  function end(last?: string): void {
    if (!isOpen) return
    if (last !== undefined) push(last)
    finish()
    plan()
  }
  return {
    form,
    send(text) {
      if (!isOpen) return
      if (!sink || waiting.length === 0 || length + text.length <= unreadMax) return push(text)
      waiting = []
      length = 0
      end(overflow())
    },
    async space() {
      if (!isOpen || waiting.length === 0) return
      spacious ??= Promise.withResolvers()
      await spacious.promise
    },
    length: () => length,
    end,
    isOpen: () => isOpen,
    sentMs: () => lastMs,
    text(to) {
      sink = to
      plan()
      return {
        drained() {
          isFull = false
          flush()
        },
        closed() {
          sink = undefined
          waiting = []
          finish()
        },
      }
    },
  }
}
