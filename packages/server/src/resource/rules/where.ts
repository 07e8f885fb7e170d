/** The rule `where`: every caller passes on records with certain values. */
import { matching } from '../condition.ts'
import { valueMistake } from '../fields/field-facts.ts'
import { isTable, printValue } from '../members.ts'
import { isAboutRecord, type Rule, type RuleType, simpleRule } from '../rule.ts'
import { findMeant } from '../words/nearest.ts'

type WhereValues = Readonly<Record<string, string | number | boolean>>
type WhereRule<K extends string = string> = Rule<K, never, never> & { readonly values: WhereValues }

const whereType: RuleType<WhereRule> = {
  ...simpleRule,
  where: ({ values }) => matching(values),
  judgesBy: () => [],
  inDocument({ values }) {
    const conditions = Object.entries(values).map(([name, value]) => `\`${name}\` is ${value}`)
    return `anyone where ${conditions.join(' and ')}`
  },
  inTable({ values }) {
    const conditions = Object.entries(values).map(([name, value]) => (value === true ? name : `${name} is ${value}`))
    return `anyone if ${conditions.join(' and ')}`
  },
  check({ values }, check) {
    if (!isTable(values) || Object.keys(values).length === 0) {
      return check.report(
        `where: needs values of fields, such as { published: true }, and is given ${printValue(values)}`,
      )
    }
    if (!isAboutRecord('where', check)) return
    const { fields } = check.declared
    for (const [name, value] of Object.entries(values)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      const problem = field
        ? valueMistake(field, value, name)
        : `no field "${name}"${findMeant(name, Object.keys(fields))}`
      if (problem) check.report(`where: ${problem}`)
    }
  },
}

/** Records with these values, for every caller: `where({ published: true })`. */
export function where<const K extends string>(
  values: Readonly<Record<K, string | number | boolean>>,
): Rule<K, never, never> {
  const rule: WhereRule<K> = { type: whereType, values }
  return rule
}
