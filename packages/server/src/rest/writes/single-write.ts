/** The journey of a write from `parse` on: as the client prefers it, and with its key. */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { applied, type Preferences, parsePrefer } from '../../http/messages/preferences.ts'
import { mark } from '../../observe/request-note.ts'
import type { Operation } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import { joined } from '../../perform/joined.ts'
import { perform } from '../../perform/perform.ts'
import type { Result } from '../../perform/result.ts'
import { needsSingle } from '../../perform/single.ts'
import type { Admission } from '../../policy/policy.ts'
import { authorOf } from '../../record/author.ts'
import { drying, type Writing } from '../../record/records.ts'
import type { Principal } from '../../resource/principal.ts'
import { parse } from '../parse.ts'
import { type Answering, represent } from '../represent-result.ts'
import type { Route } from '../route.ts'
import { answerKeyed, type InWork, type Keeping } from './keyed-write.ts'
import { createOrReplace } from './upsert.ts'

export type Admitted = { readonly route: Route; readonly request: HttpRequest; readonly admission: Admission }

/** Ends a transaction that must leave nothing. */
export class UndoneError extends Error {}

/** The response that the work made before its transaction ended, or was undone. */
export async function responseOf(
  work: (made: (response: HttpResponse) => void) => Promise<unknown>,
): Promise<HttpResponse> {
  let response: HttpResponse | undefined
  try {
    await work((made) => {
      response = made
    })
  } catch (error) {
    if (!(error instanceof UndoneError)) throw error
  }
  if (!response) throw new Error('a write ended without a result')
  return response
}

/** `return=minimal`: no body, unless it is the only time that something is shown. */
function shortened(response: HttpResponse, result: Result): HttpResponse {
  if (result.kind !== 'record' || result.revealed) return response
  const { 'content-type': _, ...headers } = response.headers
  return applied({ status: result.created ? response.status : 204, headers, body: null }, 'return=minimal')
}

function represented(answering: Answering, result: Result, { minimal, dryRun }: Preferences): HttpResponse {
  const response = represent(answering, result)
  const short = minimal ? shortened(response, result) : response
  if (!dryRun) return short
  delete short.headers.location // there is nothing
  return applied(short, 'dry-run')
}

/** What follows from a proven removal depends on the records that are left: it is really done, and undone. */
function dryOf({ kind, resource }: Operation): 'undone' | 'counted' {
  return kind === 'delete' && !resource.traits.removal ? 'counted' : 'undone'
}

/** Throws `ApiError`; nothing of the request is stored then. `keeping`: what else is stored with it. */
async function once(
  engine: Engine,
  { route, request, admission }: Admitted,
  { preferences, keeping }: { readonly preferences: Preferences; readonly keeping: Keeping | undefined },
): Promise<HttpResponse> {
  const operation = await parse(route, request, { admission, policy: engine.policy })
  mark(request.note, 'parse')
  const permitted = engine.policy.permit(admission, operation)
  const answering = { route, request, permitted, policy: engine.policy }
  if (!keeping && !preferences.dryRun) {
    const result = await perform(engine, permitted)
    mark(request.note, 'perform')
    return represented(answering, result, preferences)
  }
  return responseOf((made) => {
    const beforeCommit = async (writing: Writing, result: Result) => {
      const response = represented(answering, result, preferences)
      made(response)
      if (preferences.dryRun) throw new UndoneError()
      await keeping?.keep(writing, response, result.kind === 'record' && result.revealed !== undefined)
    }
    if (!preferences.dryRun) return perform({ ...engine, beforeCommit }, permitted)
    const records = drying(engine.records, dryOf(operation))
    if (!needsSingle(operation)) return perform({ ...engine, records, beforeCommit }, permitted)
    // Records that have to be made first are undone with the rest.
    return records.transaction(authorOf(permitted.principal), (writing) =>
      perform({ ...joined(engine, writing).engine, beforeCommit }, permitted),
    )
  })
}

type Doing = { readonly engine: Engine; readonly inWork: InWork }

/** Throws `ApiError`; nothing of the request is stored then. */
export async function write(doing: Doing, admitted: Admitted, principal: Principal): Promise<HttpResponse> {
  const { request } = admitted
  const { resource, operation, nested } = admitted.route.target
  const preferences = parsePrefer(request.headers.prefer)
  if (operation === 'import' && (request.headers['idempotency-key'] !== undefined || preferences.dryRun)) {
    const name = preferences.dryRun ? 'Prefer: dry-run' : 'Idempotency-Key'
    throw new ApiError('bad-request', `An import takes no ${name}: each of its lines is stored by itself`)
  }
  const keyed = {
    request,
    principal,
    facts: () => doing.engine.policy.facts.of(admitted.route.target),
    place: `${operation} ${resource.name} ${nested}`,
    isSecret:
      resource.traits.removal !== undefined ||
      resource.storedNames.some((name) => resource.fields[name]?.type.secret === 'sent'),
    isDry: preferences.dryRun,
  }
  const { route } = admitted
  return answerKeyed(doing, keyed, (engine, read, keeping) => {
    const attempt = (one: Admitted) => once(engine, one, { preferences, keeping })
    if (route.upserts) return createOrReplace({ engine, principal, route }, read, attempt)
    return attempt({ ...admitted, request: read })
  })
}
