/** The rule of most of the engine's own tables: users have theirs, and operators have all. */
import { either } from '../resource/rules/either.ts'
import { operator } from '../resource/rules/operator.ts'
import { owner } from '../resource/rules/owner.ts'

export const owned = either([owner('userId'), operator])
