/**
 * Counts live streams, of each caller and of all, so that none takes the connections of the others.
 * Requests that wait for changes are counted in the same way, because each is one in work.
 */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'

export type StreamLimit = {
  /**
   * Returns the function that gives the place back. Throws `too-many-requests` for too many of one
   * caller, and `unavailable` for too many of all.
   */
  take(client: string): () => void
  count(): number
}

const waitSeconds = 10

type Bounds = {
  readonly max: number
  readonly ofCallerMax: number
  /** For a caller who has so many. */
  tooMany(own: number): ApiError
  full(): ApiError
}

const { streamsMax, streamsOfCallerMax, waitsMax, waitsOfCallerMax } = limits.live
const later = { retryAfterSeconds: waitSeconds }
export const ofStreams: Bounds = {
  max: streamsMax,
  ofCallerMax: streamsOfCallerMax,
  tooMany: (own) =>
    new ApiError(
      'too-many-requests',
      `You have ${own} live streams open, which is the most: end some, or put several subscriptions into one`,
      later,
    ),
  full: () => new ApiError('unavailable', 'Too many live streams are open', later),
}
export const ofWaits: Bounds = {
  max: waitsMax,
  ofCallerMax: waitsOfCallerMax,
  tooMany: (own) =>
    new ApiError(
      'too-many-requests',
      `You have ${own} requests that wait for changes, which is the most: follow several resources in one`,
      later,
    ),
  full: () => new ApiError('unavailable', 'Too many requests wait for changes', later),
}

export function makeStreamLimit({ max, ofCallerMax, tooMany, full }: Bounds): StreamLimit {
  const counts = new Map<string, number>()
  let total = 0
  return {
    take(client) {
      const own = counts.get(client) ?? 0
      if (own >= ofCallerMax) throw tooMany(own)
      if (total >= max) throw full()
      counts.set(client, own + 1)
      total += 1
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        total -= 1
        const left = (counts.get(client) ?? 1) - 1
        if (left > 0) counts.set(client, left)
        else counts.delete(client)
      }
    },
    count: () => total,
  }
}
