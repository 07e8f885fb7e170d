/**
 * What every rule has in common. A rule is inert data, as a field is: its `type` says whom it lets pass, in which words, and what a declaration
 * can get wrong. One file a rule in `rules/`. `K` is the union of the field names that a rule mentions, so a rule about a field that
 * does not exist does not compile.
 */

import type { Catalog, Resource } from './catalog.ts'
import type { Condition } from './condition.ts'
import type { Declared } from './define.ts'
import type { Principal } from './principal.ts'

/** In rising order: a required role means that role or a higher one. */
export const roles = ['USER', 'EDITOR', 'ADMIN'] as const
export type Role = (typeof roles)[number]

/** The part of the configuration that declarations may ask about. */
export type Settings = { readonly currency: string; readonly signUp: 'open' | 'approval' | 'closed' }

export type Rule<K extends string = string> = {
  readonly type: RuleType
  /** Only for the compiler: the fields that it is about. */
  readonly _fields?: K
}

/** Where a rule stands: the resource whose records it is about. */
export type Place = { readonly catalog: Catalog; readonly settings: Settings; readonly resource: Resource }
export type Asked = Place & { readonly principal: Principal }

/** The sentence of a refusal, where the declaration has one; `open`: 403 even where the caller may not see the record. */
export type Refusal = { readonly sentence: string | undefined; readonly open: boolean }

/** A declaration that is checked; `report` knows where in it the rule stands. */
export type RuleCheck = {
  readonly declared: Declared
  readonly byName: ReadonlyMap<string, Declared>
  report(problem: string): void
}

export type RuleType<R extends Rule = Rule> = {
  /** The records on which the caller satisfies it: all, none, or those of a condition. Who passes at all follows from this. */
  where(rule: R, asked: Asked): Condition
  /** Whether only an API key counts. */
  needsKey(rule: R, settings: Settings): boolean
  refusal(rule: R, settings: Settings): Refusal
  /** What it asks of the record that this reference names; undefined where nothing. */
  asksOf(rule: R, reference: string): Rule | undefined
  /** For a document: `` the user in `userId`, or role ADMIN ``. */
  inDocument(rule: R, settings: Settings): string
  /** For a table: `owner (userId) or ADMIN`. */
  inTable(rule: R, place: Place): string
  /** Reports what the compiler does not see. */
  check(rule: R, check: RuleCheck): void
}

/** What holds for a rule that is made of no others. */
export const simple = {
  needsKey: () => false,
  refusal: (): Refusal => ({ sentence: undefined, open: false }),
  asksOf: () => undefined,
} satisfies Partial<RuleType>
