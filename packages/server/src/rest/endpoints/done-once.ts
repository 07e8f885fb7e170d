/**
 * Does the work of an endpoint once for each id: that of its sender, or an `Idempotency-Key`. The
 * first transaction of the work stores the id with the answer, as far as it is known by then. A
 * repeat gets the stored answer, and nothing runs.
 */
import { ApiError } from '../../errors.ts'
import type { HttpResponse } from '../../http/messages/exchange.ts'
import type { Engine } from '../../perform/engine.ts'
import { authorOf } from '../../record/author.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { Principal } from '../../resource/principal.ts'
import { requestsKept } from '../../storage/storage.ts'
import { keyOwnerOf, storedKey, writeAnswer } from '../writes/idempotency-key.ts'
import { DoneBeforeError, doneOnce, type OnceDeps, storedResponse } from '../writes/once.ts'

/** How long the ids of senders are kept: some services send an event again for days. */
const sentIdsKeptMs = 30 * 24 * 60 * 60 * 1000

/** Stands for an answer that was not known when the work was stored. */
const unknownAnswer: HttpResponse = { status: 0, headers: {}, body: null }

function stillRunning(): ApiError {
  return new ApiError('conflict', 'The first such request is still running, try again', { retryAfterSeconds: 1 })
}

export type OnceRequest = {
  readonly id: string
  /** The endpoint: ids of different ones are apart. */
  readonly place: string
  readonly principal: Principal
  /** The digest that a repeat must have; the same for all where the id alone counts. */
  readonly print: string
  readonly sight: string
  /** It is the id of a sender, and no key of a caller. */
  readonly isOfSender: boolean
}

/** Tells what the answer will be. It is called inside of the transaction that stores the work. */
export type OfferAnswer = (response: HttpResponse) => void
type OnceWork = (engine: Engine, offer: OfferAnswer) => Promise<HttpResponse>

type StoredId = OnceRequest & { readonly key: string; readonly sinceMs: number }

async function replay(engine: Engine, stored: StoredId): Promise<HttpResponse | undefined> {
  const answer = await storedResponse(engine, stored)
  if (answer?.status === 0)
    throw new ApiError('conflict', 'This request was done, and its answer was lost; read what it has changed')
  return answer
}

/** The stored answer of one request, and the transactions that store it. */
function makeKeeping(engine: Engine, stored: StoredId) {
  const { key, sinceMs, print, sight, principal, isOfSender } = stored
  const owner = keyOwnerOf(principal, engine.client)
  const nowMs = engine.clock()
  // Requests are swept a day after this time.
  const atMs = isOfSender ? nowMs + sentIdsKeptMs - requestsKept.ms : nowMs
  let offered = unknownAnswer
  let kept: string | undefined
  /** Whether the transaction that stores the id has committed; undefined where none has begun. */
  let first: Promise<boolean> | undefined

  const keep = (tx: RecordTransaction, answer: string, overMs: number) =>
    tx.keepRequest({ key, owner, print, answer, atMs }, overMs)

  async function claimed<T>(tx: RecordTransaction, work: (tx: RecordTransaction) => Promise<T>): Promise<T> {
    const claim = await tx.claimRequest(key, sinceMs)
    if (claim === 'done') throw new DoneBeforeError()
    if (claim === 'running') throw stillRunning()
    offered = unknownAnswer // it may run again
    const result = await work(tx)
    const answer = writeAnswer(offered, sight, false)
    if (!(await keep(tx, answer, sinceMs))) throw new DoneBeforeError()
    kept = answer
    return result
  }

  const records: RecordStore = {
    async transaction(author, work) {
      while (first) if (await first) return engine.records.transaction(author, work)
      const own = engine.records.transaction(author, (tx) => claimed(tx, work))
      first = own.then(
        () => true,
        () => {
          first = undefined
          return false
        },
      )
      return own
    },
  }

  return {
    records,
    offer(response: HttpResponse) {
      offered = response
    },
    /** Stores the answer, where the work was stored with another one. */
    async settle(response: HttpResponse): Promise<void> {
      const answer = writeAnswer(response, sight, false)
      if (kept === undefined || kept === answer) return
      await engine.records.transaction(authorOf(principal), (tx) => keep(tx, answer, Number.MAX_SAFE_INTEGER))
    },
  }
}

/**
 * The answer of the work, or of the request that has done it. Throws `conflict`, `key-mismatch`.
 */
export async function doOnce({ engine, inWork }: OnceDeps, once: OnceRequest, work: OnceWork): Promise<HttpResponse> {
  const key = storedKey(once.id, once.principal, once.place)
  const stored: StoredId = { ...once, key, sinceMs: engine.clock() - requestsKept.ms }
  return doneOnce(inWork, { key, replay: () => replay(engine, stored), stillRunning }, async () => {
    const keeping = makeKeeping(engine, stored)
    const response = await work({ ...engine, records: keeping.records }, keeping.offer)
    await keeping.settle(response)
    return response
  })
}
