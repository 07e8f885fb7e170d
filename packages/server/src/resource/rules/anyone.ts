/** Every caller passes. */
import { always } from '../condition.ts'
import { type Rule, type RuleType, simpleRule } from '../rule.ts'

const anyoneType: RuleType = {
  ...simpleRule,
  where: () => always,
  judgesBy: () => [],
  inDocument: () => 'anyone',
  inTable: () => 'anyone',
  check: () => undefined,
}

/** Everybody, with or without a credential. Writes of this kind are named in the log at start. */
export const anyone: Rule<never, never, never> = { type: anyoneType }
