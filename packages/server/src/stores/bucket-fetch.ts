/**
 * The HTTP requests to buckets: they leave by the door of all requests to hosts that the operator
 * has set. A service has one door; a command and a thread make their own.
 */
import { makeOutgoing, type Outgoing, type OutgoingFetch } from '../outgoing/outgoing.ts'
import type { OutgoingSettings } from '../settings/outgoing-settings.ts'

/** Makes the `fetch` when a store turns out to be a bucket. */
export type MakeBucketFetch = () => OutgoingFetch

/** A day: the client has a limit for each request, and a large backup takes hours to read. */
const bounds = { bytesMax: Number.MAX_SAFE_INTEGER, msMax: 86_400_000 }

/** `purpose`: for metrics. */
export function bucketFetchOf(outgoing: Outgoing, purpose = 'backups'): MakeBucketFetch {
  return () => outgoing.configured(purpose, bounds)
}

export function ownBucketFetch(settings: OutgoingSettings): MakeBucketFetch {
  return () => bucketFetchOf(makeOutgoing(settings))()
}
