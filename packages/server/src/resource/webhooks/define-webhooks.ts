/**
 * `webhooks`: endpoints of others that are told of changes. It declares the tables of endpoints,
 * deliveries and attempts. Without it the server has no part of webhooks.
 */
import { declaringPlace } from '../../base/declaring-place.ts'
import { type DeclaredResource, declarationProblems } from '../define.ts'
import {
  checkMembers,
  countKind,
  kindOf,
  listOfKind,
  type MemberProblem,
  type Members,
  textKind,
  timeoutKind,
} from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'
import { operator } from '../rules/operator.ts'
import type { WebhookTimes } from '../traits.ts'
import { endpointsKind, type WebhookEndpointDeclaration } from './declare-endpoint.ts'
import { type WebhookEndpoints, webhookTables } from './webhook-tables.ts'

/** Those of Standard Webhooks: at once, then after these seconds. */
const standardWaits = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600] as const

/** `U`: the resource of users; `T`: that of tenants; `L`, `M`: the roles that its rules name. */
export type WebhooksDeclaration<
  U extends string = string,
  T extends string = string,
  L extends string = string,
  M extends string = string,
> = {
  /** The resource of users: `'user'`. An endpoint belongs to the user in `userId`. */
  readonly users: U
  /**
   * The callers who may register an endpoint: a rule about the caller, or `member('COACH')`. An
   * endpoint gets what its owner may see.
   */
  readonly create: Rule<never, never, L>
  /**
   * The callers who reach the endpoints of others, their deliveries and attempts:
   * `member('OWNER')`. By default the operator. Owners reach their own.
   */
  readonly manage?: Rule<never, never, M>
  /**
   * The resource of tenants: `'club'`. An endpoint belongs to the tenant in `clubId`, and is told
   * of changes in it alone. Absent, it is told of all that its owner sees.
   */
  readonly tenant?: T
  /**
   * Seconds before each further try of a delivery; those of Standard Webhooks by default, which end
   * after some three days.
   */
  readonly waits?: readonly number[]
  /** How long an endpoint may take to answer; 15 seconds by default. */
  readonly timeoutSeconds?: number
  /** After so many days without an answer of success the server switches it off; 5 by default. */
  readonly offAfterDays?: number
  /**
   * Name → an endpoint of the application itself, told of what an operator sees, in all tenants.
   * Its record follows the declaration at each start, and requests change no more than `active`.
   */
  readonly endpoints?: Readonly<Record<string, WebhookEndpointDeclaration>>
}

const secondsKind = kindOf('seconds, from 0 on', (value) => typeof value === 'number' && value >= 0)
const members = {
  users: textKind,
  create: ruleKind,
  manage: ruleKind,
  tenant: textKind,
  waits: listOfKind(secondsKind),
  timeoutSeconds: timeoutKind,
  offAfterDays: countKind,
  endpoints: endpointsKind,
} satisfies Members<WebhooksDeclaration>

/** The mistakes in the form of what `webhooks` is given. */
function formMistakes(said: WebhooksDeclaration): readonly MemberProblem[] {
  const mistakes: MemberProblem[] = []
  checkMembers(said, members, { path: '', report: (one) => mistakes.push(one), needed: ['users', 'create'] })
  return mistakes
}

/** The declarations of webhooks. `endpoints`: for rules and code that name them. */
export type WebhookResources<U extends string, T extends string, L extends string> = readonly (
  | WebhookEndpoints<U, T, L>
  | DeclaredResource
)[] & { readonly endpoints: WebhookEndpoints<U, T, L> }

/**
 * Declares webhooks: `...webhooks({ users: 'user', create: role('EDITOR') })`. Endpoints are
 * records at `/webhook-endpoints`. Each is told of changes that its owner may see, of resources
 * that declare `changes`. Its requests are signed as Standard Webhooks says.
 */
export function webhooks<
  const U extends string,
  const T extends string = never,
  const L extends string = never,
  const M extends string = never,
>(declaration: WebhooksDeclaration<U, T, L, M>): WebhookResources<U, T, L | M> {
  const place = declaringPlace()
  const mistakes = formMistakes(declaration)
  const isWhole = mistakes.every(({ isFormRight }) => isFormRight)
  const named = typeof declaration?.users === 'string' ? declaration.users : 'user'
  const sound: WebhooksDeclaration = isWhole ? declaration : { users: named, create: operator }
  const { users, create, manage = operator, tenant, waits = standardWaits, timeoutSeconds = 15 } = sound
  const times: WebhookTimes = { waits, timeoutSeconds, offAfterDays: sound.offAfterDays ?? 5 }
  const tables = webhookTables({ users, tenant, create, manage, times, declared: sound.endpoints ?? {} })
  const lines = mistakes.map(({ path, problem }) => `${place.writtenIn}: webhooks: ${path && `${path}: `}${problem}`)
  const [endpoints, ...others] = tables.map((one) => ({ ...one, ...place }))
  const list = [{ ...endpoints, [declarationProblems]: lines }, ...others]
  return Object.assign(list, { endpoints: list[0] }) as never
}
