/**
 * Runs code of an application that is part of a transaction: hooks, actions, and the work of
 * `transaction(…)`. The code may wait for its own transaction alone. It reaches no network, starts
 * no timer or process, opens and reads no other transaction, and has a time limit. This is a seat
 * belt against mistakes, and no sandbox.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { errorOf } from '../../base/outcomes/thrown-error.ts'
import { ApiError } from '../../errors.ts'
import { WrongCallError } from '../../resource/code/call-options.ts'
import { type CallInHand, type CodeInHand, makeCodeInHand } from './code-in-hand.ts'
import { inCode } from './code-place.ts'

/** The time that code may wait for anything but its records, where it declares no other. */
export const limitMsDefault = 200

export type GuardedCode = {
  /** `books.ts: book: hooks.beforeCreate` */
  readonly place: string
  readonly limitMs: number
  /** The code that may do these things: `an effect`. */
  readonly elsewhere: string
  /** Its own errors are for code of the application around it, which knows them. */
  readonly passesErrors?: true
}

export type GuardedCall = {
  /** Runs work of the engine for the code: it is not guarded, and its time does not count. */
  outside<T>(work: () => Promise<T>): Promise<T>
}

export type Guard = {
  /** The code that has the thread now, for a watch of it. */
  readonly inHand: CodeInHand
  /**
   * Throws what the work throws, in an error that names the code where the work itself is at fault.
   * Returns when all work of the engine that it began has ended.
   */
  run<T>(code: GuardedCode, work: (call: GuardedCall) => T | Promise<T>): Promise<T>
}

export type Breach = 'network' | 'timer' | 'process' | 'step' | 'transaction' | 'reads' | 'foreign'
const words: Readonly<Record<Breach, string>> = {
  network: 'reaches the network',
  timer: 'starts a timer',
  process: 'starts a process',
  step: 'keeps a result outside of its transaction',
  transaction: 'opens another transaction',
  reads: 'reads outside of its transaction',
  foreign: 'works in the transaction of other code',
}
/** Its own records do these. */
const ofRecords: ReadonlySet<Breach> = new Set(['transaction', 'reads', 'foreign'])

type RunningCall = { breached(breach: Breach, by: string): Error | undefined }
const running = new AsyncLocalStorage<RunningCall | undefined>()

export function isGuarded(): boolean {
  return running.getStore() !== undefined
}

/** Throws inside guarded code. `by`: the function that the code has called. */
export function refuseGuarded(breach: Breach, by: string): void {
  const error = running.getStore()?.breached(breach, by)
  if (error) throw error
}

/** The guarded code fails at its end: an error at once would leave a shared connection in doubt. */
export function noteGuarded(breach: Breach, by: string): Error | undefined {
  return running.getStore()?.breached(breach, by)
}

/** The error of a fault in code of the application. The log names the code by it. */
export function faultOfCode(place: string, error: unknown): Error {
  const cause = errorOf(error)
  return new Error(`${place} threw ${cause.message}`, { cause })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

/** For work of the engine that guarded code asks for, and that is no part of its transaction. */
export const unguarded = <T>(work: () => T): T => running.run(undefined, work)

/** A timer of Node does not last for any limit that code may give to `transaction(…)`. */
const lookEveryMs = 60_000

/** The time of a call, without that in which the engine works for it. */
function makeOwnTime(limitMs: number, inHand: CallInHand, onLimit: () => void) {
  let spentMs = 0
  let sinceMs = performance.now()
  let pauses = 0
  let timer: NodeJS.Timeout | undefined
  const ownMs = () => spentMs + (pauses === 0 ? performance.now() - sinceMs : 0)
  const isOver = () => pauses === 0 && ownMs() >= limitMs
  function limit(): void {
    timer ??= unguarded(() => setTimeout(look, Math.min(Math.max(1, limitMs - ownMs()), lookEveryMs)))
  }
  function look(): void {
    timer = undefined
    if (pauses > 0) return
    // Events that came while the process was busy have their turn first.
    if (isOver()) unguarded(() => setImmediate(() => isOver() && onLimit()))
    else limit()
  }
  return {
    ownMs,
    limit,
    isPaused: () => pauses > 0,
    pause(): void {
      if (pauses === 0) {
        spentMs = ownMs()
        inHand.pause()
      }
      pauses += 1
    },
    resume(): void {
      pauses -= 1
      if (pauses > 0) return
      sinceMs = performance.now()
      inHand.resume()
    },
    end: () => clearTimeout(timer),
  }
}

function startCall(
  { place, limitMs, elsewhere, passesErrors }: GuardedCode,
  { inHand, report }: { readonly inHand: CallInHand; readonly report: (message: string) => void },
) {
  /** Errors of the engine: others read them, such as the one that runs a transaction again. */
  const engineErrors = new WeakSet()
  let failure: Error | undefined
  let hasEnded = false
  let isLate = false
  let fail: (error: Error) => void = () => undefined
  let drained: () => void = () => undefined
  const time = makeOwnTime(limitMs, inHand, () => {
    if (hasEnded) return
    hasEnded = true
    isLate = true
    failure ??= new Error(`${place} waited for longer than its limit of ${limitMs} ms: ${elsewhere} may take longer`)
    fail(failure)
  })

  async function outside<T>(work: () => Promise<T>): Promise<T> {
    const caller = running.getStore()
    const error = caller === started ? undefined : caller?.breached('foreign', 'records')
    if (error) throw error
    if (hasEnded) throw new Error(`${place} calls records(…) after its end: await each call`)
    time.pause()
    try {
      return await unguarded(work)
    } catch (error) {
      if (typeof error === 'object' && error !== null && !(error instanceof WrongCallError)) engineErrors.add(error)
      throw error
    } finally {
      time.resume()
      if (hasEnded && !time.isPaused()) drained()
      else if (!hasEnded) time.limit()
    }
  }
  const started = {
    call: {
      outside<T>(work: () => Promise<T>): Promise<T> {
        const done = outside(work)
        done.catch(() => undefined) // one that the code does not await is told of at its end
        return done
      },
    },
    breached(breach: Breach, by: string): Error | undefined {
      const rest = ofRecords.has(breach) ? 'its records(…) are in the one that runs' : `${elsewhere} can`
      const said = `${place} ${words[breach]} (${by}): ${rest}`
      if (hasEnded) {
        report(`${said}. It did so after its end: await what it begins`)
        return undefined
      }
      failure ??= new Error(said)
      return failure
    },
    within<T>(work: Promise<T>): Promise<T> {
      time.limit()
      return new Promise((resolve, reject) => {
        fail = reject
        work.then(resolve, reject)
      })
    },
    /** Resolves when the engine does nothing more for this call. */
    async end(): Promise<void> {
      const wasRunning = !hasEnded
      hasEnded = true
      time.end()
      const ms = Math.round(time.ownMs())
      if (!isLate && ms > limitMs)
        report(`${place} ran for ${ms} ms without an await, so its limit of ${limitMs} ms could not end it`)
      if (!time.isPaused()) return inHand.leave()
      if (wasRunning) failure ??= new Error(`${place} ended before a call of records(…) that it made: await each call`)
      await new Promise<void>((resolve) => {
        drained = resolve
      })
      inHand.leave()
    },
    failure: () => failure,
    /** The error as the transaction is to end with it. */
    named(error: unknown): unknown {
      const isKnown = error instanceof ApiError || (typeof error === 'object' && error && engineErrors.has(error))
      if (isKnown || error === failure) return error
      return passesErrors ? error : faultOfCode(place, error)
    },
  }
  return started
}

export function makeGuard(report: (message: string) => void): Guard {
  const inHand = makeCodeInHand()
  // The log may need a timer.
  const tell = (message: string) => unguarded(() => report(message))
  return {
    inHand,
    async run(code, work) {
      const started = startCall(code, { report: tell, inHand: inHand.enter(code.place) })
      let thrown: { readonly error: unknown } | undefined
      let value: unknown
      try {
        const left = running.run(started, () => inCode(code.place, () => work(started.call)))
        value = isThenable(left) ? await started.within(Promise.resolve(left)) : left
      } catch (error) {
        thrown = { error: errorOf(error) }
      }
      await started.end()
      const failure = started.failure()
      if (failure && !(thrown && thrown.error === failure)) throw failure
      if (thrown) throw started.named(thrown.error)
      return value as Awaited<ReturnType<typeof work>>
    },
  }
}
