/**
 * Access to a route outside the resources: a rule about the caller, or open access, for which the
 * server reads no credentials.
 */
import { systemClock } from '../base/clock.ts'
import { forbidden, judge, secondsOf } from '../policy/judge.ts'
import { managesCredentials } from '../policy/scope.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'

/** The declarations and settings that decide which routes there are. */
export type RouteContext = { readonly catalog: Catalog; readonly settings: ServiceSettings }

/** A rule about the caller alone: there is no record. */
export type CallerRule = Rule<never, never>

/** A door stands in place of a rule. */
export type RouteAccess =
  | { readonly access: 'open' }
  | { readonly access: 'proven'; readonly by: string }
  | { readonly access: 'inside'; readonly rule: CallerRule }

/** Credentials are not looked at: a bad one is no reason to refuse. */
export const openAccess: RouteAccess = { access: 'open' }

/**
 * `run` finds out who asks by what it reads itself: the credential of this name
 * (`CredentialScheme`), or none.
 */
export function provenBy(name: string): RouteAccess {
  return { access: 'proven', by: name }
}

/** `run` judges by itself, for some of its callers or in parts: the rule is for the documents. */
export function ruleAccess(rule: CallerRule): RouteAccess {
  return { access: 'inside', rule }
}

/** The rule of a door; undefined where no credential is asked for. */
export function ruleOfAccess(rule: CallerRule | RouteAccess): CallerRule | undefined {
  if (!('access' in rule)) return rule
  return rule.access === 'inside' ? rule.rule : undefined
}

/** Rules about the caller ask nothing of a resource. */
export const noResourceTarget = undefined as never

type RouteCaller = {
  readonly principal: Principal
  /** A key that is limited to some operations passes where it may change credentials. */
  readonly isOfCredentials: boolean
}

const now = secondsOf(systemClock)

/** Throws `unauthenticated` and `forbidden`. */
export function judgeCaller(ground: RouteContext, rule: CallerRule, { principal, isOfCredentials }: RouteCaller): void {
  const verdict = judge({ ...ground, now }, rule, { resource: noResourceTarget, principal })
  if (verdict.kind === 'refuse') throw verdict.error
  if (principal.kind !== 'user') return
  const isCovered = isOfCredentials ? managesCredentials(principal) : principal.scopes === null
  if (!isCovered) throw forbidden()
}
