/**
 * The common part of all rules. A rule is inert data, like a field. Its `type` decides which
 * callers pass, describes the rule in documents, and finds mistakes. Each rule has one file in
 * `rules/`. `K` is the union of the field names that a rule mentions: a rule about a missing field
 * does not compile.
 */
import type { IdentityMark } from './accounts/identity-mark.ts'
import type { CallerFacts, JudgedPrincipal } from './caller-facts.ts'
import type { Condition } from './condition.ts'
import type { Field, Fields } from './fields/field.ts'
import { type MemberKind, printValue } from './members.ts'
import type { Roles } from './rules/role-order.ts'
import type { DeclaredMemberships, TenantOption, TenantPath } from './tenancy/tenant-words.ts'
import { ruleNames } from './words/entry-names.ts'
import { nearest } from './words/nearest.ts'

/** The part of the configuration that declarations may ask about. */
export type ServiceSettings = {
  /** The one currency of all prices: `CURRENCY`. */
  readonly currency: string
  /** The callers who may make users: `SIGN_UP`. */
  readonly signUp: 'open' | 'approval' | 'closed'
  /** Whether people prove their e-mail addresses before they count: `VERIFY_EMAIL`. */
  readonly verifyEmail?: boolean
  /** Whether a link in a mail logs in: `LOGIN_LINK`. */
  readonly loginLink?: boolean
  /**
   * How many seconds a record may wait for what makes it final, such as a payment; absent for ever:
   * `PENDING_TIMEOUT`.
   */
  readonly pendingSeconds?: number
  /** Whether clients may send files to a bucket themselves: `FILES_STORE`. */
  readonly signsUploads?: boolean
  /** The path of the console, such as `/console`; absent where it is off: `CONSOLE`. */
  readonly consolePath?: string
  /** Whether others can check access tokens: `JWT_ALG`. */
  readonly publishesKeys?: boolean
  /** The OpenID providers that people may log in by: `OIDC_PROVIDERS`. */
  readonly oidcProviders?: readonly string[]
  /** The roles that need a second factor; absent where none needs one: `MFA`. */
  readonly mfaFor?: 'everyone' | readonly string[]
}

/**
 * `P`: fields of other records that the rule mentions, by the reference to them: `orderId.userId`.
 * `L`: the roles that it names, and abilities as `AbilityWord`.
 */
export type Rule<K extends string = string, P extends string = string, L extends string = string> = {
  readonly type: RuleType
  /** Only for the compiler: the fields that the rule mentions. */
  readonly _fields?: K
  readonly _paths?: P
  readonly _roles?: L
}

/** Whether the value was made by one of the rule functions. */
export function isRule(value: unknown): value is Rule {
  const made = value as Partial<Rule> | null | undefined
  return typeof made === 'object' && typeof made?.type?.where === 'function'
}

/** The rule or the role that a word in quotes was meant to be. */
function meantRule(word: string): string {
  if (ruleNames.includes(word)) return '; rules are written without quotes'
  const near = nearest(word, ruleNames)
  if (near !== undefined) return `; did you mean ${near}?`
  if (/^[a-z]\w*:\w+$/.test(word)) return `; did you mean ability('${word}')?`
  return /^[A-Z_]+$/.test(word) ? `; did you mean role('${word}')?` : ''
}

/** Whether the caller alone decides a rule, whichever record it is. */
export function isOfCaller(rule: Rule): boolean {
  return rule.type.isOfCaller?.(rule) ?? false
}

export function notARule(value: unknown): string {
  const problem = `must be one of the rules ${ruleNames.join(', ')}, and is ${printValue(value)}`
  return typeof value === 'string' ? `${problem}${meantRule(value)}` : problem
}

export const ruleKind: MemberKind = (value, path, report) => {
  if (!isRule(value)) report({ path, problem: notARule(value) })
}

/** The part of a resource, of the catalog and of a declaration that rules know. */
export type JudgedResource = {
  readonly name: string
  /** As scopes and `_resources` name it. */
  readonly slug: string
  readonly label: string
  readonly idField: string
  readonly fields: Readonly<Record<string, Field>>
  readonly children: Readonly<Record<string, { readonly resource: { readonly name: string }; readonly by: string }>>
  readonly access: Readonly<Record<string, Rule | undefined>>
  /** How its records belong to tenants. */
  readonly tenant: TenantPath | undefined
  readonly traits: { readonly made?: { readonly kind: string } }
}
export type JudgedCatalog = {
  readonly roles: Roles
  /** The roles of memberships, by the name of the resource of tenants or groups. */
  readonly memberTables: ReadonlyMap<string, { readonly roles: Roles }>
  readonly resources: ReadonlyMap<string, JudgedResource>
  get(name: string): JudgedResource
}
export type JudgedDeclaration = {
  readonly name: string
  readonly fields: Fields
  readonly children?: Readonly<Record<string, { readonly resource: string; readonly by: string }>>
  readonly access?: Readonly<Record<string, unknown>>
  readonly tenant?: TenantOption | undefined
  readonly identity?: IdentityMark | undefined
}

/** The context of a rule: the resource whose records it judges. */
export type RuleScope = {
  readonly catalog: JudgedCatalog
  readonly settings: ServiceSettings
  readonly resource: JudgedResource
}
/** `now` gives the time of the request, in whole seconds, as a timestamp. */
export type RuleInput = RuleScope & { readonly principal: JudgedPrincipal; now(): string }

/**
 * The sentence of a refusal, when the declaration has one. `open`: 403 even when the caller may not
 * see the record.
 */
export type Refusal = { readonly sentence: string | undefined; readonly open: boolean }

/** A declaration under check. `report` knows the scope of the rule in it. */
export type RuleCheck = {
  readonly declared: JudgedDeclaration
  readonly byName: ReadonlyMap<string, JudgedDeclaration>
  readonly tenancies: readonly DeclaredMemberships[]
  /** The subject that it judges. The rule of a route has no record. */
  readonly about: 'record' | 'caller'
  /** A rule about the caller may ask for a membership of any tenant. */
  readonly takesMembers?: boolean
  /** Whether it judges the result of a change, which has a record before it. */
  readonly hasPrevious?: boolean
  report(problem: string): void
}

/** Reports the mistakes of a rule, or that it is none. */
export function checkRule(rule: unknown, check: RuleCheck): void {
  if (isRule(rule)) rule.type.check(rule, check)
  else check.report(notARule(rule))
}

/**
 * Whether a rule may look at the record. Reports when it may not: `mention` is the rule as it was
 * written.
 */
export function isAboutRecord(mention: string, { about, report }: RuleCheck): boolean {
  if (about === 'caller') report(`${mention} is about the record, and this rule can only be about the caller`)
  return about === 'record'
}

export type RulePartScope = Pick<RuleScope, 'catalog' | 'resource'> & { readonly settings?: ServiceSettings }

/** A rule inside another one, and the resource whose records it judges. */
export type RulePart = { readonly rule: Rule; readonly resource: JudgedResource }

/** A part with its place in the rule that contains it. */
export type PlacedPart = RulePart & {
  /** `anyOf[1]`, `through(teamId)` */
  readonly at: string
  /**
   * The field of the outer record that leads to the records that it judges; absent where it judges
   * the same record. `at`: their field that equals it; absent where it is their id.
   */
  readonly link?: { readonly field: string; readonly at?: string }
  /** The outer rule fails where this part holds. */
  readonly isNegated?: true
  /** The outer rule holds where this part alone holds. */
  readonly isAlternative?: true
}

/** A field of the resource with this name. */
export type JudgedField = { readonly resource: string; readonly field: string }

export type RuleType<R extends Rule = Rule> = {
  /**
   * The records on which the caller satisfies the rule: all, none, or those that match a condition.
   */
  where(rule: R, asked: RuleInput): Condition
  /**
   * The records on which the caller certainly does not satisfy it. A record with a missing value
   * is in neither: a null of the record, or a value that the caller lacks. A rule about the caller
   * has no such records for an anonymous one.
   */
  whereNot(rule: R, asked: RuleInput): Condition
  /**
   * The facts of the caller from which that follows. Callers with equal facts share cached
   * responses.
   */
  judgesBy(rule: R, scope: RuleScope): CallerFacts
  /** The fields that it compares, besides those of its parts; absent where the caller decides. */
  judgedFields?(rule: R, scope: RulePartScope): readonly JudgedField[]
  /** Whether only an API key counts. */
  needsKey(rule: R, settings: ServiceSettings): boolean
  refusal(rule: R, settings: ServiceSettings): Refusal
  /** The rule for the record that this reference names; undefined when there is none. */
  asksOf(rule: R, reference: string): Rule | undefined
  /** In a document: `` the user in `userId`, or role ADMIN ``. */
  inDocument(rule: R, context: Pick<RuleScope, 'catalog' | 'settings'>): string
  /** In a table: `owner (userId) or ADMIN`. */
  inTable(rule: R, scope: RuleScope): string
  /**
   * Whether the caller alone decides, whichever record it is. Absent: the record may decide, too.
   */
  isOfCaller?(rule: R): boolean
  /** Reports mistakes that the compiler does not see. */
  check(rule: R, check: RuleCheck): void
  /** The rules that it contains; without settings, whatever the configuration is. */
  parts(rule: R, scope: RulePartScope): readonly PlacedPart[]
  /** The rule as it is for one operation; the same one where the operation does not matter. */
  forOperation(rule: R, operation: string): Rule
}

/** The common part of rules that contain no other rules. */
export const simpleRule = {
  needsKey: () => false,
  refusal: (): Refusal => ({ sentence: undefined, open: false }),
  asksOf: () => undefined,
  parts: () => [],
  forOperation: (rule: Rule) => rule,
} satisfies Partial<RuleType>
