/** Data of the page `/` and of its JSON form: the server's resources, from the declarations. */

import { isOpen } from '../policy/passing-roles.ts'
import { ruleOfTarget } from '../policy/rule-of.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { labelOf } from '../resource/words/names.ts'
import { makeRoutes, type Route, rulesAbove, templateOf } from '../rest/route.ts'

/** The credential that a read needs: none, an access token, or an API key. */
export type CredentialKind = 'none' | 'token' | 'key'

export type OfferedResource = {
  /** `thing-parts` */
  readonly name: string
  /** `Thing parts` */
  readonly label: string
  /** `/api/v1/things/{id}/parts`: the path of its list, or its first path. */
  readonly path: string
  /** The number of methods on all of its paths. */
  readonly operations: number
  readonly reads: boolean
  readonly credential: CredentialKind
}

export type Overview = {
  readonly name: string
  readonly version: string
  readonly api: string
  readonly links: Readonly<Record<string, string>>
  readonly resources: readonly OfferedResource[]
  /** Undefined where the application has no log-in. */
  readonly login:
    | { readonly path: string; readonly signUp: SignUp | undefined; readonly keys: string | undefined }
    | undefined
}

/** Set where anyone may sign up; the names of the two fields. */
export type SignUp = { readonly path: string; readonly login: string; readonly secret: string }

type OverviewContext = { readonly catalog: Catalog; readonly settings: ServiceSettings }

function credentialOf(context: OverviewContext, route: Route): CredentialKind {
  const rules: { readonly resource: Resource; readonly rule: Rule }[] = [
    { resource: route.target.resource, rule: ruleOfTarget(route.target) },
    ...rulesAbove(route, context),
  ]
  if (rules.some(({ rule }) => rule.type.needsKey(rule, context.settings))) return 'key'
  return rules.every(({ rule, resource }) => isOpen(rule, { ...context, resource })) ? 'none' : 'token'
}

/**
 * Ranks routes as a first one to try: lists before records, a resource's own path before a
 * parent's.
 */
function firstness({ target, steps }: Route): number {
  const kind = ['list', 'get'].indexOf(target.operation)
  return (kind === -1 ? 9 : kind) + steps.length * 3
}

function offeredOf(
  context: OverviewContext,
  resource: Resource,
  routes: readonly Route[],
): OfferedResource | undefined {
  const first = routes.toSorted((a, b) => firstness(a) - firstness(b))[0]
  if (!first) return undefined
  return {
    name: resource.slug,
    label: labelOf(resource.plural),
    path: templateOf(first),
    operations: routes.length,
    reads: first.method === 'GET',
    credential: credentialOf(context, first),
  }
}

function loginOf(context: OverviewContext, routes: readonly Route[]): Overview['login'] {
  const { login, apiKey } = context.catalog
  if (!login) return undefined
  const pathOf = (resource: Resource | undefined) =>
    routes.find(
      ({ target, steps }) => target.resource === resource && target.operation === 'create' && steps.length === 0,
    )
  const signUp = pathOf(login.resource)
  const isOpen = signUp !== undefined && credentialOf(context, signUp) === 'none'
  return {
    path: `${apiPrefix}/auth/login`,
    signUp: isOpen ? { path: signUp.path, login: login.mark.login, secret: login.mark.secret } : undefined,
    keys: pathOf(apiKey?.resource)?.path,
  }
}

export type LinkTable = Readonly<Record<string, string>>

export function makeOverview(
  context: OverviewContext,
  { version, links }: { version: string; links: LinkTable },
): Overview {
  const routes = makeRoutes(context.catalog).filter(({ mount }) => mount === apiPrefix)
  const resources = [...context.catalog.resources.values()].flatMap((resource) => {
    const offered = offeredOf(
      context,
      resource,
      routes.filter(({ target }) => target.resource === resource),
    )
    return offered ? [offered] : []
  })
  const login = loginOf(context, routes)
  return { name: 'Bindery', version, api: apiPrefix, links, resources, login }
}
