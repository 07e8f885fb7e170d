/**
 * Runs the effects of one kind. When one was left or is due, it looks for due effects and claims as
 * many as it has room for. A look begins at a position that moves past finished effects. From time
 * to time it begins at the first one, to find effects whose transactions took long.
 */
import type { Clock } from '../base/clock.ts'
import type { ClaimedEffect, StoredEffects } from '../storage/stored-effects.ts'
import { type ClaimLook, makeClaimMark } from './claim-mark.ts'
import { atRandom, type EffectKind } from './effect-kind.ts'
import { makePollScheduler } from './poll-scheduler.ts'

export type ClaimOptions = {
  readonly effects: Pick<StoredEffects, 'next' | 'nextLost' | 'claim'>
  readonly clock: Clock
  readonly holder: string
  readonly leaseMs: number
  /** How often it looks where nothing was told. */
  readonly checkMs: number
  /**
   * Runs a claimed one to its end, which is written when this resolves. Returns the earliest time
   * at which the next one of its line may be due. Never rejects.
   */
  run(kind: EffectKind, claimed: ClaimedEffect): Promise<number>
  failed(error: unknown): void
  succeeded(): void
}

export type KindRunner = {
  /** One was left that is due then. `isOwn`: by this process, so others look a moment later. */
  told(dueMs: number, isOwn: boolean): void
  /** Resolves when nothing is due that this process could claim, and nothing of its own runs. */
  runDue(): Promise<void>
  /** Claims no more. */
  stop(): void
  /** Resolves when what runs has ended. */
  settled(): Promise<void>
}

/**
 * Another process holds what is due, or may have claimed it: it looks again after a while of this
 * length, at random.
 */
const otherMs = { leastMs: 50, mostMs: 200 }
const otherWaitMs = () => atRandom(otherMs)
/**
 * A look that had room for more is followed by the next one after this time at the soonest. Then a
 * stream of small writes does not pay for a claim each. Where work waits, nothing is held back.
 */
const gatherMs = 10

export function makeKindRunner(kind: EffectKind, looking: ClaimOptions): KindRunner {
  const { effects, clock, holder, leaseMs, checkMs, failed, succeeded } = looking
  const mark = makeClaimMark(clock)
  /** By their ids: a number is free again once its effect is done. */
  const running = new Map<string, Promise<void>>()
  let stopped = false
  let soonestMs = 0

  function lookSoon(): void {
    const waitMs = soonestMs - performance.now()
    if (waitMs > 0) looks.within(waitMs)
    else void looks.now()
  }

  function start(claimed: ClaimedEffect): void {
    const { id } = claimed
    if (running.has(id)) return // it lost its lease to itself, and goes on
    const run = looking.run(kind, claimed).then((nextDueMs) => {
      running.delete(id)
      // The next of its line has come forward. A look may have passed that time meanwhile.
      if (kind.inOrder) mark.told(nextDueMs)
      lookSoon()
    })
    running.set(id, run)
  }

  async function look({ fromMs, isFull }: ClaimLook) {
    const lostMs = isFull ? await effects.nextLost(kind.name) : undefined
    return { dueMs: await effects.next(kind.name, fromMs), lostMs }
  }

  async function claimDue(): Promise<number> {
    while (!stopped && running.size < kind.atOnce) {
      const nowMs = clock()
      const { next, fromMs, isFull } = await mark.look(checkMs, look)
      if (next === undefined) return checkMs
      if (next > nowMs) return Math.min(next - nowMs, checkMs)
      const limit = kind.atOnce - running.size
      const { name, inOrder } = kind
      const asked = { kind: name, fromMs, withLost: isFull, nowMs, limit, holder, leaseMs, inOrder }
      const claimed = await effects.claim(asked)
      if (claimed.length === 0) return otherWaitMs()
      for (const one of claimed) start(one)
      if (claimed.length < limit) {
        soonestMs = performance.now() + gatherMs
        return gatherMs
      }
    }
    return checkMs
  }
  const looks = makePollScheduler({ look: claimDue, failedMs: checkMs, failed, succeeded })

  return {
    told(dueMs, isOwn) {
      mark.told(dueMs)
      const startsMs = kind.startsAfter ? atRandom(kind.startsAfter) : 0
      const waitMs = Math.max(0, dueMs - clock()) + startsMs + (isOwn ? 0 : otherWaitMs())
      // A later one is found by a look: no timer of Node lasts for longer than 24 days.
      if (waitMs > 0) looks.within(Math.min(waitMs, checkMs))
      else lookSoon()
    },
    async runDue() {
      mark.forget()
      await looks.now()
      while (running.size > 0) {
        await Promise.all(running.values())
        await looks.now()
      }
    },
    stop() {
      stopped = true
      looks.stop()
    },
    async settled() {
      await looks.settled()
      await Promise.all(running.values())
    },
  }
}
