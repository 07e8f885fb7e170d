/**
 * Reads of which nobody knows beforehand how long they take: what bounds them, and what their
 * callers are told.
 */
import { ApiError } from '../errors.ts'
import type { FairQueueLimits } from './fair-queue.ts'
import type { ReadClient } from './storage.ts'

/**
 * The bounds of one process. Without them reads run where and as long as they like: the console
 * waits for its own.
 */
export type CostlyLimits = FairQueueLimits & {
  /** How long one read may take from the beginning of its turn. */
  readonly readMsMax: number
}

/**
 * For whom a costly read runs, and what the caller could ask for instead; undefined where another
 * request would help nobody.
 */
export type CostlyRequest = { readonly readClient: ReadClient; readonly advice?: string | undefined }

const retryAfterSeconds = 1

/** Nobody reads it; it ends the work. */
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
