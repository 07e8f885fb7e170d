/**
 * Looks at all live streams: ends them when the service stops, identifies their callers again every
 * second, and sends something to those that were silent.
 */
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { type ApiError, toApiError } from '../../errors.ts'
import type { IdentifiedRequest } from '../../http/identify-request.ts'
import { limits } from '../../limits.ts'
import type { Principal } from '../../resource/principal.ts'
import { printEnd } from './live-reader.ts'
import type { LiveStream } from './live-stream.ts'
import { printId } from './print-live.ts'

export type WatchedStream = {
  readonly stream: LiveStream
  /** Called with the caller each second. Throws, or ends the stream, where it may not go on. */
  judge(principal: Principal): void
  /** Behind all events that were sent. */
  position(): string | undefined
}

export type StreamWatch = {
  /** Streams of one sender share its identification. */
  add(watched: WatchedStream, caller: Pick<IdentifiedRequest, 'sender' | 'callerNow'>): void
  remove(watched: WatchedStream): void
}

type WatchedCaller = Pick<IdentifiedRequest, 'callerNow'> & {
  readonly sender: string
  readonly streams: Set<WatchedStream>
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

/** The caller with its present rights. Undefined while the database is away: streams wait. */
async function callerOf(
  { callerNow, streams }: WatchedCaller,
  report: StreamWatchDeps['report'],
): Promise<Principal | undefined> {
  try {
    return await callerNow()
  } catch (thrown) {
    for (const one of streams) refuse(one, thrown, report)
    return undefined
  }
}

function refuse(watched: WatchedStream, thrown: unknown, report: StreamWatchDeps['report']): void {
  const error = toApiError(thrown)
  if (error.code === 'unavailable') return
  if (error.code === 'internal') report(thrown)
  endBy(watched, error)
}

function keepAlive({ stream, position }: WatchedStream): void {
  if (performance.now() - stream.sentMs() < limits.live.heartbeatMs) return
  const known = position()
  stream.send(known === undefined ? ': \n\n' : printId(known))
}

/** Sends something to all that were silent, and lets other work have its turn. */
async function keepAllAlive(open: Iterable<WatchedStream>): Promise<void> {
  let count = 0
  for (const one of open) {
    keepAlive(one)
    count += 1
    if (count % turn === 0) await breathe()
  }
}

/** Judges the streams of all callers, and lets other work have its turn. */
async function judgeAll(
  callers: ReadonlyMap<string, WatchedCaller>,
  { catchUp, report }: Pick<StreamWatchDeps, 'catchUp' | 'report'>,
): Promise<void> {
  await catchUp()
  let count = 0
  for (const caller of callers.values()) {
    const principal = await callerOf(caller, report)
    for (const one of principal ? caller.streams : []) {
      try {
        one.judge(principal as Principal)
      } catch (thrown) {
        refuse(one, thrown, report)
      }
    }
    count += caller.streams.size + 1
    if (count < turn) continue
    count = 0
    await breathe()
  }
}

export function watchStreams({ isEnding, catchUp, report }: StreamWatchDeps): StreamWatch {
  const open = new Map<WatchedStream, WatchedCaller>()
  const callers = new Map<string, WatchedCaller>()
  let [isLooking, isJudging] = [false, false]
  let judgedMs = performance.now()

  async function judge(): Promise<void> {
    if (isJudging) return
    isJudging = true
    await judgeAll(callers, { catchUp, report }).catch(() => undefined) // the next look tries again
    isJudging = false
  }
  async function look(): Promise<void> {
    isLooking = true
    while (open.size > 0) {
      await sleep(endingMs)
      if (isEnding()) {
        for (const { stream, position } of open.keys())
          stream.end(printEnd(stream.form, { ...ending, position: position() }))
      } else if (performance.now() - judgedMs >= limits.live.checkMs - endingMs / 2) {
        judgedMs = performance.now()
        void judge() // while the database hangs, streams still live and end
        await keepAllAlive(open.keys())
      }
    }
    isLooking = false
  }
  return {
    add(watched, { sender = '', callerNow }) {
      const caller = callers.get(sender) ?? { sender, callerNow, streams: new Set() }
      callers.set(sender, caller)
      caller.streams.add(watched)
      open.set(watched, caller)
      if (!isLooking) void look()
    },
    remove(watched) {
      const caller = open.get(watched)
      open.delete(watched)
      if (!caller?.streams.delete(watched) || caller.streams.size > 0) return
      if (callers.get(caller.sender) === caller) callers.delete(caller.sender)
    },
  }
}
