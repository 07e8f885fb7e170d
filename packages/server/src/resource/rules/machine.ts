/** Callers pass with an API key whose owner satisfies a rule. */
import { never } from '../condition.ts'
import type { Rule, RuleType } from '../rule.ts'

type MachineRule<K extends string = string> = Rule<K> & { readonly rule: Rule<K> }

const machineType: RuleType<MachineRule> = {
  where: ({ rule }, asked) =>
    asked.principal.kind === 'user' && asked.principal.via === 'key' ? rule.type.where(rule, asked) : never,
  needsKey: () => true,
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: ({ rule }, reference) => rule.type.asksOf(rule, reference),
  inDocument: ({ rule }, settings) => `an API key whose owner has ${rule.type.inDocument(rule, settings)}`,
  inTable: ({ rule }, place) => `API key of ${rule.type.inTable(rule, place)}`,
  check: ({ rule }, check) => rule.type.check(rule, check),
}

/** A machine route: only an API key counts, and its owner must satisfy the rule. */
export function machine<K extends string>(rule: Rule<K>): Rule<K> {
  const machine: MachineRule<K> = { type: machineType, rule }
  return machine
}
