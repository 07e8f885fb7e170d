/** The rule `anyone`: every caller passes. */
import { always, never } from '../condition.ts'
import { type Rule, type RuleType, simpleRule } from '../rule.ts'

const anyoneType: RuleType = {
  ...simpleRule,
  where: () => always,
  whereNot: () => never,
  judgesBy: () => [],
  inDocument: () => 'anyone',
  inTable: () => 'anyone',
  isOfCaller: () => true,
  check: () => undefined,
}

/** Every caller, with or without a credential. The log names writes of this kind at start. */
export const anyone: Rule<never, never, never> = { type: anyoneType }
