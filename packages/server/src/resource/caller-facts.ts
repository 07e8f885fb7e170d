/**
 * The facts about a caller that a response may depend on. Each rule names the facts by which it
 * judges. `callerKey` makes a cache key from them: for sets of fields, for cached responses, and
 * for responses kept for retries.
 */
import type { AnonymousPrincipal, Principal, UserPrincipal } from './principal.ts'

/** Undefined for a caller without a credential. */
const readers = {
  user: () => true,
  role: ({ role }) => role,
  userId: ({ userId }) => userId,
  /**
   * Whether the credential is an API key, or the token of a trusted issuer, which counts as one.
   */
  key: ({ via }) => via === 'key' || undefined,
  console: ({ via }) => via === 'console' || undefined,
  session: ({ sessionId }) => sessionId,
  scopes: ({ scopes }) => scopes,
  /** The operator that views this user: credentials are hidden from it. */
  viewer: ({ viewer }) => viewer?.userId,
} satisfies Record<string, (user: UserPrincipal) => unknown>

type FixedFact = keyof typeof readers

/** Facts with a name: of a tenancy or group, of a field of users, of a claim. */
const namedReaders = {
  members: ({ memberships }, name) => memberships?.[name],
  field: ({ user }, name) => user?.[name] ?? undefined,
  claim: ({ claims }, name) => claims?.[name] ?? undefined,
} satisfies Record<string, (user: UserPrincipal, name: string) => unknown>

type NamedFact = `${keyof typeof namedReaders}:${string}`

/**
 * `tenant`: the tenant that the request names. `clock`: the time of the request. It is no fact of
 * the caller and part of no key: an answer that rests on it is not cached.
 */
export type CallerFact = FixedFact | NamedFact | 'tenant' | 'clock'
export type CallerFacts = readonly CallerFact[]

/** In the order in which keys have them. */
const fixedFacts = Object.keys(readers) as FixedFact[]

/**
 * Facts about a caller that rules may see. Scopes are judged before rules are, and nothing is known
 * of a session.
 */
export type JudgedPrincipal =
  | AnonymousPrincipal
  | Pick<UserPrincipal, 'kind' | 'userId' | 'role' | 'via' | 'memberships' | 'user' | 'claims' | 'tenant'>

/** Each fact once, in the order of keys. */
export function uniteFacts(lists: Iterable<CallerFacts>): CallerFacts {
  const named = new Set([...lists].flat())
  const fixed = fixedFacts.filter((fact) => named.delete(fact))
  return named.size === 0 ? fixed : [...fixed, ...[...named].sort()]
}

function factValue(principal: Principal, fact: CallerFact): unknown {
  if (fact === 'clock') return undefined
  if (fact === 'tenant') return principal.tenant
  if (principal.kind === 'anonymous') return undefined
  const end = fact.indexOf(':')
  if (end === -1) return readers[fact as FixedFact](principal)
  return namedReaders[fact.slice(0, end) as keyof typeof namedReaders](principal, fact.slice(end + 1))
}

/**
 * Two callers of whom these facts are the same have the same key: `callerKey(editor, ['role'])` →
 * `[["role","EDITOR"]]`
 */
export function callerKey(principal: Principal, facts: CallerFacts): string {
  if (principal.kind === 'anonymous' && principal.tenant === undefined) return ''
  const known = facts
    .map((fact) => [fact, factValue(principal, fact)] as const)
    .filter(([, value]) => value !== undefined)
  return known.length === 0 ? '' : JSON.stringify(known)
}

function namedFactsOf(principal: UserPrincipal): readonly NamedFact[] {
  const { memberships = {}, user = {}, claims = {} } = principal
  const named = <K extends keyof typeof namedReaders>(kind: K, names: object) =>
    Object.keys(names).map((name): NamedFact => `${kind}:${name}`)
  return [...named('members', memberships), ...named('field', user), ...named('claim', claims)]
}

/** The key of all facts that a rule may judge or a virtual field may show. */
export function wholeCallerKey(principal: Principal): string {
  const named = principal.kind === 'user' ? namedFactsOf(principal) : []
  return callerKey(principal, uniteFacts([fixedFacts, ['tenant'], named]))
}

/**
 * Whether the caller lacks a fact that a rule asks for. An anonymous caller lacks each of them. A
 * user may lack a field of the own record, or a claim.
 */
export function lacksFact(principal: JudgedPrincipal, facts: CallerFacts): boolean {
  return facts.some((fact) => {
    if (fact === 'clock' || fact === 'tenant') return false
    if (principal.kind === 'anonymous') return true
    return /^(field|claim):/.test(fact) && factValue(principal as UserPrincipal, fact) === undefined
  })
}
