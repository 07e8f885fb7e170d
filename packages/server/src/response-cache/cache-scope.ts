/** The view of a caller, as a part of a key: two callers with the same key get the same answer. */

import type { Admission } from '../policy/policy.ts'
import type { ResponseFacts } from '../policy/response-facts.ts'
import { callerKey, everyFact } from '../resource/caller-facts.ts'
import type { Principal } from '../resource/principal.ts'

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

export type CacheScopes = {
  /** Everything that any rule may judge by, or a virtual field show. */
  personOf(principal: Principal): string
  /**
   * What an operation on records of one resource depends on, where they show nothing of others: the
   * records that the caller may see, and the facts from which their fields follow.
   */
  scopeOf(admission: Admission): string
}

export function makeCacheScopes(facts: ResponseFacts): CacheScopes {
  function sightOf({ target, principal, where }: Admission): string {
    const fields = callerKey(principal, facts.ofFields(target.resource))
    return where.kind === 'true' ? fields : `${fields} ${JSON.stringify(where)}`
  }
  return { personOf: once((principal: Principal) => callerKey(principal, everyFact)), scopeOf: once(sightOf) }
}
