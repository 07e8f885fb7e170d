/**
 * Runs the effects of all kinds in this process. Three things start a look: an effect that this
 * process left, one that another process announced in the change log, and a timer. Its claims are
 * leases, which expire when the process dies.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { makeRepeatedLine } from '../base/repeated-line.ts'
import type { Changes } from '../storage/changes.ts'
import {
  type ClaimedEffect,
  type EffectPlace,
  type EndedWork,
  newEffectsOf,
  type StoredEffects,
} from '../storage/stored-effects.ts'
import { type AttemptOutcome, attempt, StoppingError } from './attempt.ts'
import { type EffectCounts, makeEffectCounts } from './effect-counts.ts'
import type { EffectKind } from './effect-kind.ts'
import { type KindRunner, makeKindRunner } from './run-kind.ts'
import { makeOutcomeWriter } from './write-outcomes.ts'

export type EffectTimes = {
  /** How long others keep off what this process has claimed, unless it says that it goes on. */
  readonly leaseMs: number
  /** How often each kind looks where nothing was told. */
  readonly checkMs: number
  /** How long a stop waits for what runs. */
  readonly stopMs: number
}

export type EffectsDeps = {
  readonly storage: { readonly effects: StoredEffects; readonly changes: Pick<Changes, 'follow'> }
  readonly kinds: readonly EffectKind[]
  readonly clock: Clock
  readonly times: EffectTimes
  /** Receives what failed, for the operator. */
  report(message: string, error: unknown, facts?: Readonly<Record<string, unknown>>): void
  /** Told of each attempt, for tests. */
  readonly ended?: ((work: EndedWork) => void) | undefined
}

export type EffectRunner = {
  readonly counts: EffectCounts
  /** Resolves when nothing is due that could be claimed, and nothing runs or was caused by it. */
  runDue(): Promise<void>
  /** Effects of this kind and these keys that wait are due now. Resolves when that is stored. */
  hasten(kind: string, keys: readonly string[]): Promise<void>
  /** Waits for what runs, for a while; then it ends it, and leaves it to others. */
  stop(): Promise<void>
}

/** An outcome that ended it, or failed. */
type ToldOutcome = Exclude<AttemptOutcome, { readonly end: 'again' }>

function endedWork({ kind, id, key, tries }: ClaimedEffect, outcome: ToldOutcome): EndedWork {
  const named = { kind, id, key, tries }
  if (outcome.end === 'done') return { ...named, outcome: 'done' }
  return { ...named, outcome: outcome.end === 'later' ? 'failed' : 'given-up', error: outcome.error }
}

/** The log says at which try it failed, and of which kind it is. */
function makeTell({ report, ended }: EffectsDeps, counts: EffectCounts) {
  return (kind: EffectKind, claimed: ClaimedEffect, outcome: AttemptOutcome): void => {
    if (outcome.end === 'again') return
    if (outcome.end !== 'done' && outcome.error instanceof StoppingError) return
    ended?.(endedWork(claimed, outcome))
    if (outcome.end === 'done') {
      counts.add(kind.name, 'done')
      return
    }
    const facts = {
      kind: kind.name,
      effect: claimed.id,
      tries: claimed.tries,
      ...kind.facts?.(JSON.parse(claimed.payload)),
    }
    counts.add(kind.name, 'failed')
    if (outcome.end === 'given-up') counts.add(kind.name, 'given-up')
    report(outcome.end === 'given-up' ? kind.words.givenUp : kind.words.again, outcome.error, facts)
  }
}

/** Leases of what runs are made longer, in time for one that fails. */
function startBeats({ storage, clock, times }: EffectsDeps, holder: string, running: ReadonlyMap<string, number>) {
  let beating: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    if (running.size === 0) return
    beating = beating
      .then(() => storage.effects.beat(holder, [...running.values()], clock() + times.leaseMs))
      .catch(() => undefined) // where the database is away, the looks say so
  }, times.leaseMs / 4)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await beating
  }
}

function waitFor(settled: Promise<unknown>, ms: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([settled, late]).finally(() => clearTimeout(timer))
}

function makeHasten({ storage, clock }: EffectsDeps, runners: ReadonlyMap<string, KindRunner>): EffectRunner['hasten'] {
  return async (kind, keys) => {
    const nowMs = clock()
    if (await storage.effects.hasten(kind, keys, nowMs)) runners.get(kind)?.told(nowMs, true)
  }
}

export function startEffects(parts: EffectsDeps): EffectRunner {
  const { storage, kinds, clock, times, report } = parts
  const holder = randomUUID()
  const counts = makeEffectCounts(kinds)
  const tell = makeTell(parts, counts)
  const stopping = new AbortController()
  /** Their numbers by their ids: a number is free again once its effect is done. */
  const running = new Map<string, number>()
  /** How many attempts have ended. */
  let ended = 0
  let latest: unknown
  const failing = makeRepeatedLine((line) => report(line, latest))
  const database = {
    failed(error: unknown) {
      latest = error
      failing.tell('Effects, mails among them, cannot be run now')
    },
    succeeded: () => failing.end(),
  }
  const ends = makeOutcomeWriter({ effects: storage.effects, holder, clock, ...database })

  const trying = {
    stopping: stopping.signal,
    keepSteps: (place: EffectPlace, steps: string) => storage.effects.keepSteps(holder, place, steps),
  }

  async function run(kind: EffectKind, claimed: ClaimedEffect): Promise<number> {
    const { id, number, wasLost } = claimed
    if (wasLost) counts.add(kind.name, 'lost')
    running.set(id, number)
    const beganMs = clock()
    const outcome = await attempt(kind, claimed, trying)
    const endedMs = clock()
    counts.took(kind.name, endedMs - beganMs)
    await ends.write({ number, id }, outcome)
    running.delete(id)
    ended += 1
    kind.settled?.(claimed.key)
    tell(kind, claimed, outcome)
    const { givenUpMax } = kind
    if (outcome.end === 'given-up' && givenUpMax !== undefined)
      // the next one does it
      await storage.effects.keepNewest(kind.name, givenUpMax).catch(() => undefined)
    return endedMs
  }

  const { leaseMs, checkMs, stopMs } = times
  const looking = { effects: storage.effects, clock, holder, leaseMs, checkMs, run, ...database }
  const runners = new Map<string, KindRunner>(kinds.map((kind) => [kind.name, makeKindRunner(kind, looking)]))
  storage.changes.follow({
    apply(changes) {
      for (const change of changes)
        for (const [kind, dueMs] of newEffectsOf(change)) runners.get(kind)?.told(dueMs, change.images !== undefined)
    },
    reset() {
      for (const runner of runners.values()) runner.told(0, false)
    },
  })
  for (const runner of runners.values()) runner.told(0, false) // what was left before this start
  const stopBeats = startBeats(parts, holder, running)
  const all = <T>(each: (runner: KindRunner) => T) => Promise.all([...runners.values()].map(each))

  return {
    counts,
    async runDue() {
      for (let before = -1; before !== ended; ) {
        before = ended
        await all((runner) => runner.runDue())
      }
    },
    hasten: makeHasten(parts, runners),
    async stop() {
      for (const runner of runners.values()) runner.stop()
      const settled = all((runner) => runner.settled())
      await waitFor(settled, stopMs)
      stopping.abort(new StoppingError())
      ends.stop()
      await settled
      await stopBeats()
      failing.end()
    },
  }
}
