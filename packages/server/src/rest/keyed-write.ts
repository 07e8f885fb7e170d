/**
 * A write with an `Idempotency-Key`. Its answer is stored in the write's own transaction: either both are there or neither, so a retry is
 * answered without a second effect, whatever became of the first answer. A refusal leaves nothing.
 */
import { ApiError } from '../errors.ts'
import type { HttpResponse } from '../http/exchange.ts'
import { readBytes } from '../http/read-body.ts'
import type { Engine } from '../perform/engine.ts'
import type { Records } from '../record/records.ts'
import type { Principal } from '../resource/principal.ts'
import { requestsKept } from '../storage/storage.ts'
import { decodeUtf8, parseJson } from '../value/json.ts'
import { type Asked, parseKey, printOf, readAnswer, storedKey, writeAnswer } from './idempotency-key.ts'
import { type Preferences, parsePrefer } from './preferences.ts'
import { type Admitted, type Keeping, once } from './single-write.ts'

/** The keys of requests that this process is doing. */
export type InWork = Set<string>

/** Another transaction has done the request meanwhile. */
class DoneError extends Error {}

function stillRunning(): ApiError {
  const message = 'The first request with this Idempotency-Key is still running, try again'
  return new ApiError('conflict', message, { retryAfterSeconds: 1 })
}

/** Transactions that begin by claiming the key. */
function claiming(records: Records, key: string, sinceMs: number): Records {
  return {
    transaction: (author, work) =>
      records.transaction(author, async (writing) => {
        const claim = await writing.claimRequest(key, sinceMs)
        if (claim === 'done') throw new DoneError()
        if (claim === 'running') throw stillRunning()
        return work(writing)
      }),
  }
}

type Keyed = { readonly key: string; readonly asked: Asked; readonly principal: Principal }
type Doing = { readonly engine: Engine; readonly inWork: InWork; readonly preferences: Preferences }

/** The answer to a request that was done before; undefined where it was not. Throws `key-mismatch`, `conflict`. */
async function replay(engine: Engine, { route }: Admitted, keyed: Keyed): Promise<HttpResponse | undefined> {
  const { key, asked, principal } = keyed
  const done = await engine.storage.findRequest(key, engine.clock() - requestsKept.ms)
  if (!done) return undefined
  const print = await printOf(engine.identity, asked, { key, resource: route.target.resource })
  if (done.print !== print)
    throw new ApiError('key-mismatch', 'This Idempotency-Key was used for another request; take a new one')
  return readAnswer(done, principal)
}

async function doKeyed(doing: Doing, admitted: Admitted, keyed: Keyed): Promise<HttpResponse> {
  const { engine, inWork, preferences } = doing
  const { key, asked, principal } = keyed
  const before = await replay(engine, admitted, keyed)
  if (before) return before
  if (inWork.has(key)) throw stillRunning()
  inWork.add(key)
  const atMs = engine.clock()
  const sinceMs = atMs - requestsKept.ms
  let print = ''
  const keeping: Keeping = {
    async prepare() {
      print = await printOf(engine.identity, asked, { key, resource: admitted.route.target.resource })
    },
    async keep(writing, response, result) {
      const answer = writeAnswer(response, principal, result.kind === 'record' && result.revealed !== undefined)
      if (!(await writing.keepRequest({ key, print, answer, atMs }, sinceMs))) throw new DoneError()
    },
  }
  try {
    const records = claiming(engine.records, key, sinceMs)
    return await once({ ...engine, records }, admitted, { preferences, keeping })
  } catch (error) {
    if (!(error instanceof DoneError)) throw error
    const done = await replay(engine, admitted, keyed)
    if (!done) throw stillRunning()
    return done
  } finally {
    inWork.delete(key)
  }
}

/** Throws `ApiError`; nothing of the request is stored then. */
export async function write(
  { engine, inWork }: Omit<Doing, 'preferences'>,
  admitted: Admitted,
  principal: Principal,
): Promise<HttpResponse> {
  const { route, request } = admitted
  const { resource, operation, nested } = route.target
  const { prefer, 'idempotency-key': header } = request.headers
  const preferences = parsePrefer(prefer)
  const key = parseKey(header)
  if (operation === 'import' && (key !== undefined || preferences.dryRun)) {
    const name = preferences.dryRun ? 'Prefer: dry-run' : 'Idempotency-Key'
    throw new ApiError('bad-request', `An import takes no ${name}: each of its lines is stored by itself`)
  }
  if (key === undefined || preferences.dryRun) return once(engine, admitted, { preferences })
  const bytes = await readBytes(request)
  const read = { ...request, body: undefined, value: bytes && parseJson(decodeUtf8(bytes)) }
  const stored = storedKey(key, principal, `${operation} ${resource.name} ${nested}`)
  const keyed = { key: stored, asked: { request, bytes }, principal }
  return doKeyed({ engine, inWork, preferences }, { ...admitted, request: read }, keyed)
}
