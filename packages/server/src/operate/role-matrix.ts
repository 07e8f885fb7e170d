/**
 * The permissions of each role: for each resource and operation the extent for a made-up caller of
 * the role, and the rule in words. One function decides it here as for every caller.
 */

import type { EdgeEngine } from '../http/edge-engine.ts'
import { type Extent, permissionsOf } from '../policy/permissions.ts'
import { resultRuleOf, ruleOfTarget } from '../policy/rule-of.ts'
import { namesShown } from '../resource/display/declared-display.ts'
import { shownResources } from '../resource/made/shown-resources.ts'
import { anonymous, type Principal, type UserPrincipal } from '../resource/principal.ts'

type MatrixColumn = { readonly name: string; readonly principal: Principal }

/** It has no session, no membership, and the id of no user. */
function madeUp(role: string): UserPrincipal {
  return { kind: 'user', userId: '00000000-0000-0000-0000-000000000000', role, via: 'token', scopes: null }
}

function columnsOf({ catalog: { roles } }: EdgeEngine): readonly MatrixColumn[] {
  return [
    { name: 'anonymous', principal: anonymous },
    ...roles.names.map((name) => ({ name, principal: madeUp(name) })),
  ]
}

type MatrixOperation = {
  readonly name: string
  /** The callers who may, in words, as documents have it. */
  readonly rule: string
  /** The rule of the record that the write makes, where it is another one. */
  readonly result?: string
  readonly extents: Readonly<Record<string, Extent>>
}

export function roleMatrix(engine: EdgeEngine) {
  const { catalog, policy, settings } = engine
  const columns = columnsOf(engine)
  const told = columns.map(({ name, principal }) => ({
    name,
    bySlug: new Map(permissionsOf({ catalog, policy }, principal).map((one) => [one.resource.slug, one.operations])),
  }))
  const resources = shownResources(catalog)
    .filter(({ access }) => Object.keys(access).length > 0)
    .map((resource) => {
      const context = { catalog, settings, resource }
      const operations = Object.keys(resource.access).map((name): MatrixOperation => {
        const target = { resource, operation: name }
        const [rule, after] = [ruleOfTarget(target), resultRuleOf(target)]
        const extents = told.map(({ name: role, bySlug }) => [role, bySlug.get(resource.slug)?.[name] ?? 'none'])
        return {
          name,
          rule: rule.type.inDocument(rule, context),
          ...(after !== rule && { result: after.type.inDocument(after, context) }),
          extents: Object.fromEntries(extents),
        }
      })
      return { slug: resource.slug, ...namesShown(resource), operations }
    })
  return { roles: columns.map(({ name }) => name), resources }
}
