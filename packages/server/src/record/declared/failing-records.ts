/** The condition of the records that a check certainly refuses. */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { anonymous } from '../../resource/principal.ts'
import type { Rule, ServiceSettings } from '../../resource/rule.ts'

export type CheckScope = { readonly catalog: Catalog; readonly settings: ServiceSettings }

/**
 * The records that certainly do not satisfy the rule, at a time. A null leaves a record open. The
 * last condition is kept.
 */
export function failing({ catalog, settings }: CheckScope, resource: Resource, rule: Rule): (now: string) => Condition {
  const made = new Map<string, Condition>()
  const isTimed = rule.type.judgesBy(rule, { catalog, settings, resource }).includes('clock')
  return (now) => {
    const second = isTimed ? `${now.slice(0, 19)}.000Z` : ''
    const known = made.get(second)
    if (known) return known
    const where = rule.type.whereNot(rule, { catalog, settings, resource, principal: anonymous, now: () => second })
    made.clear()
    made.set(second, where)
    return where
  }
}
