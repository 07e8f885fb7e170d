/**
 * The facts about a caller that a response may depend on. Each rule names the facts by which it
 * judges. `callerKey` makes a cache key from them: for sets of fields, for cached responses, and
 * for responses kept for retries.
 */
import type { Principal, UserPrincipal } from './principal.ts'

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
} satisfies Record<string, (user: UserPrincipal) => unknown>

export type CallerFact = keyof typeof readers
export type CallerFacts = readonly CallerFact[]

/** In the order in which keys have them. */
export const everyFact = Object.keys(readers) as CallerFacts

/**
 * Facts about a caller that rules may see. Scopes are judged before rules are, and nothing is known
 * of a session.
 */
export type JudgedPrincipal = { readonly kind: 'anonymous' } | Pick<UserPrincipal, 'kind' | 'userId' | 'role' | 'via'>

/** Each fact once, in the order of keys. */
export function uniteFacts(lists: Iterable<CallerFacts>): CallerFacts {
  const named = new Set([...lists].flat())
  return everyFact.filter((fact) => named.has(fact))
}

/**
 * Two callers of whom these facts are the same have the same key: `callerKey(editor, ['role'])` →
 * `[["role","EDITOR"]]`
 */
export function callerKey(principal: Principal, facts: CallerFacts): string {
  if (principal.kind === 'anonymous') return ''
  const known = facts
    .map((fact) => [fact, readers[fact](principal)] as const)
    .filter(([, value]) => value !== undefined)
  return known.length === 0 ? '' : JSON.stringify(known)
}
