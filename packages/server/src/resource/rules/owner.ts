/** The rule `owner`: the user whose id a field of the record holds passes. */

import { equal, never } from '../condition.ts'
import { printValue } from '../members.ts'
import { isAboutRecord, type Rule, type RuleType, simpleRule } from '../rule.ts'
import { inSentence } from '../words/names.ts'
import { findMeant } from '../words/nearest.ts'
import { findUsers } from './roles.ts'

type OwnerRule<K extends string = string> = Rule<K, never, never> & { readonly field: K }

const ownerType: RuleType<OwnerRule> = {
  ...simpleRule,
  where: ({ field }, { principal }) => (principal.kind === 'user' ? equal(field, principal.userId) : never),
  whereNot: ({ field }, { principal }) =>
    principal.kind === 'user' ? { kind: 'compare', field, operator: 'ne', value: principal.userId } : never,
  judgesBy: () => ['userId'],
  judgedFields: ({ field }, { resource }) => [{ resource: resource.name, field }],
  inDocument: ({ field }) => `the user in \`${field}\``,
  inTable: ({ field }, { resource }) =>
    field === resource.idField ? `that ${inSentence(resource.label)}` : `owner (${field})`,
  check({ field: name }, check) {
    const { declared, byName } = check
    const at = `owner(${printValue(name)})`
    if (!isAboutRecord(at, check)) return
    const field = Object.hasOwn(declared.fields, name) ? declared.fields[name] : undefined
    if (!field) return check.report(`${at}: no such field${findMeant(String(name), Object.keys(declared.fields))}`)
    if (field.virtual) return check.report(`${at}: the field is not stored`)
    const people = findUsers(byName.values())
    const holds = field.type.referredBy ? declared.name : field.reference?.resource
    // a misspelt resource is a mistake of the field
    if (holds !== undefined && !byName.has(holds)) return
    if (people && holds !== people.name) check.report(`${at}: the field holds no id of "${people.name}"`)
  },
}

/** The user whose id the field holds: `owner('authorId')`. As a read rule it becomes a filter. */
export function owner<const K extends string>(field: K): Rule<K, never, never> {
  const rule: OwnerRule<K> = { type: ownerType, field }
  return rule
}
