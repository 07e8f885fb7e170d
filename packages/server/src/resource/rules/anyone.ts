/** Every caller passes. */
import { always } from '../condition.ts'
import { type Rule, type RuleType, simple } from '../rule.ts'

const anyoneType: RuleType = {
  ...simple,
  where: () => always,
  inDocument: () => 'anyone',
  inTable: () => 'anyone',
  check: () => undefined,
}

/** Every caller, with or without a credential. */
export const anyone: Rule<never, never> = { type: anyoneType }
