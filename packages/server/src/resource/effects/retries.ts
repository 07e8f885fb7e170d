/** How often work that failed is tried again, and how long it waits before that. */
import { countKind, type Members, objectOf } from '../members.ts'

/**
 * Each wait is three times the one before, up to the longest. A random part of a quarter spreads
 * work that failed at the same time.
 */
export type Retries = {
  /** How often it is tried, the first time included; 10 by default, over a day. */
  readonly tries?: number
  /** The wait after the first try; 10 seconds by default. */
  readonly firstSeconds?: number
  /** The longest wait; 15 hours by default. */
  readonly mostSeconds?: number
}

const members = { tries: countKind, firstSeconds: countKind, mostSeconds: countKind } satisfies Members<Retries>
export const retriesKind = objectOf(members)

/** With the defaults: waits of 10 s, 30 s, 90 s, and so on; the tenth try comes after a day. */
export function resolveRetries(retries: Retries = {}): Required<Retries> {
  const { tries = 10, firstSeconds = 10, mostSeconds = 54_000 } = retries
  return { tries, firstSeconds, mostSeconds }
}

/** The reason why these cannot be meant; undefined where they can. */
export function retriesMistake(retries: Retries | undefined): string | undefined {
  const { firstSeconds, mostSeconds } = resolveRetries(retries)
  return firstSeconds > mostSeconds
    ? `waits ${firstSeconds} s first and ${mostSeconds} s at most: give a longer mostSeconds`
    : undefined
}
