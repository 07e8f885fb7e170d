/**
 * Judges a caller by a rule: allowed, refused, or allowed on the records that match a condition.
 * The same verdict filters a list, hides a record and refuses a write, so REST and GraphQL agree.
 */
import { type Clock, timestampOf } from '../base/clock.ts'
import { ApiError, badKey } from '../errors.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { always, type Condition, never } from '../resource/condition.ts'
import type { Principal } from '../resource/principal.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'
import { passingRoles } from './passing-roles.ts'

export type RuleVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'filter'; readonly where: Condition }
  | { readonly kind: 'refuse'; readonly error: ApiError }

export type RefusalContext = { readonly catalog: Catalog; readonly settings: ServiceSettings }
export type PolicyContext = RefusalContext & {
  /** The time of a request, for rules that read the clock. */
  now(): string
}

/** The clock of rules, in whole seconds. */
export function secondsOf(clock: Clock): PolicyContext['now'] {
  return () => timestampOf(Math.floor(clock() / 1000) * 1000)
}

const allow: RuleVerdict = { kind: 'allow' }

/** The records that a verdict allows. */
export function whereOf(verdict: RuleVerdict): Condition {
  return verdict.kind === 'allow' ? always : verdict.kind === 'filter' ? verdict.where : never
}

export function forbidden(message = 'Insufficient permissions', requiredRoles?: readonly string[]): ApiError {
  return new ApiError('forbidden', message, { requiredRoles })
}

function errorOf(
  context: PolicyContext,
  rule: Rule,
  { resource, principal }: { resource: Resource; principal: Principal },
) {
  const byKey = principal.kind === 'user' && principal.via === 'key'
  if (!byKey && rule.type.needsKey(rule, context.settings)) return badKey('missing')
  if (principal.kind === 'anonymous') return new ApiError('unauthenticated', 'Token required')
  return refusalOf(context, rule, resource).error()
}

export function judge(
  context: PolicyContext,
  rule: Rule,
  asking: { resource: Resource; principal: Principal },
): RuleVerdict {
  const where = rule.type.where(rule, { ...context, ...asking })
  if (where.kind === 'true') return allow
  if (where.kind !== 'false') return { kind: 'filter', where }
  return {
    kind: 'refuse',
    // The error is made only when it is thrown: most refusals just leave records out.
    get error() {
      return errorOf(context, rule, asking)
    },
  }
}

/**
 * How a rule refuses a record that does not satisfy it: whether openly, and the error, which is
 * made when it is needed. The error names the roles that would be enough, unless the declaration
 * has a sentence of its own.
 */
export function refusalOf(
  context: RefusalContext,
  rule: Rule,
  resource: Resource,
): { error: () => ApiError; open: boolean } {
  const { sentence, open } = rule.type.refusal(rule, context.settings)
  return {
    error: () =>
      sentence === undefined ? forbidden(undefined, passingRoles(rule, { ...context, resource })) : forbidden(sentence),
    open,
  }
}
