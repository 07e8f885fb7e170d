/**
 * Computed fields: a stored value that the server makes from the record's own values at each write.
 * Lists filter and sort by it. A migration computes it again where its function changes.
 */
import { hash } from 'node:crypto'
import { countKind, functionKind, type MemberProblem, type Members, tableOf, takeOptions } from '../../members.ts'
import type { RecordOf } from '../../record-of.ts'
import { type Field, type Fields, makeField } from '../field.ts'
import { fieldKind } from '../field-kind.ts'
import type { FieldTraits } from '../field-traits.ts'
import type { DerivedInput } from '../virtual-kinds.ts'
import { type Known, type LikeRules, likenessOf } from './likeness.ts'

type ComputedOptions<F> = {
  /** The fields that it may read, declared before it: the compiler then knows their values. */
  readonly fields?: F
  /**
   * Another number computes the stored values again. It is for a change that the text of the
   * function does not show, such as one in a function that it calls.
   */
  readonly version?: number
}
const computedMembers = { fields: tableOf(fieldKind), version: countKind } satisfies Members<ComputedOptions<Fields>>

/** A computed field is given this: anything, unless it says which fields it reads. */
type InputOf<F> = string extends keyof F ? DerivedInput : RecordOf<F>

type ComputedTraits<T> = LikeRules<T> & {
  kind: T extends { readonly kind: infer K extends FieldTraits['kind'] } ? K : 'stored'
  filled: true
  timed: true
}

/**
 * Computed from the record's own stored values, and stored with them: `computed(money(), ({ price,
 * count }) => price * count)`. The function gives the same value for the same record: it has no
 * clock. With `fields` its record is typed.
 */
export function computed<V, F extends Fields = Fields, W extends V = V, T extends FieldTraits = FieldTraits>(
  like: Field<V, string, T>,
  compute: (record: InputOf<NoInfer<F>>) => W,
  options?: ComputedOptions<F>,
): Field<Known<W, V>, string, ComputedTraits<T>> {
  const { known, mistakes: ofOptions } = takeOptions(options, computedMembers)
  const mistakes: MemberProblem[] = [...ofOptions]
  functionKind(compute, 'its computation', (mistake) => mistakes.push({ ...mistake, isFormRight: true }))
  const safe = typeof compute === 'function' ? (compute as (record: object) => unknown) : () => null
  const { field, mistakes: ofLike } = likenessOf(like, 'a computed field')
  const { type, limits, values, read, returned, description, example, renamedFrom, deprecated } = field
  return makeField(type, {
    ...{ limits, values, read, returned, description, example, renamedFrom, deprecated },
    setBy: 'engine',
    nullable: true,
    computed: { compute: safe, meaning: hash('sha256', `${known.version ?? 1} ${safe}`).slice(0, 16) },
    mistakes: [...ofLike, ...mistakes],
  })
}
