/**
 * The routes below `/auth/oidc`: list the providers, log in by one, and link such a log-in to an
 * account. A provider may answer by redirect or by form. Browsers are then redirected to a page
 * with the refresh cookie; other programs get the tokens as JSON.
 */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../../endpoint/documented-response.ts'
import { openAccess, type RouteContext } from '../../endpoint/route-access.ts'
import { sentText, value } from '../../endpoint/route-fields.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { readBytes } from '../../http/messages/read-body.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import type { Resource } from '../../resource/catalog.ts'
import { user } from '../../resource/rules/any-user.ts'
import { confirmationIn, placeOf } from '../factors/proof.ts'
import { atAuth, authWords, counted, fresh, passwordExample, tokenPair } from '../sessions/auth-texts.ts'
import { deviceCookieOf } from '../sessions/cookies/device-cookie.ts'
import { type CookieOptions, mountOf } from '../sessions/cookies/refresh-cookie.ts'
import { identifyManager } from '../sessions/identify-manager.ts'
import { originOf } from '../sessions/request-client.ts'
import type { Federation } from './federation.ts'
import { flowCookieOf, setFlowCookie } from './flow-cookie.ts'
import { answerEnd, answerRefusal, goTo } from './oidc-responses.ts'
import {
  challengeTicket,
  linkBody,
  linkedLogIn,
  logInAddress,
  logInStep,
  oidcShapes,
  providerNames,
  returnToSchema,
} from './oidc-texts.ts'
import { checkReturnAddress } from './return-address.ts'

export type OidcRouteDeps = CookieOptions & {
  readonly federation: Federation
  /** Undefined: the address of each request. */
  readonly publicUrl: string | undefined
  /** The resource of linked accounts. */
  readonly linked: Resource
}

const answerMembers = ['code', 'state', 'iss', 'error', 'session_state'] as const
const formType = 'application/x-www-form-urlencoded'
const open429 = { rule: openAccess, limits: counted } as const
const ofAccount = {
  rule: user,
  limits: counted,
  isOfCredentials: true,
  ignoresDryRun: true,
  ignoresAccept: true,
} as const
const ending = 'Where the browser goes at the end.'

function baseOf({ publicUrl }: OidcRouteDeps, { protocol, headers }: HttpRequest): string {
  return publicUrl ?? `${protocol}://${headers.host}`
}

type AuthorizationStart = { readonly provider: string; readonly returnTo: string | null; readonly linkTo?: string }

async function begin(needs: OidcRouteDeps, request: HttpRequest, { provider, returnTo, linkTo }: AuthorizationStart) {
  const { federation, publicUrl, corsOrigins } = needs
  const origins = publicUrl ? [new URL(publicUrl).origin, ...corsOrigins] : corsOrigins
  return federation.begin({
    provider,
    redirectUri: `${baseOf(needs, request)}${mountOf(request)}/auth/oidc/${provider}/callback`,
    returnTo: checkReturnAddress(returnTo ?? '/', origins),
    linkTo,
    device: deviceCookieOf(request),
  })
}

const list = defineRoute({
  method: 'GET',
  ...atAuth('/oidc'),
  describe: { id: 'listLogInProviders', ...authWords, summary: 'List whom to log in by' },
  ...open429,
  isRaw: true,
  output: { 200: documentedResponse('Their names.', { body: providerNames }) },
  errors: ['bad-request'],
  run(_, { federation }: OidcRouteDeps) {
    return { status: 200, headers: { 'cache-control': 'no-cache' }, body: { providers: federation.providers } }
  },
})

/** The account consents. */
const linkWith = (hasFactors: boolean) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/oidc/link'),
    describe: {
      id: 'linkLogIn',
      ...authWords,
      summary: 'Confirm that a log-in belongs to the account',
      about: 'A user without a password confirms by a factor, or within ten minutes after a log-in.',
    },
    ...ofAccount,
    input: hasFactors ? linkBody.withFactors : linkBody.withoutFactors,
    example: { ticket: 'the ticket that was given', [currentPassword]: passwordExample },
    output: { 201: documentedResponse('It belongs to the account.', { body: linkedLogIn }) },
    errors: ['bad-request', 'unauthenticated', 'forbidden', 'conflict'],
    async run({ input, caller, request }, { federation, linked }: OidcRouteDeps) {
      const { ticket } = input
      const sent = confirmationIn(input, placeOf(request), challengeTicket)
      const row = await federation.link(identifyManager(caller), { ticket, sent, from: originOf(request) })
      return { status: 201, headers: fresh, body: { id: row[linked.idField] } }
    },
  })

type Names = readonly string[]
const parametersOf = (names: Names) => ({
  provider: value<string>()({ enum: [...names] }, { description: 'One of `/auth/oidc`.', example: names[0] ?? '' }),
})

const startAt = (names: Names) =>
  defineRoute({
    method: 'GET',
    ...atAuth('/oidc/:provider'),
    describe: { id: 'startLogIn', ...authWords, summary: 'Send the browser to a provider' },
    ...open429,
    parameters: parametersOf(names),
    query: { returnTo: value<string>()(returnToSchema, { description: ending, example: '/' }) },
    ignoresAccept: true,
    output: { 302: documentedResponse('To the provider.', { headers: ['Set-Cookie', 'Location'] }) },
    errors: ['bad-request', 'not-found', 'bad-gateway'],
    async run({ query: { returnTo }, parameters: { provider }, request }, needs: OidcRouteDeps) {
      const { location, cookie } = await begin(needs, request, { provider, returnTo })
      return goTo(location, [setFlowCookie(needs, request, cookie)], 302)
    },
  })

/**
 * For a logged-in user: a browser sends no access token when it follows a redirect, so the page
 * requests the address first.
 */
const startLinkAt = (names: Names) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/oidc/:provider'),
    describe: { id: 'startLink', ...authWords, summary: 'Ask for a log-in by a provider to be linked' },
    ...ofAccount,
    parameters: parametersOf(names),
    input: bodyShape(
      ending,
      { returnTo: sentText({ maxLength: 1000, description: returnToSchema.description as string }) },
      { ignoresOthers: true },
    ),
    isInputOptional: true,
    example: { returnTo: '/' },
    output: { 200: documentedResponse('Where to send the browser.', { headers: ['Set-Cookie'], body: logInAddress }) },
    errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found', 'bad-gateway'],
    async run({ input: { returnTo }, parameters: { provider }, caller, request }, needs: OidcRouteDeps) {
      const { userId } = identifyManager(caller)
      const { location, cookie } = await begin(needs, request, { provider, returnTo, linkTo: userId })
      const headers = { 'set-cookie': setFlowCookie(needs, request, cookie), ...fresh }
      return { status: 200, headers, body: { location } }
    },
  })

const callbackAt = (names: Names) =>
  defineRoute({
    method: 'GET',
    ...atAuth('/oidc/:provider/callback'),
    describe: {
      id: 'endLogIn',
      ...authWords,
      summary: 'Come back from a provider',
      about:
        'Browsers call it, in the name of the provider, with what it adds to the address. They get a page where others get an error.',
    },
    ...open429,
    parameters: parametersOf(names),
    isRaw: true,
    output: {
      200: documentedResponse('Both tokens, or the next step, for programs.', {
        headers: ['Set-Cookie'],
        body: mediaBody({ 'application/json': { oneOf: [tokenPair, logInStep] } }),
      }),
      303: documentedResponse('On to the page that asked, for browsers.', { headers: ['Set-Cookie'] }),
    },
    errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found', 'conflict', 'bad-gateway'],
    async run({ parameters: { provider }, request }, needs: OidcRouteDeps) {
      const { federation } = needs
      const flow = await federation.resume(flowCookieOf(request), { provider, query: request.query })
      // The provider has responded, whatever the outcome: a response is good for one try.
      request.tell('set-cookie', setFlowCookie(needs, request, ''))
      try {
        const ended = await federation.end(flow, request.query, originOf(request))
        return answerEnd(needs, request, { ended, returnTo: flow.returnTo })
      } catch (error) {
        return answerRefusal(needs, request, { error, returnTo: flow.returnTo })
      }
    },
  })

/**
 * A provider may respond by a form that another site sends, which brings no cookie. A redirect to
 * the same data as a query brings it (`form_post`).
 */
const answerByFormAt = (names: Names) =>
  defineRoute({
    method: 'POST',
    ...atAuth('/oidc/:provider/callback'),
    describe: { id: 'endLogInByForm', ...authWords, summary: 'Come back from a provider that answers by a form' },
    ...open429,
    parameters: parametersOf(names),
    isRaw: true,
    input: mediaBody({
      [formType]: { schema: { type: 'object', additionalProperties: true, description: 'As the provider says.' } },
    }),
    output: { 303: documentedResponse('The same as an address.') },
    errors: ['bad-request'],
    async run({ request }, needs: OidcRouteDeps) {
      const form = new URLSearchParams((await readBytes(request, [formType]))?.toString())
      const said = answerMembers.flatMap((name) => form.getAll(name).map((value): [string, string] => [name, value]))
      return goTo(`${baseOf(needs, request)}${request.path}?${new URLSearchParams(said)}`.slice(0, 8000), [], 303)
    },
  })

/** Empty where no provider is configured. */
export function oidcRoutes({ catalog: { login, factor }, settings }: RouteContext): RouteGroup<OidcRouteDeps> {
  const { oidcProviders: names = [] } = settings
  if (!login || names.length === 0) return { routes: [] }
  return {
    routes: [
      list,
      linkWith(factor !== undefined),
      startAt(names),
      startLinkAt(names),
      callbackAt(names),
      answerByFormAt(names),
    ],
    shapes: oidcShapes,
  }
}
