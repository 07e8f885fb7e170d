/**
 * The reference field: the id of a record of another resource, which must exist when the field is
 * set.
 */
import {
  countKind,
  flag,
  isTable,
  type MemberProblem,
  type Members,
  objectOf,
  oneOf,
  oneOrMore,
  printValue,
  scalarKind,
  tableOf,
  takeOptions,
  textKind,
} from '../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultContext,
  type Field,
  type HasDefault,
  makeField,
} from './field.ts'
import { referenceType } from './id.ts'
import type { ReferenceOptions } from './reference-options.ts'

type OnDelete = ReferenceOptions['onDelete']
type IdDefault = string | number | null | ((context: DefaultContext) => string | number)
export type Options<
  R extends boolean = boolean,
  D = IdDefault | undefined,
  X extends OnDelete = OnDelete,
  L extends string = string,
  M extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, string | number, never, L, Q> & {
  /**
   * The consequence for this record when the other one is deleted. `clear` (the default): this
   * becomes null. `delete`: this record is deleted too, and the reference is never null. `{
   * deleteWhere: { published: false } }`: records with these values are deleted, the others
   * cleared. `keep`: the id stays, although its record has gone. `refuse`: the other record cannot
   * be deleted (409) while this one refers to it, nor can a record that would take it along.
   */
  onDelete?: X
  /** Every write to this record also touches the record that it names. */
  touch?: boolean
  /**
   * A field, or a list of fields, that both records have: `{ match: 'clubId' }` of a team. The
   * reference takes only a team with the same `clubId` as this record. Another one is 400, as if it
   * did not exist. Where the field is null in this record, the reference takes every team. A team
   * to which such records refer keeps its `clubId` (409).
   */
  match?: M | readonly M[]
  /**
   * Records of this resource are a tree, and this names the one above: `reference('category', {
   * tree: { depth: 8 } })` of a category. At most `depth` records stand on a way from the first one
   * to the last, from 2 to 64. A record below itself, or too deep, is 400. The record has the lists
   * `/descendants` and `/ancestors`, and filters take `within`.
   */
  tree?: { readonly depth: number }
  /**
   * The source of the value in place of the body. `principal`: the id of the current user.
   * `parent`: the record above in the path, and such a record can only be made there. `engine`: the
   * server or an action.
   */
  setBy?: 'principal' | 'parent' | 'engine'
}

const ends = oneOf(['delete', 'clear', 'keep', 'refuse'])
const members = {
  ...commonMembers,
  onDelete(value, path, report) {
    if (isTable(value)) objectOf({ deleteWhere: tableOf(scalarKind) }, { needed: ['deleteWhere'] })(value, path, report)
    else ends(value, path, report)
  },
  touch: flag,
  match: oneOrMore(textKind),
  tree: objectOf({ depth: countKind }, { needed: ['depth'] }),
  setBy: oneOf(['principal', 'parent', 'engine']),
} satisfies Members<Options>

/** A required reference with `refuse` never loses its value. */
type ValueOfReference<X, R> = [X] extends ['delete'] ? string : [X, R] extends ['refuse', true] ? string : string | null
type Refers<N extends string, D, L extends string, M extends string, Q extends string> = {
  kind: 'stored'
  filled: HasDefault<D>
  refers: N
  roles: L
  matches: M
  mentions: Q
}

export type ReferenceField<N extends string, R, D, X, L extends string, M extends string, Q extends string> = Field<
  ValueOfReference<X, R>,
  string,
  Refers<N, D, L, M, Q>
>

// The catalog replaces the type by the one that fits the target's ids, once it knows the target.
/**
 * The id of a record of another resource, which must exist: `reference('user', { setBy:
 * 'principal', onDelete: 'clear' })`. It gets an index.
 */
export function reference<
  const N extends string,
  const R extends boolean = false,
  const D extends IdDefault | undefined = IdDefault | undefined,
  const X extends OnDelete = 'clear',
  L extends string = never,
  const M extends string = never,
  Q extends string = never,
>(resource: N, options?: Options<R, D, X, L, M, Q>): ReferenceField<N, R, D, X, L, M, Q> {
  const { known, mistakes } = takeOptions(options, members)
  const { onDelete = 'clear', touch = false, match = [], tree, ...common } = known as Options
  const all: MemberProblem[] = [...mistakes]
  if (typeof resource !== 'string')
    all.push({ path: '', problem: `refers to a resource by its name, and is given ${printValue(resource)}` })
  const matching = [match].flat()
  if (known.match !== undefined && matching.length === 0)
    all.push({ path: 'match', problem: 'names no field: leave it out, or name one that both records have' })
  const reference = { resource, onDelete, touch, match: matching, ...(tree && { tree }) }
  const isNeverNull = onDelete === 'delete' || (onDelete === 'refuse' && common.required === true)
  return makeField(referenceType, { ...common, nullable: !isNeverNull, reference, mistakes: all })
}
