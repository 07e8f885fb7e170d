/**
 * A rule as a tree of its parts, for one caller. Each part has the records on which it holds, and
 * those on which it certainly does not. Explanations of an access follow such trees.
 */
import type { CallerFacts } from '../resource/caller-facts.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Condition } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import type { PlacedPart, Rule } from '../resource/rule.ts'
import type { PolicyContext } from './judge.ts'

export type RuleNode = Pick<PlacedPart, 'link' | 'isNegated' | 'isAlternative'> & {
  /** Its place in the declaration: `access.update.anyOf[1].through(teamId)`. */
  readonly at: string
  /** In words: `owner (userId)`. */
  readonly words: string
  /** The resource whose records it judges. */
  readonly resource: Resource
  readonly holds: Condition
  readonly fails: Condition
  /** The facts of the caller by which it judges. */
  readonly facts: CallerFacts
  readonly parts: readonly RuleNode[]
}

type RulePlace = Pick<PlacedPart, 'link' | 'isNegated' | 'isAlternative'> & {
  readonly at: string
  readonly resource: Resource
  readonly principal: Principal
}

export function ruleTree(context: PolicyContext, rule: Rule, place: RulePlace): RuleNode {
  const { principal, ...rest } = place
  const scope = { ...context, resource: place.resource }
  const asked = { ...scope, principal }
  return {
    ...rest,
    words: rule.type.inTable(rule, scope),
    holds: rule.type.where(rule, asked),
    fails: rule.type.whereNot(rule, asked),
    facts: rule.type.judgesBy(rule, scope),
    parts: rule.type.parts(rule, scope).map(({ rule: part, resource, at, ...more }) =>
      ruleTree(context, part, {
        ...more,
        at: `${place.at}.${at}`,
        resource: context.catalog.get(resource.name),
        principal,
      }),
    ),
  }
}
