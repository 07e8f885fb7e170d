/**
 * Limits for reads whose duration is not known in advance (search, counts, unindexed sorts), and
 * the errors for their callers.
 */
import { ApiError } from '../errors.ts'
import type { FairQueueLimits } from './fair-queue.ts'
import type { ReadClient } from './storage.ts'

/**
 * The limits of one process. Without them reads have no limit: a console command waits for its own
 * read.
 */
export type CostlyLimits = FairQueueLimits & {
  /** How long one read may take from the beginning of its turn. */
  readonly readMsMax: number
}

/**
 * The client of a costly read, and the advice for its error message; undefined where no other
 * request would be cheaper.
 */
export type CostlyRequest = { readonly readClient: ReadClient; readonly advice?: string | undefined }

const retryAfterSeconds = 1

/** Ends the work of a client that has disconnected. No client receives it. */
export const clientHasLeft = new ApiError('unavailable', 'The client has disconnected')

export function tooManyReads(): ApiError {
  return new ApiError('unavailable', 'Too many reads that take long are waiting, try again', {
    retryAfterSeconds,
    bound: 'costly-reads',
  })
}

/** `tookTooLong('sort by one field')` → 400 `This read takes too long: sort by one field` */
export function tookTooLong(advice: string | undefined): ApiError {
  if (advice !== undefined)
    return new ApiError('bad-request', `This read takes too long: ${advice}`, { bound: 'slow-read' })
  return new ApiError('unavailable', 'The read took too long, try again', { retryAfterSeconds, bound: 'slow-read' })
}

export function wasInterrupted(cause: unknown): ApiError {
  return new ApiError('unavailable', 'The read was interrupted, try again', { retryAfterSeconds, cause })
}
