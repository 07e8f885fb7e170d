/** Every caller passes on records with certain values. */
import { matching } from '../condition.ts'
import { type Rule, type RuleType, simple } from '../rule.ts'

type Values = Readonly<Record<string, string | number | boolean>>
type WhereRule<K extends string = string> = Rule<K> & { readonly values: Values }

const whereType: RuleType<WhereRule> = {
  ...simple,
  where: ({ values }) => matching(values),
  inDocument({ values }) {
    const conditions = Object.entries(values).map(([name, value]) => `\`${name}\` is ${value}`)
    return `anyone where ${conditions.join(' and ')}`
  },
  inTable({ values }) {
    const conditions = Object.entries(values).map(([name, value]) => (value === true ? name : `${name} is ${value}`))
    return `anyone if ${conditions.join(' and ')}`
  },
  check({ values }, { declared, report }) {
    for (const name of Object.keys(values)) if (!declared.fields[name]) report(`where: no field "${name}"`)
  },
}

/** Records with these values, for every caller: `where({ published: true })`. */
export function where<K extends string>(values: Readonly<Record<K, string | number | boolean>>): Rule<K> {
  const rule: WhereRule<K> = { type: whereType, values }
  return rule
}
