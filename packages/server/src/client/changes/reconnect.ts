/** How the followers of changes go on after a failure: which pass, and how long they wait. */
import { RequestError } from '../request-error.ts'
import { sleep } from '../retry.ts'

const firstPauseMs = 500
const pauseMsMax = 30_000

/** Whether the same request may have an answer later. */
export function isPassing(error: unknown): error is RequestError {
  return error instanceof RequestError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/**
 * Waits before the next try: longer after each failure, and as long as the server asks. Ends when
 * the signal is aborted.
 */
export async function pause(failures: number, signal: AbortSignal, error?: RequestError): Promise<void> {
  // Random, so that clients do not all return at the same moment.
  const backoffMs = Math.min(pauseMsMax, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2)
  await sleep(Math.max((error?.retryAfter ?? 0) * 1000, backoffMs), signal).catch(() => undefined)
}

/** A signal that is never aborted. */
export const never: AbortSignal = new AbortController().signal
