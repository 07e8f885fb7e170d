/**
 * The part of a cache key that stands for the caller's view: callers with the same key get the same
 * response.
 */

import { jsonText } from '../base/json-text.ts'
import type { Admission } from '../policy/policy.ts'
import type { ResponseFacts } from '../policy/response-facts.ts'
import { callerKey, wholeCallerKey } from '../resource/caller-facts.ts'
import type { Principal } from '../resource/principal.ts'

/** Makes the text of each object once. */
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
  /** All facts about the caller that a rule may judge or a virtual field may show. */
  personOf(principal: Principal): string
  /**
   * The caller's view of one resource: the records that the caller may see, and the facts that its
   * fields depend on. It is enough where a response shows no other resources.
   */
  scopeOf(admission: Admission): string
}

export function makeCacheScopes(facts: ResponseFacts): CacheScopes {
  function sightOf({ target, principal, where }: Admission): string {
    const fields = callerKey(principal, facts.ofFields(target.resource))
    return where.kind === 'true' ? fields : `${fields} ${jsonText(where)}`
  }
  return { personOf: once((principal: Principal) => wholeCallerKey(principal)), scopeOf: once(sightOf) }
}
