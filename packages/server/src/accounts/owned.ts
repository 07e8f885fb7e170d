/** The rule of most engine tables: users may access their own records, and operators all. */
import { anyOf } from '../resource/rules/any-of.ts'
import { operator } from '../resource/rules/operator.ts'
import { owner } from '../resource/rules/owner.ts'

export const owned = anyOf([owner('userId'), operator])
