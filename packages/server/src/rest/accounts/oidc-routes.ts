/**
 * `/auth/oidc/{provider}`: log-in by an OpenID provider. Browsers are sent away, come back, and go on to a page with the refresh cookie; programs
 * get the tokens as JSON.
 */

import type { Federation } from '../../accounts/federation/federation.ts'
import type { Identity } from '../../accounts/identity.ts'
import type { TakeRate } from '../../http/identify-caller.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import { readBytes, readJson } from '../../http/messages/read-body.ts'
import { checkObject } from '../../operation/body.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { apiPrefix } from '../route.ts'
import type { AuthRoute } from './auth-routes.ts'
import { deviceCookieOf } from './device-cookie.ts'
import { flowCookieOf, setFlowCookie } from './flow-cookie.ts'
import { answerEnd, answerRefusal, goTo } from './oidc-answers.ts'
import { checkNames, confirmationIn, confirmationNames, placeOf, textIn } from './proof.ts'
import type { CookieOptions, Visit } from './refresh-cookie.ts'
import { originOf } from './request-client.ts'
import { checkReturnAddress } from './return-address.ts'
import { callerOf, managing } from './who-manages.ts'

export type OidcOptions = CookieOptions & {
  readonly federation: Federation
  readonly identity: Identity
  readonly takeRate: TakeRate | undefined
  /** Undefined: the address of each request. */
  readonly publicUrl: string | undefined
  /** The resource of linked accounts. */
  readonly linked: Resource
}

const answerMembers = ['code', 'state', 'iss', 'error', 'session_state'] as const
const formType = 'application/x-www-form-urlencoded'

/** Where the ticket of a passkey stands: `ticket` is that of the log-in. */
const challengeTicket = 'passkeyTicket'

/** The account says yes. */
async function link(options: OidcOptions, request: HttpRequest): Promise<HttpResponse> {
  const { federation, linked } = options
  const principal = managing(await callerOf(options, request))
  checkParameters(parseParameters(request.query), [])
  const body = checkObject((await readJson(request)) ?? {})
  checkNames(body, [...confirmationNames, challengeTicket])
  const ticket = textIn(body, 'ticket')
  if (!ticket) throw fieldError('ticket', 'is required')
  const sent = confirmationIn(body, placeOf(request), challengeTicket)
  const row = await federation.link(principal, { ticket, sent, from: originOf(request) })
  return json(201, { id: row[linked.idField] }, { 'cache-control': 'no-store' })
}

export function makeOidcRoutes(options: OidcOptions): AuthRoute[] {
  const { federation, publicUrl, corsOrigins } = options
  const providerOf = ({ parameters }: HttpRequest) => parameters.provider ?? ''
  const baseOf = ({ protocol, headers }: HttpRequest) => publicUrl ?? `${protocol}://${headers.host}`

  async function begin({ request, mount }: Visit, returnTo: string | undefined, linkTo?: string) {
    const provider = providerOf(request)
    const origins = publicUrl ? [new URL(publicUrl).origin, ...corsOrigins] : corsOrigins
    return federation.begin({
      provider,
      redirectUri: `${baseOf(request)}${mount}/auth/oidc/${provider}/callback`,
      returnTo: checkReturnAddress(returnTo ?? '/', origins),
      linkTo,
      device: deviceCookieOf(request),
    })
  }

  async function start(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    const parameters = parseParameters(request.query)
    checkParameters(parameters, ['returnTo'])
    const { location, cookie } = await begin(visit, parameters.get('returnTo'))
    return goTo(location, [setFlowCookie(options, visit, cookie)], 302)
  }

  /** For somebody who is logged in: a browser sends no access token when it goes somewhere, so the page asks where to go. */
  async function startLink(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    const { userId } = managing(await callerOf(options, request))
    checkParameters(parseParameters(request.query), [])
    const body = checkObject((await readJson(request)) ?? {})
    const { location, cookie } = await begin(visit, textIn(body, 'returnTo'), userId)
    return json(200, { location }, { 'set-cookie': setFlowCookie(options, visit, cookie), 'cache-control': 'no-store' })
  }

  async function callback(visit: Visit): Promise<HttpResponse> {
    const { request } = visit
    const flow = await federation.resume(flowCookieOf(visit), { provider: providerOf(request), query: request.query })
    // The answer is there, whatever comes of it: it is good for one try.
    request.tell('set-cookie', setFlowCookie(options, visit, ''))
    try {
      const ended = await federation.end(flow, request.query, originOf(request))
      return answerEnd(options, visit, { ended, returnTo: flow.returnTo })
    } catch (error) {
      return answerRefusal(options, visit, { error, returnTo: flow.returnTo })
    }
  }

  /** A provider may answer by a form that another site sends, which brings no cookie; as an address it brings it (`form_post`). */
  async function answerByForm({ request }: Visit): Promise<HttpResponse> {
    const form = new URLSearchParams((await readBytes(request, [formType]))?.toString())
    const said = answerMembers.flatMap((name) => form.getAll(name).map((value): [string, string] => [name, value]))
    return goTo(`${baseOf(request)}${request.path}?${new URLSearchParams(said)}`.slice(0, 8000), [], 303)
  }

  const list = async () => json(200, { providers: federation.providers }, { 'cache-control': 'no-cache' })

  const operations = [
    ['GET', '', list],
    ['POST', '/link', ({ request }: Visit) => link(options, request), 'byCaller'],
    ['GET', '/:provider', start],
    ['POST', '/:provider', startLink, 'byCaller'],
    ['GET', '/:provider/callback', callback],
    ['POST', '/:provider/callback', answerByForm],
  ] as const
  return [apiPrefix, ''].flatMap((mount) =>
    operations.map(([method, path, run, by]) => ({
      method,
      byCaller: by !== undefined,
      path: `${mount}/auth/oidc${path}`,
      answer: (request: HttpRequest) => run({ request, mount }),
    })),
  )
}
