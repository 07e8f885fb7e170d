/**
 * The field of a one-to-one relation: a reference that no two records share. The other resource has
 * one such record or none, where other references lead to a list.
 */
import type { MemberProblem } from '../../members.ts'
import { isTable } from '../../members.ts'
import type { Field } from '../field.ts'
import { type Options, type ReferenceField, reference } from '../reference.ts'
import type { ReferenceOptions } from '../reference-options.ts'

type OneToOneOptions<
  R extends boolean,
  D extends Options['default'],
  X extends ReferenceOptions['onDelete'],
  L extends string,
  M extends string,
  Q extends string,
> = Omit<Options<R, D, X, L, M, Q>, 'unique' | 'tree'>

/** Options that the relation decides. */
const decided = ['unique', 'tree'] as const

/**
 * The id of a record of another resource, which at most one record of this one names:
 * `oneToOne('user', { required: true, onDelete: 'delete' })` of a profile. A second one is 409.
 * Where the other resource declares these records as its `children`, each of its records shows one
 * or null.
 */
export function oneToOne<
  const N extends string,
  const R extends boolean = false,
  const D extends Options['default'] = Options['default'],
  const X extends ReferenceOptions['onDelete'] = 'clear',
  L extends string = never,
  const M extends string = never,
  Q extends string = never,
>(resource: N, options?: OneToOneOptions<R, D, X, L, M, Q>): ReferenceField<N, R, D, X, L, M, Q> {
  const given: Readonly<Record<string, unknown>> = isTable(options) ? options : {}
  const mistakes: MemberProblem[] = decided
    .filter((name) => given[name] !== undefined)
    .map((path) => ({ path, problem: 'is decided by oneToOne(): leave it out', isFormRight: true }))
  const left = Object.fromEntries(Object.entries(given).filter(([name]) => !decided.some((one) => one === name)))
  const taken = options === undefined || isTable(options) ? left : options
  const field = reference(resource, taken as Options) as Field
  const one = { ...field, unique: true, reference: { ...field.reference, one: true } }
  return { ...one, mistakes: [...field.mistakes, ...mistakes] } as ReferenceField<N, R, D, X, L, M, Q>
}
