/**
 * The steps of a write from `parseOperation` on, with its `Prefer` header and its idempotency key.
 */

import { nowOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { type Preferences, parsePrefer, preferenceApplied } from '../../http/messages/preferences.ts'
import { endStage } from '../../observe/request-measurements.ts'
import type { Operation } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import { joinTransaction } from '../../perform/join-transaction.ts'
import { perform } from '../../perform/perform.ts'
import type { OperationResult } from '../../perform/result.ts'
import { needsSingle } from '../../perform/single.ts'
import { withPreparations } from '../../perform/together/preparations.ts'
import type { Admission } from '../../policy/policy.ts'
import { authorOf } from '../../record/author.ts'
import { dryRunAuthor, type RecordTransaction } from '../../record/record-store.ts'
import type { Principal } from '../../resource/principal.ts'
import { type ParseContext, parseOperation } from '../parse-operation.ts'
import { type ResponseContext, representResult } from '../represent-result.ts'
import type { Route } from '../route.ts'
import { answerKeyed, type ReplyStore } from './keyed-write.ts'
import type { KeysInProgress } from './once.ts'
import { upsertRecord } from './upsert.ts'

export type AdmittedRequest = {
  readonly route: Route
  readonly request: HttpRequest
  readonly admission: Admission
  readonly findCaller?: ParseContext['findCaller']
}

/** Rolls back a transaction that must store nothing. */
export class RollbackError extends Error {}

/** The response that the work made before its transaction was committed or rolled back. */
export async function responseOf(
  work: (made: (response: HttpResponse) => void) => Promise<unknown>,
): Promise<HttpResponse> {
  let response: HttpResponse | undefined
  try {
    await work((made) => {
      response = made
    })
  } catch (error) {
    if (!(error instanceof RollbackError)) throw error
  }
  if (!response) throw new Error('a write ended without a result')
  return response
}

/** `return=minimal`: no body, unless a value is shown only this once. */
function shortened(response: HttpResponse, result: OperationResult): HttpResponse {
  if (result.kind !== 'record' || result.revealed) return response
  const { 'content-type': _, ...headers } = response.headers
  return preferenceApplied({ status: result.created ? response.status : 204, headers, body: null }, 'return=minimal')
}

function represented(
  answering: ResponseContext,
  result: OperationResult,
  { minimal, dryRun }: Preferences,
): HttpResponse {
  const response = representResult(answering, result)
  const short = minimal ? shortened(response, result) : response
  if (!dryRun) return short
  delete short.headers.location // a dry run creates no record
  return preferenceApplied(short, 'dry-run')
}

/**
 * The effects of a removal with proof depend on the records that are left, so a dry run performs it
 * and rolls back.
 */
function dryOf({ kind, resource }: Operation): 'undone' | 'counted' {
  return kind === 'delete' && !resource.traits.removal ? 'counted' : 'undone'
}

/**
 * Throws `ApiError`; then the request has stored nothing. `keeping`: stores the response with it.
 */
async function once(
  engine: Engine,
  { route, request, admission, findCaller }: AdmittedRequest,
  { preferences, keeping }: { readonly preferences: Preferences; readonly keeping: ReplyStore | undefined },
): Promise<HttpResponse> {
  const operation = await parseOperation(route, request, {
    admission,
    policy: engine.policy,
    findCaller,
    now: nowOf(engine),
  })
  endStage(request.note, 'parse')
  const permitted = engine.policy.permit(admission, operation)
  const answering = { route, request, permitted, policy: engine.policy }
  if (!keeping && !preferences.dryRun) {
    const result = await perform(engine, permitted)
    endStage(request.note, 'perform')
    return represented(answering, result, preferences)
  }
  return responseOf((made) => {
    const beforeCommit = async (tx: RecordTransaction, result: OperationResult) => {
      const response = represented(answering, result, preferences)
      made(response)
      if (preferences.dryRun) throw new RollbackError()
      await keeping?.keep(tx, response, result.kind === 'record' && result.revealed !== undefined)
    }
    if (!preferences.dryRun) return perform({ ...engine, beforeCommit }, permitted)
    const records = dryRunAuthor(engine.records, dryOf(operation))
    const trying = { ...engine, isDryRun: true }
    if (!needsSingle(operation)) return perform({ ...trying, records, beforeCommit }, permitted)
    // Records that have to be created first are rolled back with the rest.
    return withPreparations(trying, (preparing) =>
      records.transaction(authorOf(permitted.principal, permitted.asking), (tx) =>
        perform({ ...joinTransaction(preparing, tx).engine, beforeCommit }, permitted),
      ),
    )
  })
}

type SingleWriteDeps = { readonly engine: Engine; readonly inWork: KeysInProgress }

/** Throws `ApiError`; then the request has stored nothing. */
export async function performWrite(
  doing: SingleWriteDeps,
  admitted: AdmittedRequest,
  principal: Principal,
): Promise<HttpResponse> {
  const { request } = admitted
  const { resource, operation, nested } = admitted.route.target
  const preferences = parsePrefer(request.headers.prefer)
  if (operation === 'import' && (request.headers['idempotency-key'] !== undefined || preferences.dryRun)) {
    const name = preferences.dryRun ? 'Prefer: dry-run' : 'Idempotency-Key'
    throw new ApiError('bad-request', `An import takes no ${name}: each of its lines is stored by itself`)
  }
  const { facts } = doing.engine.policy
  const keyed = {
    request,
    principal,
    // A response may show children, by the rules of their own resources.
    facts: () => (resource.nestedNames.length > 0 ? facts.ofAll : facts.of(admitted.route.target)),
    place: `${operation} ${resource.name} ${nested}`,
    isSecret:
      resource.traits.removal !== undefined ||
      resource.storedNames.some((name) => resource.fields[name]?.type.secret === 'sent'),
    isDry: preferences.dryRun,
  }
  const { route } = admitted
  return answerKeyed(doing, keyed, (engine, read, keeping) => {
    const attempt = (one: AdmittedRequest) => once(engine, one, { preferences, keeping })
    if (route.upserts) return upsertRecord({ engine, principal, route }, read, attempt)
    return attempt({ ...admitted, request: read })
  })
}
