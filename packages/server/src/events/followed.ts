/**
 * A resource as one reader follows it: which records the reader's list has under a filter, and the
 * fields that it shows. It is made for the caller of a moment, whose memberships decide.
 */

import { jsonText } from '../base/json-text.ts'
import { ApiError } from '../errors.ts'
import type { ViewOf } from '../operation/filter-tree.ts'
import { parseList } from '../operation/list-query.ts'
import { type Parameters, parameterError } from '../operation/parameters.ts'
import { shownWhere } from '../operation/visible-fields.ts'
import type { Engine } from '../perform/engine.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, type Condition, never } from '../resource/condition.ts'
import { followedBy } from '../resource/effects/declared-changes.ts'
import { listParameters } from '../resource/list-style.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import { fieldsOf } from '../storage/derived/match.ts'
import { lookedInto, nodesIn, resourceOf } from './verdicts.ts'

export type SeenRecords = {
  /** The records that the list has. */
  readonly where: Condition
  /** The fields that events show, in their declared order, and the records that show each. */
  readonly shown: ReadonlyMap<string, Condition>
}

/** The resources whose changes may move records in or out, besides their own. */
export function lookedIntoBy({ where, shown }: SeenRecords, into: Set<string> = new Set()): Set<string> {
  for (const condition of [where, ...shown.values()]) lookedInto(condition, into)
  return into
}

/** The same for the same sight. */
export const textOfSeen = ({ where, shown }: SeenRecords): string => jsonText([where, [...shown]])

export type Followed = {
  readonly resource: Resource
  /** Throws what a list of this caller would throw. */
  seenBy(principal: Principal): SeenRecords
}

export type FollowedRequest = {
  readonly resource: Resource
  /** Filters, as a list takes them. */
  readonly parameters: Parameters
  /** The filter that is JSON, where it was sent as such. */
  readonly tree?: unknown
  /** The header that names a tenant. */
  readonly tenant: string | undefined
}

type FollowingEngine = Pick<Engine, 'catalog' | 'policy' | 'settings'>

const { filter, q } = listParameters
const ofPages: ReadonlySet<string> = new Set(
  Object.values(listParameters)
    .map(({ name }) => name)
    .filter((name) => name !== filter.name && name !== q.name),
)

/** Records come and go with the time, and no change says so. */
function readsClock({ catalog, policy, settings }: FollowingEngine, resource: Resource): boolean {
  const rules = [resource.access.list, resource.access.get, resource.bounds]
  const judged = rules.some((rule) => rule?.type.judgesBy(rule, { catalog, settings, resource }).includes('clock'))
  return judged || policy.facts.ofFields(resource).includes('clock')
}

function refuseClock(engine: FollowingEngine, resource: Resource): void {
  if (!readsClock(engine, resource)) return
  throw new ApiError(
    'bad-request',
    `Changes of ${resource.slug} cannot be followed: a rule depends on the time, and no change says when that comes`,
  )
}

/** The log tells no state of a field that it does not keep. */
function refuseUnlogged(catalog: Catalog, resource: Resource, where: Condition): void {
  const logged = resource.loggedNames
  for (const name of fieldsOf(resource, where))
    if (name !== resource.idField && !logged?.includes(name))
      throw parameterError(
        name,
        `Changes cannot be filtered by ${resource.slug}.${name}: the log does not keep it; name it in changes of the declaration`,
      )
  for (const node of nodesIn(where)) refuseUnlogged(catalog, catalog.get(resourceOf(node)), node.where)
}

/** Throws `bad-request` for what no list has, and for what cannot be followed. */
export function follow(engine: FollowingEngine, { resource, parameters, tree, tenant }: FollowedRequest): Followed {
  const { policy } = engine
  const shown = resource.shownNames
  const operation = followedBy(resource)
  if (!shown || !operation)
    throw new ApiError('bad-request', `The feed has no ${resource.slug}: its declaration needs changes, and a list`)
  const target: OperationTarget = { resource, operation }
  const targetOf = (principal: Principal) => (isAtConsole(principal) ? { ...target, access: user } : target)
  refuseClock(engine, resource)
  for (const name of parameters.keys())
    if (ofPages.has(name)) throw parameterError(name, `Leave ${name} out here: changes have no pages of a list`)
  return {
    resource,
    seenBy(principal) {
      const within = policy.tenants?.within(principal, { header: tenant, target }) ?? principal
      const admission = policy.admit(within, targetOf(principal))
      const viewOf: ViewOf = (other) => {
        refuseClock(engine, other)
        return policy.view(admission.asking, other)
      }
      const { visible, visibleWhere } = admission
      const { query } = parseList({ resource, visible, visibleWhere, viewOf, tree }, parameters)
      const where = all(policy.reach(admission), query.where)
      refuseUnlogged(engine.catalog, resource, where)
      const names = shown.filter((name) => visible.has(name))
      return { where, shown: new Map(names.map((name) => [name, shownWhere(admission, name)])) }
    },
  }
}

const sawNothing: SeenRecords = { where: never, shown: new Map() }

/**
 * The same at an earlier moment. The list was refused then where the caller was no member of the
 * tenant, or did not see a field that it filters by.
 */
export function seenThen({ seenBy }: Followed, principal: Principal): SeenRecords {
  try {
    return seenBy(principal)
  } catch (error) {
    if (error instanceof ApiError) return sawNothing
    throw error
  }
}

type SeeAs = (followed: Followed, principal: Principal) => SeenRecords

/**
 * The sight of a caller is made once for each caller that it was. It is one object where a
 * membership changed nothing of it.
 */
export function keepSeen(see: SeeAs): SeeAs {
  const known = new Map<
    Followed,
    { readonly by: Map<Principal, SeenRecords>; readonly same: Map<string, SeenRecords> }
  >()
  return (followed, principal) => {
    const own = known.get(followed) ?? { by: new Map(), same: new Map() }
    known.set(followed, own)
    const found = own.by.get(principal)
    if (found) return found
    const made = see(followed, principal)
    const text = textOfSeen(made)
    const seen = own.same.get(text) ?? made
    own.same.set(text, seen)
    own.by.set(principal, seen)
    return seen
  }
}
