/**
 * Counts live streams, of each caller and of all, so that none takes the connections of the others.
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

export function makeStreamLimit({ streamsMax, streamsOfCallerMax } = limits.live as StreamLimits): StreamLimit {
  const counts = new Map<string, number>()
  let total = 0
  return {
    take(client) {
      const own = counts.get(client) ?? 0
      if (own >= streamsOfCallerMax)
        throw new ApiError(
          'too-many-requests',
          `You have ${own} live streams open, which is the most: end some, or put several subscriptions into one`,
          { retryAfterSeconds: waitSeconds },
        )
      if (total >= streamsMax)
        throw new ApiError('unavailable', 'Too many live streams are open', { retryAfterSeconds: waitSeconds })
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

type StreamLimits = { readonly streamsMax: number; readonly streamsOfCallerMax: number }
