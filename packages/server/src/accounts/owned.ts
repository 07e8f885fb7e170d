/** The rule of most of the engine's own tables: users have theirs, and operators have all. */
import { anyOf } from '../resource/rules/any-of.ts'
import { operator } from '../resource/rules/operator.ts'
import { owner } from '../resource/rules/owner.ts'

export const owned = anyOf([owner('userId'), operator])
