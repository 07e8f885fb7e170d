/**
 * Performs a request once for its key, and gives repeats the stored response: writes with an
 * `Idempotency-Key`, and endpoints that do each message once.
 */
import { ApiError } from '../../errors.ts'
import type { HttpResponse } from '../../http/messages/exchange.ts'
import type { Engine } from '../../perform/engine.ts'
import { requestsKept } from '../../storage/storage.ts'
import { readAnswer } from './idempotency-key.ts'

/** The keys of requests that this process is performing. */
export type KeysInProgress = Set<string>

/** Another transaction has performed the request meanwhile. */
export class DoneBeforeError extends Error {}

/** Also where code of the application has failed because of it. */
function isDoneBefore(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) if (one instanceof DoneBeforeError) return true
  return false
}

/**
 * `print`: the digest that a repeat must have. `sight`: the facts on which a response depends.
 */
export type RequestKey = { readonly key: string; readonly print: string; readonly sight: string }

/**
 * The stored response to a completed request; undefined where there is none. Throws `key-mismatch`,
 * `conflict`.
 */
export async function storedResponse(
  { storage, clock }: Engine,
  { key, print, sight }: RequestKey,
): Promise<HttpResponse | undefined> {
  const done = await storage.findRequest(key, clock() - requestsKept.ms)
  if (!done) return undefined
  if (done.print !== print)
    throw new ApiError('key-mismatch', 'This Idempotency-Key was used for another request; take a new one')
  return readAnswer(done, sight)
}

export type OnceDeps = { readonly engine: Engine; readonly inWork: KeysInProgress }
type OnceRequest = {
  readonly key: string
  replay(): Promise<HttpResponse | undefined>
  stillRunning(): ApiError
}

/** Does the work, or returns the stored response. Throws `conflict` where the first one goes on. */
export async function doneOnce(
  inWork: KeysInProgress,
  { key, replay, stillRunning }: OnceRequest,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const before = await replay()
  if (before) return before
  if (inWork.has(key)) throw stillRunning()
  inWork.add(key)
  try {
    return await work()
  } catch (error) {
    if (!isDoneBefore(error)) throw error
    const done = await replay()
    if (!done) throw stillRunning()
    return done
  } finally {
    inWork.delete(key)
  }
}
