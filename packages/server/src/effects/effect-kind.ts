/**
 * A kind of effect: the function that runs it, its time limit, its retries, and how its failures
 * are logged.
 */

import type { RunStep } from '../resource/effects/effect-step.ts'
import { type Retries, resolveRetries } from '../resource/effects/retries.ts'
import type { EffectOrigin } from '../storage/stored-effects.ts'

/** One that is run. `id` is the same at every try, so that the receiver knows a repeat. */
export type Effect = {
  readonly number: number
  readonly id: string
  readonly kind: string
  readonly key: string | null
  readonly payload: unknown
  /** This try included. */
  readonly tries: number
  readonly leftMs: number
  /** The write that left it; null for one that an earlier version left. */
  readonly origin: EffectOrigin | null
}

/** One try of it. `step` keeps results for later tries. `signal` ends it at its time limit. */
export type EffectTry = { readonly signal: AbortSignal; readonly step: RunStep }

/**
 * The wait before the next attempt. A random part of up to a quarter, added or taken away, spreads
 * many attempts.
 */
export type Backoff = { readonly firstMs: number; readonly factor: number; readonly mostMs: number }

/** The declared ones, as a kind has them. */
export function triesOf(retries: Retries | undefined): Pick<EffectKind, 'triesMax' | 'backoff'> {
  const { tries, firstSeconds, mostSeconds } = resolveRetries(retries)
  return { triesMax: tries, backoff: { firstMs: firstSeconds * 1000, factor: 3, mostMs: mostSeconds * 1000 } }
}

export function waitAfter({ firstMs, factor, mostMs }: Backoff, tries: number, random = Math.random): number {
  return Math.round(Math.min(firstMs * factor ** (tries - 1), mostMs) * (0.75 + random() / 2))
}

export type RandomWait = { readonly leastMs: number; readonly mostMs: number }

export function atRandom({ leastMs, mostMs }: RandomWait): number {
  return leastMs + Math.random() * (mostMs - leastMs)
}

export type EffectKind = {
  readonly name: string
  /**
   * Does the work, at least once for each effect: a process may die before it can say that it is
   * done. `signal` ends it at its time limit and when the process stops. Throws what makes another
   * try worth it, or `EffectRefused`.
   */
  run(effect: Effect, given: EffectTry): Promise<void>
  readonly triesMax: number
  readonly timeoutMs: number
  readonly backoff: Backoff
  /** Whether those of one key run one at a time, the oldest first. */
  readonly inOrder: boolean
  /** How many run side by side in one process. */
  readonly atOnce: number
  /**
   * How many of those given up are kept; the oldest go. Absent, all are kept until an operator
   * decides.
   */
  readonly givenUpMax?: number
  /** A wait at random before one that was just left begins. Absent, it begins at once. */
  readonly startsAfter?: RandomWait
  /** The log says this of a failure. */
  readonly words: { readonly again: string; readonly givenUp: string }
  /** Called when the end of a try is stored, with the key of its effect. */
  settled?(key: string | null): void
  /** The log says this besides, and nothing that must not stand in a log. */
  facts?(payload: unknown): Readonly<Record<string, unknown>>
}

/** The effect runs again after this time, and has not failed. Its tries do not count. */
export class EffectAgain extends Error {
  readonly waitMs: number

  constructor(waitMs: number) {
    super('It runs again')
    this.name = 'EffectAgain'
    this.waitMs = waitMs
  }
}

/** Another try is of no use. */
export class EffectRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EffectRefused'
  }
}
