/**
 * `has` of `accounts`: actions and hooks ask whether their caller has an ability, or reaches a
 * role. The compiler checks the word, because `accounts` knows all of them.
 */
import type { ActingCaller } from '../resource/code/acting-caller.ts'
import type { AbilityWord, Roles } from '../resource/rules/role-order.ts'
import { didYouMean } from '../resource/words/nearest.ts'

/** The roles and abilities among the words of rules, as they are declared. */
type DeclaredWord<L extends string> = L extends AbilityWord<infer B> ? B : L

export type CallerHas<L extends string> = (caller: ActingCaller, word: DeclaredWord<L>) => boolean

/** Throws an `Error` for a word that is no role and no ability, which only JavaScript can write. */
export function makeCallerHas(roles: Roles): (caller: ActingCaller, word: string) => boolean {
  const words = [...roles.names, ...roles.abilities]
  return ({ role, isTrusted }, word) => {
    if (!words.includes(word)) throw new Error(`has: no role or ability "${word}"${didYouMean(word, words)}`)
    return isTrusted || roles.reaches(role, word) || roles.has(role, word)
  }
}
