/** Makes the argument of the code of an endpoint: its request, and what it may do. */

import type { PlacedEndpoint } from '../../endpoint/declared/endpoint-places.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import type { Engine } from '../../perform/engine.ts'
import { authorOf } from '../../record/author.ts'
import { type KnownCaller, knownCaller } from '../../resource/code/acting-caller.ts'
import type { CallerRecords, CodeRun, OutsideCode } from '../../resource/code/code-context.ts'
import { checkSentence } from '../../resource/code/refusal.ts'
import type { EndpointError, EndpointRequest } from '../../resource/endpoints/endpoint-declaration.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Row } from '../../storage/storage.ts'
import { readableNames, readableValues } from '../../value/hidden-fields.ts'
import type { AdmittedEndpoint } from './admit-endpoint.ts'
import type { OfferAnswer } from './done-once.ts'
import { responseOf } from './endpoint-answer.ts'
import type { SentBody } from './read-endpoint.ts'

/** The code that acts in the name of a caller, made where all of the service is known. */
export type MakeEndpointCode = (engine: Engine, caller: Principal, run: CodeRun) => OutsideCode<CallerRecords>

type EndpointCall = {
  readonly placed: PlacedEndpoint
  readonly request: HttpRequest
  readonly admitted: AdmittedEndpoint
  readonly sent: SentBody
  readonly query: Readonly<Record<string, unknown>>
  readonly verified: unknown
  readonly row: Row | undefined
  readonly signal: AbortSignal
  readonly offer: OfferAnswer | undefined
}

/** The part of a request that code is given. */
export function shownRequest({ id, method, path, headers, address }: HttpRequest): EndpointRequest {
  return { id, method, path, headers, address }
}

/** The caller that the rule has judged; `records.as` gives it the rights of its request. */
function callerOf({ principal, asking }: AdmittedEndpoint): KnownCaller {
  const author = authorOf(asking)
  if (principal.kind !== 'user') return knownCaller({ userId: null, role: null, isTrusted: false }, author)
  const { userId, role, via } = principal
  return knownCaller({ userId: userId === '' ? null : userId, role, isTrusted: via === 'console' }, author)
}

/** The record as its caller sees it: fields that the caller may not read are absent. */
function shownRow({ admission }: AdmittedEndpoint, row: Row | undefined): Row | undefined {
  if (!row || !admission) return undefined
  return readableValues(row, readableNames(admission.target.resource, admission.visible))
}

function refusing({ declared }: PlacedEndpoint) {
  const sentences = declared.endpoint.errors ?? {}
  return (code: EndpointError, sentence = sentences[code], field?: string): never => {
    if (sentence === undefined) throw new Error(`refuse: the endpoint declares no error ${code}`)
    checkSentence(sentence)
    const mistakes = field === undefined ? [] : [{ field, detail: sentence }]
    throw new ApiError(code, sentence, { mistakes })
  }
}

/**
 * The transactions of the code. The value that one returns is offered as the answer of a request
 * that is done once, where it has the declared form.
 */
function offering(
  transaction: OutsideCode<CallerRecords>['transaction'],
  { placed, offer }: EndpointCall,
): OutsideCode<CallerRecords>['transaction'] {
  if (!offer) return transaction
  return (work, options) =>
    transaction(async (inside) => {
      const result = await work(inside)
      try {
        offer(responseOf(placed.declared.endpoint, result))
      } catch {
        // It is a part of the answer: the answer is stored when the code ends.
      }
      return result
    }, options)
}

export function codeOf(make: MakeEndpointCode, engine: Engine, call: EndpointCall) {
  const { placed, request, admitted, sent, query, verified, row, signal } = call
  const { declared } = placed
  const code = make(engine, admitted.asking, { name: declared.partName, signal })
  return {
    ...code,
    transaction: offering(code.transaction, call),
    ...(row && { record: shownRow(admitted, row) }),
    ...(declared.endpoint.body === 'raw' && { body: sent.bytes, verified }),
    input: sent.input,
    query,
    caller: callerOf(admitted),
    request: shownRequest(request),
    refuse: refusing(placed),
  }
}
