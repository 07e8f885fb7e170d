/**
 * What a caller sees, as a part of a key: two callers with the same key get the same answer. Rules judge by the id, the role, the way in and
 * the scopes of a key, and by nothing else of a principal. A session is shown as the one of the request.
 */
import type { Admission } from '../policy/policy.ts'
import type { Principal } from '../resource/principal.ts'

function personOf(principal: Principal): string {
  if (principal.kind === 'anonymous') return ''
  const { userId, role, via, scopes, sessionId } = principal
  return JSON.stringify([userId, role, via, scopes, sessionId])
}

function sightOf({ principal, where }: Admission): string {
  const who = principal.kind === 'anonymous' ? '' : `${principal.role} ${principal.via === 'console'}`
  return where.kind === 'true' ? who : `${who} ${JSON.stringify(where)}`
}

/** `T` → text, made once for each object. */
function once<T extends object>(make: (of: T) => string): (of: T) => string {
  const made = new WeakMap<T, string>()
  return (of) => {
    let text = made.get(of)
    if (text === undefined) {
      text = make(of)
      made.set(of, text)
    }
    return text
  }
}

export type Sights = {
  /** Everything that any rule may judge by, or a virtual field show. */
  personOf(principal: Principal): string
  /**
   * What an operation on records of one resource depends on, where they show nothing of others: the records that the caller may see, and the
   * fields, which follow from the role.
   */
  sightOf(admission: Admission): string
}

export function makeSights(): Sights {
  return { personOf: once(personOf), sightOf: once(sightOf) }
}
