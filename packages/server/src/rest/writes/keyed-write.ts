/**
 * Performs a write with an `Idempotency-Key`. The response is stored in the write's own
 * transaction, so that both exist or neither. A retry then gets the response without a second
 * effect, even if the first response was lost. A refused write stores nothing.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { readBytes } from '../../http/messages/read-body.ts'
import type { Engine } from '../../perform/engine.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import { type CallerFacts, callerKey } from '../../resource/caller-facts.ts'
import type { Principal } from '../../resource/principal.ts'
import { requestsKept } from '../../storage/storage.ts'
import { decodeUtf8, parseJson } from '../../value/json.ts'
import { keyOwnerOf, parseKey, printOf, storedKey, writeAnswer } from './idempotency-key.ts'
import { DoneBeforeError, doneOnce, type OnceDeps, type RequestKey, storedResponse } from './once.ts'

function stillRunning(): ApiError {
  const message = 'The first request with this Idempotency-Key is still running, try again'
  return new ApiError('conflict', message, { retryAfterSeconds: 1 })
}

/** Transactions that begin by claiming the key. */
function claiming(records: RecordStore, key: string, sinceMs: number): RecordStore {
  return {
    transaction: (author, work) =>
      records.transaction(author, async (tx) => {
        const claim = await tx.claimRequest(key, sinceMs)
        if (claim === 'done') throw new DoneBeforeError()
        if (claim === 'running') throw stillRunning()
        return work(tx)
      }),
  }
}

export type ReplyStore = {
  /**
   * Runs at the end of the transaction. `reveals`: the response shows a secret that is shown only
   * once.
   */
  keep(tx: RecordTransaction, response: HttpResponse, reveals: boolean): Promise<void>
}

/** Performs the request with this engine, and stores the response where there is a key. */
export type KeyedWork = (engine: Engine, request: HttpRequest, keeping?: ReplyStore) => Promise<HttpResponse>

export type KeyedWrite = {
  readonly request: HttpRequest
  readonly principal: Principal
  /** The facts about the caller that the response depends on. */
  readonly facts: () => CallerFacts
  /** The operation that the key applies to. */
  readonly place: string
  /** Whether the body may hold a password. */
  readonly isSecret: boolean
  /** A dry run: it stores nothing, so there is no response to store. */
  readonly isDry: boolean
}
type KeyedLookup = KeyedWrite & RequestKey

async function doOnce({ engine, inWork }: OnceDeps, found: KeyedLookup, work: KeyedWork): Promise<HttpResponse> {
  const { key, print, sight, principal, request } = found
  return doneOnce(inWork, { key, replay: () => storedResponse(engine, found), stillRunning }, () => {
    const atMs = engine.clock()
    const sinceMs = atMs - requestsKept.ms
    const owner = keyOwnerOf(principal, engine.client)
    const keeping: ReplyStore = {
      async keep(tx, response, reveals) {
        const answer = writeAnswer(response, sight, reveals)
        if (!(await tx.keepRequest({ key, owner, print, answer, atMs }, sinceMs))) throw new DoneBeforeError()
      },
    }
    return work({ ...engine, records: claiming(engine.records, key, sinceMs) }, request, keeping)
  })
}

/**
 * Does the work, or returns the stored response. Throws `ApiError`; then the request has stored
 * nothing.
 */
export async function answerKeyed(doing: OnceDeps, keyed: KeyedWrite, work: KeyedWork): Promise<HttpResponse> {
  const { request, principal, facts, place, isDry, isSecret } = keyed
  const key = parseKey(request.headers['idempotency-key'])
  if (key === undefined || isDry) return work(doing.engine, request)
  const bytes = await readBytes(request)
  const read = { ...request, body: undefined, value: bytes && parseJson(decodeUtf8(bytes)) }
  const stored = storedKey(key, principal, place)
  // Responses may mark the caller's own session, and a retry may come from its successor.
  const sight = callerKey(
    principal,
    facts().filter((fact) => fact !== 'session'),
  )
  const print = printOf({ request, bytes }, { key, isSecret })
  return doOnce(doing, { ...keyed, request: read, key: stored, print, sight }, work)
}
