/** Requests of work that has an end of its own. */
import type { OutgoingFetch } from './outgoing.ts'

/** `signal` ends every request. */
export function fetchUntil(fetch: OutgoingFetch, signal: AbortSignal): OutgoingFetch {
  return (url, init) => {
    const own = init?.signal ?? (url instanceof Request ? url.signal : undefined)
    return fetch(url, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal })
  }
}
