/**
 * Second factors: `/auth/factor` and `/auth/passkey` end a log-in, and what stands below the path of the factors enrols one. Lists and removals
 * are those of the declared resource.
 */

import type { FactorService } from '../../accounts/factors/factor-service.ts'
import type { Identity } from '../../accounts/identity.ts'
import { ApiError } from '../../errors.ts'
import type { TakeRate } from '../../http/identify-caller.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import { refuseDryRun } from '../../http/messages/preferences.ts'
import { readJson } from '../../http/messages/read-body.ts'
import { checkObject } from '../../operation/body.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import { forbidden } from '../../policy/judge.ts'
import { authorOf } from '../../record/author.ts'
import { type FactorMark, type FactorType, factorTypes } from '../../resource/accounts/identity-mark.ts'
import type { Marked } from '../../resource/catalog.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { anonymous, type Principal } from '../../resource/principal.ts'
import type { Author } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { checkAccept } from '../parse.ts'
import { apiPrefix, factorsPath } from '../route.ts'
import type { AuthRoute } from './auth-routes.ts'
import {
  checkNames,
  confirmationIn,
  confirmationNames,
  passkeyIn,
  placeOf,
  proofIn,
  proofNames,
  textIn,
} from './proof.ts'
import type { CookieOptions, Visit } from './refresh-cookie.ts'
import { clientOf, originOf } from './request-client.ts'
import { answerLogIn } from './session-answer.ts'
import { callerOf, managing } from './who-manages.ts'

export type FactorOptions = CookieOptions & {
  readonly identity: Identity
  readonly factors: FactorService
  readonly resource: Marked<FactorMark>
  readonly takeRate: TakeRate | undefined
}

type Body = Readonly<Record<string, unknown>>

const fresh = { 'cache-control': 'no-store' }

async function bodyOf(request: HttpRequest, names: readonly string[]): Promise<Body> {
  checkAccept(request.headers.accept, ['application/json'])
  checkParameters(parseParameters(request.query), [])
  const body = checkObject((await readJson(request)) ?? {})
  checkNames(body, names)
  return body
}

function authorFrom(principal: Principal, request: HttpRequest): Author {
  const { address, userAgent } = originOf(request)
  return { ...authorOf(principal), address, userAgent }
}

function typeIn(body: Body): FactorType {
  const type = factorTypes.find((one) => one === body.type)
  if (!type) throw fieldError('type', `must be one of ${factorTypes.join(', ')}`)
  return type
}

function shownFactor({ resource, mark }: Marked<FactorMark>, row: Row) {
  return { id: row[resource.idField], type: row[mark.type], name: row[mark.name] }
}

export function makeFactorRoutes(options: FactorOptions): AuthRoute[] {
  const { identity, factors } = options
  const { enrolment } = factors
  const path = factorsPath(options.resource.resource)

  async function logIn(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    const body = await bodyOf(request, ['ticket', ...proofNames])
    const ticket = textIn(body, 'ticket')
    if (!ticket) throw fieldError('ticket', 'is required')
    const proof = proofIn(body, placeOf(request))
    if (!proof) throw new ApiError('bad-request', `One of ${proofNames.join(', ')} is required`)
    return answerLogIn(options, visit, { logIn: await factors.logIn(ticket, proof, clientOf(request)) })
  }

  async function ask({ request }: Visit): Promise<HttpResponse> {
    const body = await bodyOf(request, ['ticket'])
    return json(200, await factors.ask(placeOf(request), textIn(body, 'ticket')), fresh)
  }

  async function begin(request: HttpRequest): Promise<HttpResponse> {
    const principal = await callerOf(options, request)
    const body = await bodyOf(request, ['type', 'name', ...confirmationNames])
    const wanted = { type: typeIn(body), name: textIn(body, 'name'), place: placeOf(request) }
    const ticket = textIn(body, 'ticket')
    const isAtLogIn = principal === anonymous && ticket !== undefined
    if (isAtLogIn) return json(200, await enrolment.beginAtLogIn(ticket, wanted), fresh)
    const own = managing(principal)
    await identity.confirmSelf(own, confirmationIn(body, wanted.place), originOf(request))
    return json(200, await enrolment.begin(own.userId, wanted), fresh)
  }

  async function finish(request: HttpRequest): Promise<HttpResponse> {
    const principal = await callerOf(options, request)
    const body = await bodyOf(request, ['ticket', 'code', 'passkey'])
    const ticket = textIn(body, 'ticket')
    if (!ticket) throw fieldError('ticket', 'is required')
    const { userId, atLogIn } = enrolment.about(ticket)
    if (!atLogIn && managing(principal).userId !== userId) throw forbidden()
    const shown = { code: textIn(body, 'code'), passkey: passkeyIn(body), place: placeOf(request) }
    const by = { author: authorFrom(principal, request), client: clientOf(request) }
    const { factor, recoveryCodes, logIn: opened } = await enrolment.finish(ticket, shown, by)
    const said = { ...shownFactor(options.resource, factor), ...(recoveryCodes && { recoveryCodes }) }
    if (!opened) return json(201, said, fresh)
    return answerLogIn(options, { request, mount: apiPrefix }, { logIn: opened, status: 201, more: said })
  }

  async function renewCodes(request: HttpRequest): Promise<HttpResponse> {
    const principal = managing(await callerOf(options, request))
    const body = await bodyOf(request, confirmationNames)
    await identity.confirmSelf(principal, confirmationIn(body, placeOf(request)), originOf(request))
    return json(
      200,
      { recoveryCodes: await enrolment.renewCodes(principal.userId, authorFrom(principal, request)) },
      fresh,
    )
  }

  const lasting = (path: string, run: (request: HttpRequest) => Promise<HttpResponse>): AuthRoute => ({
    method: 'POST',
    path,
    byCaller: true,
    async answer(request) {
      refuseDryRun(request)
      return run(request)
    },
  })
  const atMount = (mount: string, name: string, run: (visit: Visit) => Promise<HttpResponse>): AuthRoute => ({
    method: 'POST',
    path: `${mount}/auth/${name}`,
    answer: (request) => run({ request, mount }),
  })
  return [
    ...[apiPrefix, ''].flatMap((mount) => [atMount(mount, 'factor', logIn), atMount(mount, 'passkey', ask)]),
    lasting(path, begin),
    lasting(`${path}/finish`, finish),
    lasting(`${path}/recovery-codes`, renewCodes),
  ]
}
