/** The rule `ability`: users pass whose role has this ability. */
import { always, never } from '../condition.ts'
import { printValue } from '../members.ts'
import { type Rule, type RuleInput, type RuleType, simpleRule } from '../rule.ts'
import { listAlternatives } from '../words/names.ts'
import { didYouMean } from '../words/nearest.ts'
import { type AbilityWord, rolesWith } from './role-order.ts'
import { rolesOf } from './roles.ts'

type AbilityRule<B extends string = string> = Rule<never, never, AbilityWord<B>> & { readonly ability: B }

function hasAbility({ ability }: AbilityRule, { principal, catalog: { roles } }: RuleInput): boolean {
  return principal.kind === 'user' && roles.has(principal.role, ability)
}

const abilityType: RuleType<AbilityRule> = {
  ...simpleRule,
  where: (rule, asked) => (hasAbility(rule, asked) ? always : never),
  whereNot: (rule, asked) => (asked.principal.kind === 'user' && !hasAbility(rule, asked) ? always : never),
  judgesBy: () => ['role'],
  inDocument: ({ ability: name }, { catalog: { roles } }) =>
    `the ability \`${name}\` (role ${listAlternatives(rolesWith(roles, name))})`,
  inTable: (rule) => rule.ability,
  isOfCaller: () => true,
  check({ ability: name }, { byName, report }) {
    const { names, abilities, isOrdered } = rolesOf(byName.values())
    // A missing or wrong mark of users is reported as a mistake of its own.
    if (typeof name === 'string' && (names.length === 0 || abilities.includes(name))) return
    const meant =
      isOrdered && names.length > 0
        ? "; roles in order have none: write role('…'), or accounts({ roles: { ROLE: ['…'] }, … })"
        : didYouMean(String(name), abilities)
    report(`ability(${printValue(name)}): no role has this ability${meant}`)
  },
}

/**
 * Users whose role has this ability: `ability('fees:write')`. The abilities are those that the
 * application says in `accounts({ roles: { TREASURER: ['fees:write'] }, … })`.
 */
export function ability<const B extends string>(name: B): Rule<never, never, AbilityWord<B>> {
  const rule: AbilityRule<B> = { type: abilityType, ability: name }
  return rule
}
