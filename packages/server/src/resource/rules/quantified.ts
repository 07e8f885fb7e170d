/**
 * The rules `some`, `none` and `every`: what holds of the records below one, by the name that its
 * `children` give them.
 */
import { lacksFact } from '../caller-facts.ts'
import { type Condition, never, not } from '../condition.ts'
import { printValue } from '../members.ts'
import {
  checkRule,
  isAboutRecord,
  type JudgedResource,
  type Rule,
  type RuleInput,
  type RulePartScope,
  type RuleType,
  simpleRule,
} from '../rule.ts'
import { findMeant } from '../words/nearest.ts'
import type { BelowPath } from './rule-paths.ts'

type Quantifier = 'some' | 'none' | 'every'
type QuantifiedRule = Rule & { readonly quantifier: Quantifier; readonly relation: string; readonly rule: Rule }

type Below = { readonly target: JudgedResource; readonly by: string }

function belowOf({ relation }: Pick<QuantifiedRule, 'relation'>, { catalog, resource }: RulePartScope): Below {
  const child = resource.children[relation]
  return { target: catalog.get(child?.resource.name ?? ''), by: child?.by ?? '' }
}

/** The trash does not say which records below were there with a deleted one. */
function hasNoneBelow({ resource }: RulePartScope): boolean {
  return resource.traits.made?.kind === 'trash'
}

/**
 * Whether nothing can be said of any record: it is in the trash, or an anonymous caller lacks what
 * the rule asks for.
 */
function isOpen(rule: QuantifiedRule, asked: RuleInput): boolean {
  if (hasNoneBelow(asked)) return true
  return asked.principal.kind === 'anonymous' && lacksFact(asked.principal, quantifiedType.judgesBy(rule, asked))
}

/** Where the rule holds, and where it certainly does not. */
function sidesOf(rule: QuantifiedRule, asked: RuleInput): { readonly holds: Condition; readonly fails: Condition } {
  if (isOpen(rule, asked)) return { holds: never, fails: never }
  const { target, by } = belowOf(rule, asked)
  const inner = { ...asked, resource: target }
  const [holds, fails] = [rule.rule.type.where(rule.rule, inner), rule.rule.type.whereNot(rule.rule, inner)]
  const exists = (where: Condition): Condition =>
    where.kind === 'false'
      ? never
      : { kind: 'related', field: asked.resource.idField, resource: target.name, at: by, where }
  switch (rule.quantifier) {
    case 'some':
      return { holds: exists(holds), fails: not(exists(not(fails))) }
    case 'none':
      return { holds: not(exists(not(fails))), fails: exists(holds) }
    case 'every':
      return { holds: not(exists(not(holds))), fails: exists(fails) }
  }
}

const quantifiedType: RuleType<QuantifiedRule> = {
  ...simpleRule,
  where: (rule, asked) => sidesOf(rule, asked).holds,
  whereNot: (rule, asked) => sidesOf(rule, asked).fails,
  judgesBy: (rule, scope) =>
    hasNoneBelow(scope) ? [] : rule.rule.type.judgesBy(rule.rule, { ...scope, resource: belowOf(rule, scope).target }),
  inDocument: ({ quantifier, relation, rule }, context) =>
    `${quantifier} of the records in \`${relation}\`: ${rule.type.inDocument(rule, context)}`,
  inTable({ quantifier, relation, rule }, scope) {
    if (hasNoneBelow(scope)) return `${quantifier} of ${relation}: no caller in the trash`
    const { target } = belowOf({ relation }, scope)
    return `${quantifier} of ${relation}: ${rule.type.inTable(rule, { ...scope, resource: target })}`
  },
  check({ quantifier, relation, rule }, check) {
    const { declared, byName, report } = check
    const at = `${quantifier}(${printValue(relation)})`
    if (!isAboutRecord(at, check)) return
    const children = declared.children ?? {}
    const child = Object.hasOwn(children, relation) ? children[relation] : undefined
    if (!child) return report(`${at}: no children of that name${findMeant(String(relation), Object.keys(children))}`)
    // A resource that does not exist is reported with the children.
    const target = byName.get(child.resource)
    if (target) checkRule(rule, { ...check, declared: target, hasPrevious: false })
  },
  parts(own, scope) {
    if (hasNoneBelow(scope)) return []
    const { quantifier, relation, rule } = own
    const { target, by } = belowOf(own, scope)
    const link = { field: scope.resource.idField, at: by }
    const at = `${quantifier}(${relation})`
    return [{ rule, resource: target, at, link, ...(quantifier === 'none' && { isNegated: true }) }]
  },
  forOperation(rule, operation) {
    const settled: QuantifiedRule = { ...rule, rule: rule.rule.type.forOperation(rule.rule, operation) }
    return settled
  },
}

type QuantifiedOf<K extends string, F extends string, P extends string, L extends string> = Rule<
  `/${K}`,
  BelowPath<`/${K}`, F | P>,
  L
>

function quantify(quantifier: Quantifier, relation: string, rule: Rule): Rule {
  const made: QuantifiedRule = { type: quantifiedType, quantifier, relation, rule }
  return made
}

/**
 * Some record below satisfies the rule: `some('members', where({ userId: caller('id') }))`. The
 * name is one of the resource's `children`.
 */
export function some<
  const K extends string,
  F extends string = never,
  P extends string = never,
  L extends string = never,
>(relation: K, rule: Rule<F, P, L>): QuantifiedOf<K, F, P, L> {
  return quantify('some', relation, rule) as QuantifiedOf<K, F, P, L>
}

/** Every record below certainly does not satisfy the rule; so where there is none below. */
export function none<
  const K extends string,
  F extends string = never,
  P extends string = never,
  L extends string = never,
>(relation: K, rule: Rule<F, P, L>): QuantifiedOf<K, F, P, L> {
  return quantify('none', relation, rule) as QuantifiedOf<K, F, P, L>
}

/** Every record below satisfies the rule; so where there is none below. */
export function every<
  const K extends string,
  F extends string = never,
  P extends string = never,
  L extends string = never,
>(relation: K, rule: Rule<F, P, L>): QuantifiedOf<K, F, P, L> {
  return quantify('every', relation, rule) as QuantifiedOf<K, F, P, L>
}
