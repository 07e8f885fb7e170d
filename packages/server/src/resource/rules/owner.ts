/** The user who owns the record passes. */
import { equal, never } from '../condition.ts'
import { inSentence } from '../names.ts'
import { type Rule, type RuleType, simple } from '../rule.ts'

type OwnerRule<K extends string = string> = Rule<K> & { readonly field: K }

const ownerType: RuleType<OwnerRule> = {
  ...simple,
  where: ({ field }, { principal }) => (principal.kind === 'user' ? equal(field, principal.userId) : never),
  inDocument: ({ field }) => `the user in \`${field}\``,
  inTable: ({ field }, { resource }) =>
    field === resource.idField ? `that ${inSentence(resource.label)}` : `owner (${field})`,
  check({ field }, { declared, report }) {
    if (!declared.fields[field]) report(`owner("${field}"): no such field`)
  },
}

/** The user whose id the field holds: `owner('authorId')`. As a read rule it becomes a filter. */
export function owner<K extends string>(field: K): Rule<K> {
  const rule: OwnerRule<K> = { type: ownerType, field }
  return rule
}
