/**
 * Rule × principal → verdict: allowed, refused, or allowed on the records that a condition matches.
 * The same verdict filters a list, hides a record and refuses a write, so REST and GraphQL cannot disagree.
 */
import { ApiError, badKey } from '../errors.ts'
import { any, type Condition, equal, matching } from '../operation/condition.ts'
import type { Principal } from '../operation/principal.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { type Role, type Rule, roles, type Settings } from '../resource/rule.ts'

export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'filter'; readonly where: Condition }
  | { readonly kind: 'refuse'; readonly error: ApiError }

export type Court = { readonly catalog: Catalog; readonly settings: Settings }

const allow: Verdict = { kind: 'allow' }

/** `rolesFrom('EDITOR')` → `['EDITOR', 'ADMIN']` */
export function rolesFrom(required: Role): readonly Role[] {
  return roles.slice(roles.indexOf(required))
}

function unauthenticated(): Verdict {
  return { kind: 'refuse', error: new ApiError('unauthenticated', 'Token required') }
}

/**
 * The roles that satisfy a rule, whatever the record is; undefined where none does.
 * `rolesFor(either([owner('userId'), role('EDITOR')]), settings)` → `['EDITOR', 'ADMIN']`
 */
export function rolesFor(rule: Rule, settings: Settings): readonly Role[] | undefined {
  switch (rule.kind) {
    case 'anyone':
    case 'user':
      return roles
    case 'where':
    case 'owner':
      return undefined
    case 'role':
      return rolesFrom(rule.role)
    case 'machine':
    case 'through':
      return rolesFor(rule.rule, settings)
    case 'setting':
      return rolesFor(rule.when(settings) ? rule.rule : rule.otherwise, settings)
    case 'either': {
      const enough = new Set(rule.rules.flatMap((one) => rolesFor(one, settings) ?? []))
      return enough.size === 0 ? undefined : roles.filter((one) => enough.has(one))
    }
  }
}

export function forbidden(message = 'Insufficient permissions', requiredRoles?: readonly string[]): ApiError {
  return new ApiError('forbidden', message, { requiredRoles })
}

function judgeEither(court: Court, resource: Resource, rule: Rule & { kind: 'either' }, principal: Principal): Verdict {
  const verdicts = rule.rules.map((one) => judge(court, resource, one, principal))
  if (verdicts.some((verdict) => verdict.kind === 'allow')) return allow
  const filters = verdicts.flatMap((verdict) => (verdict.kind === 'filter' ? [verdict.where] : []))
  if (filters.length > 0) return { kind: 'filter', where: any(...filters) }
  return principal.kind === 'anonymous'
    ? unauthenticated()
    : { kind: 'refuse', error: refusalOf(rule, court.settings).error() }
}

export function judge(court: Court, resource: Resource, rule: Rule, principal: Principal): Verdict {
  switch (rule.kind) {
    case 'anyone':
      return allow
    case 'where':
      return { kind: 'filter', where: matching(rule.values) }
    case 'setting':
      return judge(court, resource, rule.when(court.settings) ? rule.rule : rule.otherwise, principal)
    case 'either':
      return judgeEither(court, resource, rule, principal)
    case 'machine':
      if (principal.kind === 'anonymous' || principal.via !== 'key')
        return { kind: 'refuse', error: badKey('API key required') }
      return judge(court, resource, rule.rule, principal)
    case 'through': {
      const target = court.catalog.get(resource.fields[rule.field]?.reference?.resource ?? '')
      const verdict = judge(court, target, rule.rule, principal)
      if (verdict.kind !== 'filter') return verdict
      return {
        kind: 'filter',
        where: { kind: 'related', field: rule.field, resource: target.name, where: verdict.where },
      }
    }
    case 'user':
      return principal.kind === 'anonymous' ? unauthenticated() : allow
    case 'owner':
      if (principal.kind === 'anonymous') return unauthenticated()
      return { kind: 'filter', where: equal(rule.field, principal.userId) }
    case 'role': {
      if (principal.kind === 'anonymous') return unauthenticated()
      const required = rolesFrom(rule.role)
      if (required.includes(principal.role)) return allow
      return { kind: 'refuse', error: forbidden(undefined, required) }
    }
  }
}

/**
 * The sentence and openness of a rule's refusal once a record has been judged and found wanting. The error is made when it is needed. It names
 * the roles that would do; a declaration's own sentence stands alone.
 */
export function refusalOf(rule: Rule, settings: Settings): { error: () => ApiError; open: boolean } {
  const { otherwise, open } = rule.kind === 'either' ? rule : { otherwise: undefined, open: false }
  return {
    error: () => (otherwise === undefined ? forbidden(undefined, rolesFor(rule, settings)) : forbidden(otherwise)),
    open,
  }
}
