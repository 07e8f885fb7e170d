/** The author of a write, as the change log records it. */
import type { Principal } from '../resource/principal.ts'
import { type Author, consoleCredential, serviceAuthor } from '../storage/changes.ts'

/** A principal → the author of its writes. The console and anonymous callers have no user. */
export function authorOf(principal: Principal): Author {
  if (principal.kind === 'anonymous') return { userId: null, role: null, credential: 'anonymous' }
  const { via, userId, role, sessionId, keyId } = principal
  if (via === 'console') return { userId: null, role, credential: consoleCredential }
  if (via === 'key') return { userId, role, credential: `key:${keyId}` }
  return { userId, role, credential: `session:${sessionId}`, sessionId }
}

/** Whether no rule binds the author: the console, and the service itself. */
export function isTrusted({ credential }: Author): boolean {
  return credential === consoleCredential || credential === serviceAuthor.credential
}
