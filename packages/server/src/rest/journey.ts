/**
 * The journey of a REST request, from top to bottom:
 *
 *   identify   who is asking                   401
 *   admit      whether the rule lets them in   401 403
 *   keep       the same answer, made before    200 304
 *   parse      what they ask for               400 406 413 415
 *   permit     the operation, tied to the rule
 *   perform    in storage                      403 404 409 412
 *   represent  as bytes                        200 201 204 304
 *
 * A caller who may not perform the operation is refused before the rest of the request is read. GraphQL's root fields take the same steps.
 */

import { checkAccept } from '../http/accept-header.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { type Caller, identifyCaller, type TakeRate } from '../http/identify-caller.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import type { FoundAnswer } from '../kept/entry.ts'
import type { KeptAnswers, Recorder } from '../kept/kept-answers.ts'
import { mark } from '../observe/request-note.ts'
import { onBehalf } from '../perform/engine.ts'
import { perform } from '../perform/perform.ts'
import type { Result } from '../perform/result.ts'
import { factsOf } from '../resource/operation-kind.ts'
import { answerKept, isValidated, keep, keyOf, type Made } from './lists/keep.ts'
import { pagePartOf } from './lists/page-form.ts'
import { asQuery } from './lists/query-method.ts'
import { wholeIfSmall } from './lists/small-stream.ts'
import { varied } from './lists/vary-by-caller.ts'
import { parse } from './parse.ts'
import { type Answering, represent } from './represent-result.ts'
import type { Route } from './route.ts'
import type { InWork } from './writes/keyed-write.ts'
import { type Admitted, write } from './writes/single-write.ts'

export type Journey = {
  readonly engine: EdgeEngine
  readonly takeRate: TakeRate | undefined
  /** Undefined where every answer is made anew. */
  readonly kept: KeptAnswers | undefined
  readonly inWork: InWork
}

/** The answer; at once where nothing has to be waited for. */
export function travel(journey: Journey, route: Route, sent: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const { identity, settings } = journey.engine
  const rule = route.target.resource.access[route.target.operation]
  const machine = rule?.type.needsKey(rule, settings) ?? false
  const caller = identifyCaller({ identity, takeRate: journey.takeRate }, sent, { machine })
  if (caller instanceof Promise) return caller.then((known) => admitted(journey, { route, sent }, known))
  return admitted(journey, { route, sent }, caller)
}

/** The journey from `admit` on. */
function admitted(
  journey: Journey,
  { route, sent }: { readonly route: Route; readonly sent: HttpRequest },
  caller: Caller,
): HttpResponse | Promise<HttpResponse> {
  const { engine, inWork } = journey
  const { principal, asker, cacheControl } = caller
  const admission = engine.policy.admit(principal, route.target)
  checkAccept(sent.headers.accept, acceptable(route))
  if (!factsOf(route.target.operation).reads) {
    mark(sent.note, 'admit')
    const writing = write({ engine: onBehalf(engine, asker), inWork }, { route, request: sent, admission }, principal)
    return writing.then((written) => withCaching(written, cacheControl))
  }
  if (sent.method === 'QUERY')
    return asQuery(sent).then((request) => read(journey, { route, request, admission }, caller))
  return read(journey, { route, request: sent, admission }, caller)
}

/** What was kept, or what is made. */
function read({ engine, kept }: Journey, asked: Admitted, caller: Caller): HttpResponse | Promise<HttpResponse> {
  const { asker, cacheControl } = caller
  const { route, request, admission } = asked
  // A credential in the address stays out of memory.
  const key =
    cacheControl === 'no-store' ? undefined : kept && keyOf(route, request, { admission, sights: kept.sights })
  const answer = (found: FoundAnswer | undefined) => {
    mark(request.note, 'admit')
    if (found) return withCaching(answerKept(route, request, found), cacheControl)
    const eager = route.target.operation === 'list'
    const making = make(onBehalf(engine, asker), asked, (engine) =>
      key === undefined ? undefined : kept?.record(key, engine, { eager }),
    )
    return making.then((made) => withCaching(made, cacheControl))
  }
  const finding = key === undefined ? undefined : kept?.find(key, caller)
  return finding instanceof Promise ? finding.then(answer) : answer(finding)
}

function withCaching(response: HttpResponse, cacheControl: string): HttpResponse {
  response.headers['cache-control'] = cacheControl
  return response
}

/** The journey of a read from `parse` on. The recorder keeps the answer. */
async function make(
  engine: EdgeEngine,
  { route, request, admission }: Admitted,
  record: (engine: EdgeEngine) => Recorder | undefined,
): Promise<HttpResponse> {
  const recorder = record(engine)
  try {
    const operation = await parse(route, request, { admission, policy: engine.policy })
    mark(request.note, 'parse')
    const permitted = engine.policy.permit(admission, operation)
    const result = await perform(recorder?.engine ?? engine, permitted)
    mark(request.note, 'perform')
    const made = await validated({ route, request, permitted, policy: engine.policy, result })
    const response = recorder ? keep(recorder, made) : made.response
    recorder?.end()
    mark(request.note, 'represent')
    return isValidated(route, request) ? unlessKnown(request, response) : response
  } catch (error) {
    recorder?.end(error)
    throw error
  }
}

type Making = Answering & { readonly result: Result }

/** As bytes, made once for all that is done with them, and with their validator, where it is a list that is not long. */
async function validated(making: Making): Promise<Made> {
  const { route, request, result } = making
  const { target } = route
  const response = varied(represent(making, result), making)
  if (target.operation !== 'list') return { response, part: undefined }
  const whole = await wholeIfSmall(response, { isHead: request.method === 'HEAD' })
  if (typeof whole.body !== 'string') return { response: whole, part: undefined }
  // Where the body does not say the total, the headers do.
  const total = target.resource.list.style === 'all' ? (whole.headers['x-total-count'] ?? '') : ''
  const body = Buffer.from(whole.body)
  const page = pagePartOf(request, result, body)
  whole.headers.etag = page?.etag ?? etagOfBytes(total === '' ? body : Buffer.from(whole.body + total))
  return { response: { ...whole, body }, part: page?.part }
}

function acceptable(route: Route): readonly string[] {
  return route.target.operation === 'export' ? ['application/x-ndjson', 'application/json'] : ['application/json']
}
