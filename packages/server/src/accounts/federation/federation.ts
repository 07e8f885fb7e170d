/**
 * Log-ins by OpenID providers. A log-in begins with a redirect to the provider, and ends with a
 * session or with a ticket that asks an existing account for consent. Its data is sealed in a
 * cookie of the browser that began it, so no other browser can end it.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import { authorOf } from '../../record/author.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import { highestOf } from '../../resource/rules/role-order.ts'
import { rolesOf } from '../../resource/rules/roles.ts'
import type { OidcProvider } from '../../settings/federation-settings.ts'
import type { Row } from '../../storage/storage.ts'
import type { Reauthenticate, ReauthenticationProof } from '../sessions/reauthenticate.ts'
import type { ClientOrigin, LogInResult, SessionService } from '../sessions/session.ts'
import type { LogInClient } from '../sessions/start-session.ts'
import type { CountSignUp } from '../throttles/sign-up-limit.ts'
import { makeSealedClaims } from '../tokens/sealed-claims.ts'
import type { IssuerDoor } from './issuer-door.ts'
import { type LinkedAccountsDeps, makeLinkedAccounts } from './linked-accounts.ts'
import { type AuthorizationRequest, makeLoadOidc, makeOidcClient, notChecked, type OidcClient } from './oidc-client.ts'

/** How long a user may take at the provider, and then to consent. */
export const flowSeconds = 600

/** A log-in that has begun. */
type LogInFlow = AuthorizationRequest & {
  readonly provider: string
  /** The address that the browser goes to at its end. */
  readonly returnTo: string
  /** The user who wants to link the account, and is logged in. */
  readonly linkTo?: string | undefined
  /**
   * The cookie of the device: when the browser comes back, another site sends it, and so without
   * its strict cookies.
   */
  readonly device?: string | undefined
}
type LinkTicket = { readonly issuer: string; readonly subject: string; readonly userId: string }

export type FlowStart = Pick<LogInFlow, 'provider' | 'redirectUri' | 'returnTo' | 'linkTo' | 'device'>
export type AuthorizationRedirect = { readonly location: string; readonly cookie: string }

/** A session, or a ticket for `link`; `isAsked` where a logged-in user asked for it. */
export type FlowResult =
  | { readonly logIn: LogInResult; readonly ticket?: undefined }
  | { readonly logIn?: undefined; readonly ticket: string; readonly isAsked: boolean }

/** The consent of an account, and its origin. */
export type LinkConsent = { readonly ticket: string; readonly sent: ReauthenticationProof; readonly from: ClientOrigin }

export type Federation = {
  readonly providers: readonly string[]
  /** Throws `not-found` for an unknown provider, `bad-gateway`. */
  begin(begin: FlowStart): Promise<AuthorizationRedirect>
  /**
   * The log-in that this cookie is about. Throws `bad-request` where the answer does not belong to
   * it.
   */
  resume(cookie: string | undefined, answer: { readonly provider: string; readonly query: string }): Promise<LogInFlow>
  /**
   * An answer is good once, whatever comes of it. Throws `unauthenticated`, `forbidden`,
   * `too-many-requests`, `bad-gateway`.
   */
  end(flow: LogInFlow, query: string, from: ClientOrigin): Promise<FlowResult>
  /**
   * Ties the person of a ticket to the account of the caller, who shows who they are. Throws
   * `bad-request`, `forbidden`, `conflict`.
   */
  link(principal: UserPrincipal, consent: LinkConsent): Promise<Row>
}

/** The configuration and the declarations of federation. */
export type FederationConfig = Pick<LinkedAccountsDeps, 'settings' | 'maySignUp' | 'report'> & {
  readonly providers: readonly OidcProvider[]
  readonly door: IssuerDoor
}

type FederationDeps = LinkedAccountsDeps &
  FederationConfig & {
    readonly clock: Clock
    readonly secrets: readonly Buffer[]
    readonly begin: SessionService['begin']
    readonly confirmSelf: Reauthenticate
    readonly takeSignUp: CountSignUp
  }

function makeFederation(deps: FederationDeps): Federation {
  const { providers, clock, secrets, storage, takeSignUp, door } = deps
  const accounts = makeLinkedAccounts(deps)
  const roles = rolesOf([deps.marks.login.resource])
  const load = makeLoadOidc()
  const clients = new Map(providers.map((one) => [one.name, makeOidcClient(one, { load, clock, door })]))
  const flows = makeSealedClaims<LogInFlow>('oidc flow', { secrets, clock, seconds: flowSeconds })
  const tickets = makeSealedClaims<LinkTicket>('oidc link', { secrets, clock, seconds: flowSeconds })

  function clientOf(name: string): OidcClient {
    const client = clients.get(name)
    if (!client) throw new ApiError('not-found', 'Not found')
    return client
  }

  return {
    providers: providers.map(({ name }) => name),

    async begin(begin) {
      const client = clientOf(begin.provider)
      const flow: LogInFlow = { ...begin, ...(await client.draw()) }
      return { location: await client.authorizationUrl(flow), cookie: await flows.seal(flow) }
    },

    async resume(cookie, { provider, query }) {
      clientOf(provider)
      const flow = cookie === undefined ? undefined : await flows.open(cookie)
      const states = new URLSearchParams(query).getAll('state')
      if (!flow || flow.provider !== provider || states.length !== 1 || states[0] !== flow.state)
        throw new ApiError('bad-request', 'This log-in was not begun in this browser, or too long ago; start again')
      return flow
    },

    async end(flow, query, from) {
      const { identify, provider } = clientOf(flow.provider)
      // Counters are shared by all processes and count in one step, so of two answers only one is
      // the first.
      const { count } = await storage.countUp(`oidc ${flow.state}`, flowSeconds * 1000, clock())
      if (count > 1) throw notChecked(new Error('this answer was sent before'))
      const { groups, ...person } = await identify(flow, query)
      const { issuer, subject } = person
      if (flow.linkTo !== undefined)
        return { ticket: await tickets.seal({ issuer, subject, userId: flow.linkTo }), isAsked: true }
      // In the order of the variable: the first counts, of roles none of which is above the other.
      const given = [...(provider.roleMapping?.roles ?? [])].filter(([group]) => groups?.includes(group))
      const role =
        groups &&
        highestOf(
          roles,
          given.map(([, one]) => one),
        )
      const client: LogInClient = { ...from, device: flow.device }
      const takes = { takeSignUp: () => takeSignUp(client.address) }
      const found = await accounts.find({ ...person, provider: flow.provider, role, client, ...takes })
      if ('toLink' in found)
        return { ticket: await tickets.seal({ issuer, subject, userId: found.toLink }), isAsked: false }
      const proven = { user: found.user, way: 'oidc', provider: flow.provider, holds: () => true } as const
      return { logIn: await deps.begin(proven, client) }
    },

    async link(principal, { ticket, sent, from }) {
      const opened = await tickets.open(ticket)
      if (!opened) throw new ApiError('bad-request', 'Invalid ticket; start the log-in again')
      if (opened.userId !== principal.userId) throw new ApiError('forbidden', 'The ticket is for another account')
      await deps.confirmSelf(principal, sent, from)
      const { issuer, subject } = opened
      const { address, userAgent } = from
      const author = { ...authorOf(principal), address, userAgent }
      return accounts.link({ issuer, subject }, { principal, author })
    },
  }
}

type FederationRequirements = Omit<FederationDeps, keyof FederationConfig | 'linked'> & {
  readonly federating: FederationConfig | undefined
}

/** Undefined where no provider is configured. */
export function federationOf({ federating, ...parts }: FederationRequirements): Federation | undefined {
  const linked = parts.marks.linkedAccount
  return federating && linked ? makeFederation({ ...parts, ...federating, linked }) : undefined
}
