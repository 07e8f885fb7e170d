/**
 * Looks at all live streams: ends them when the service stops, identifies their callers again every
 * second, and sends something to those that were silent.
 */

import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { type ApiError, toApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Principal } from '../../resource/principal.ts'
import { printEnd } from './live-reader.ts'
import type { LiveStream } from './live-stream.ts'
import { printId } from './print-live.ts'

export type WatchedStream = {
  readonly stream: LiveStream
  /** The caller with its present rights. Throws where its credential has ended. */
  callerNow(): Principal | Promise<Principal>
  /** Called with the caller each second. Throws, or ends the stream, where it may not go on. */
  judge(principal: Principal): void
  /** Behind all events that were sent. */
  position(): string | undefined
}

export type StreamWatch = {
  add(watched: WatchedStream): void
  remove(watched: WatchedStream): void
}

type StreamWatchDeps = {
  isEnding(): boolean
  /** Learns the changes of other processes. */
  catchUp(): Promise<void> | void
  readonly report: (error: unknown) => void
}

/** How soon all learn that the service stops. */
const endingMs = 200
/** Streams that are judged before other work has its turn. */
const turn = 200
const ending = { error: 'The server is restarting: connect again', code: 'unavailable' }

function endBy({ stream, position }: WatchedStream, error: ApiError): void {
  stream.end(printEnd(stream.form, { error: error.message, code: error.code, position: position() }))
}

async function judge(watched: WatchedStream, report: StreamWatchDeps['report']): Promise<void> {
  try {
    watched.judge(await watched.callerNow())
  } catch (thrown) {
    const error = toApiError(thrown)
    // While the database is away, streams wait for it.
    if (error.code === 'unavailable') return
    if (error.code === 'internal') report(thrown)
    endBy(watched, error)
  }
}

function keepAlive({ stream, position }: WatchedStream): void {
  if (performance.now() - stream.sentMs() < limits.live.heartbeatMs) return
  const known = position()
  stream.send(known === undefined ? ': \n\n' : printId(known))
}

export function watchStreams({ isEnding, catchUp, report }: StreamWatchDeps): StreamWatch {
  const open = new Set<WatchedStream>()
  let isLooking = false
  let judgedMs = performance.now()

  async function judgeAll(): Promise<void> {
    await catchUp()
    let count = 0
    for (const one of open) {
      await judge(one, report)
      keepAlive(one)
      count += 1
      if (count % turn === 0) await breathe()
    }
  }
  async function look(): Promise<void> {
    isLooking = true
    while (open.size > 0) {
      await sleep(endingMs)
      if (isEnding())
        for (const { stream, position } of open) stream.end(printEnd(stream.form, { ...ending, position: position() }))
      else if (performance.now() - judgedMs >= limits.live.checkMs - endingMs / 2) {
        judgedMs = performance.now()
        await judgeAll().catch(() => undefined) // the next look tries again
      }
    }
    isLooking = false
  }
  return {
    add(watched) {
      open.add(watched)
      if (!isLooking) void look()
    },
    remove: (watched) => void open.delete(watched),
  }
}
