/**
 * A digest of the rights that no change of the log tells: the role, scopes and claims of a caller,
 * and the rules themselves. A position carries it. Where it differs, records may have come or gone
 * without a change, so the reader begins anew.
 */
import { hash } from 'node:crypto'
import { jsonText } from '../base/json-text.ts'
import type { Engine } from '../perform/engine.ts'
import { callerKey, uniteFacts } from '../resource/caller-facts.ts'
import type { Resource } from '../resource/catalog.ts'
import { followedBy } from '../resource/effects/declared-changes.ts'
import type { Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'

export type RightsOf = (principal: Principal) => string

/** Nine characters of base64url: enough to notice a change, and too few to tell a role by. */
const digestLength = 9

/** Memberships are in the log, and each request may name another tenant. */
const isFixed = (fact: string) => fact !== 'tenant' && !fact.startsWith('members:')

export function makeRights(
  { catalog, settings, policy }: Pick<Engine, 'catalog' | 'settings' | 'policy'>,
  followed: readonly Resource[],
): RightsOf {
  const said = (resource: Resource, rule: Rule | undefined) =>
    rule?.type.inTable(rule, { catalog, settings, resource }) ?? null
  const rules = followed.map((resource) => [
    resource.name,
    ...[resource.access.list, resource.access.get, resource.bounds].map((rule) => said(resource, rule)),
    ...(resource.shownNames ?? []).map((name) => [name, said(resource, resource.fields[name]?.read)]),
  ])
  const printed = jsonText(rules)
  const facts = uniteFacts(
    followed.map((resource) => policy.facts.of({ resource, operation: followedBy(resource) ?? 'list' })),
  ).filter(isFixed)
  return (principal) => hash('sha256', `${callerKey(principal, facts)}\n${printed}`, 'base64url').slice(0, digestLength)
}
