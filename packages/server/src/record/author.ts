/** The author of a write, as the change log records it. */
import { type KnownCaller, knownCaller } from '../resource/code/acting-caller.ts'
import type { Principal } from '../resource/principal.ts'
import { type Author, consoleCredential, serviceAuthor } from '../storage/changes.ts'

/**
 * A principal → the author of its writes. The console and anonymous callers have no user. `caller`:
 * the principal before an operation took the rights from it that a key does not have.
 */
export function authorOf(principal: Principal, caller = principal): Author {
  const { tenant } = principal
  if (principal.kind === 'anonymous') return { userId: null, role: null, credential: 'anonymous', tenant, caller }
  const { via, userId, role, sessionId, keyId } = principal
  if (via === 'console') return { userId: null, role, credential: consoleCredential, tenant, caller }
  if (via === 'key') return { userId, role, credential: `key:${keyId}`, tenant, caller }
  return { userId, role, credential: `session:${sessionId}`, sessionId, tenant, caller }
}

/** The author as code of the application is given it, with its rights. */
export function actingAs(author: Author): KnownCaller {
  const { userId, role } = author
  return knownCaller({ userId, role, isTrusted: isTrusted(author) }, author)
}

/** Whether no rule binds the author: the console, and the service itself. */
export function isTrusted({ credential }: Pick<Author, 'credential'>): boolean {
  return credential === consoleCredential || credential === serviceAuthor.credential
}
