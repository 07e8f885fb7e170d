/**
 * A field whose value is computed is like another one: it has its form, and the callers who may
 * read it.
 */
import { type MemberProblem, printValue } from '../../members.ts'
import { booleanType } from '../boolean.ts'
import { type Field, type FieldType, makeField } from '../field.ts'
import { isField } from '../field-kind.ts'

/** The roles and fields that the rules of the field name which a computed one is like. */
export type LikeRules<T> = {
  roles: T extends { readonly roles: infer L extends string } ? L : never
  mentions: T extends { readonly mentions: infer Q extends string } ? Q : never
}

/** `W`, or `V` where it is `any`. */
export type Known<W, V> = 0 extends 1 & W ? V : W

type Likeness = { readonly field: Field; readonly mistakes: readonly MemberProblem[] }

/** The parts that the field takes. `kind`: `a field that is not stored`. */
export function likenessOf(like: unknown, kind: string): Likeness {
  const wrong = (problem: string): MemberProblem => ({ path: '', problem, isFormRight: true })
  if (!isField(like)) {
    const problem = `begins with a field that it is like, such as money(), and is given ${printValue(like)}`
    return { field: makeField(booleanType as FieldType), mistakes: [wrong(problem)] }
  }
  const { required, unique, increment, immutable, returned, hidden, write, transitions } = like
  const { renamedFrom, backfill, convert, virtual, type } = like
  const isStored = kind !== notStored
  const keepOnReplace = like.keepOnReplace && returned === undefined
  const given = Object.entries({
    ...{ required, unique, increment, immutable, keepOnReplace, hidden, write, transitions, backfill, convert },
    renamedFrom: isStored ? undefined : renamedFrom,
    returned: isStored ? undefined : returned,
    default: Array.isArray(like.default) ? undefined : like.default,
    readOnly: hidden ? undefined : like.setBy,
  })
  const mistakes = given.filter(([, one]) => one !== undefined && one !== false)
  const told = mistakes.map(([name]) => wrong(`${name} means nothing for ${kind}`))
  if (virtual) return { field: like, mistakes: [wrong('is like a field that is not stored itself')] }
  if (like.counted) return { field: like, mistakes: [wrong('cannot be like a counted field')] }
  if (like.computed) return { field: like, mistakes: [wrong('cannot be like a computed field')] }
  if (type.referredBy || type.secret || type.series || type.places || (isStored && (type.madeFrom || like.reference)))
    return { field: like, mistakes: [wrong(`cannot be like ${type.name}()`)] }
  return { field: like, mistakes: [...like.mistakes, ...told] }
}

export const notStored = 'a field that is not stored'
