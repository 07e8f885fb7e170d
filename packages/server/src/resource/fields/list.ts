/**
 * Lists of values of one type. The database keeps a list as JSON, with each item as responses show
 * it. So every type whose values are one scalar of JSON can be the type of the items.
 */
import { countKind, type MemberProblem, type Members, takeOptions } from '../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  type Json,
  makeField,
  type Operator,
  type ValueOf,
} from './field.ts'
import { isField } from './field-kind.ts'
import { text } from './text.ts'

const itemsDefault = 100
const itemsMax = 10_000
/** The most characters of an item whose type has no limit of its own. */
const shortMax = 64

type ListLimits = { readonly items?: number }
type ListField = FieldOf<ListLimits>

const textOperators: readonly Operator[] = ['eq', 'in', 'contains', 'null']
const listOperators: readonly Operator[] = [...textOperators, 'overlaps', 'empty']

/** A value that is sent for an item → the item as it is stored. Throws `bad-request`. */
export function itemFrom(item: Field, value: unknown, name: string): Json {
  if (value === null || value === undefined) throw fieldError(name, 'must have no null among its items')
  const stored = item.type.check(value, name, item)
  return item.type.represent ? item.type.represent(stored, item) : (stored as Json)
}

const countOf = ({ limits }: ListField) => limits.items ?? itemsDefault

function checkItems(value: unknown, name: string, field: ListField): readonly Json[] {
  const item = field.type.item as Field
  const isProse = item.type.isProse === true
  if (!Array.isArray(value)) throw fieldError(name, `must be a list${isProse ? ' of strings' : ''}`)
  if (value.length > countOf(field)) throw fieldError(name, `must have at most ${countOf(field)} items`)
  if (isProse && !value.every((one) => typeof one === 'string')) throw fieldError(name, 'must be a list of strings')
  return value.map((one, at) => itemFrom(item, one, isProse ? name : `${name}[${at}]`))
}

function typeOf(name: 'textList' | 'list', item: Field): FieldType<ListLimits> {
  const { type } = item
  const isProse = type.isProse === true
  return {
    name,
    column: 'json',
    operators: name === 'list' ? listOperators : textOperators,
    scalar: type.scalar,
    item,
    isOpaque: true,
    // Lists of texts had no other name.
    storedAs: () => (isProse ? 'textList' : `list of ${type.storedAs?.(item) ?? type.name}`),
    check: (value, at, field) => checkItems(value, at, field),
    checkStored(value, at, field) {
      const items = checkItems(value, at, field)
      const other = items.findIndex((one, i) => one !== (value as readonly Json[])[i])
      if (other !== -1 && !isProse)
        throw fieldError(`${at}[${other}]`, `must be as responses show it: ${JSON.stringify(items[other])}`)
    },
    isComparable: () => false,
    parse(given, at) {
      const stored = type.parse(given, at, item)
      return type.represent ? type.represent(stored, item) : stored
    },
    ...(type.filterText && { filterText: type.filterText }),
    lengthMax: (field) => countOf(field) * (type.lengthMax?.(item) ?? shortMax),
    schema: (field) => ({ type: 'array', items: type.schema(item), maxItems: countOf(field) }),
    limitsMistake({ items = itemsDefault }) {
      if (items > itemsMax) return `max (${items}) is above ${itemsMax}: more are records of a resource of their own`
      return type.limitsMistake?.(item.limits)
    },
  }
}

type ListOptions<
  I = unknown,
  R extends boolean = boolean,
  D = DefaultOf<readonly I[]> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, readonly I[], never, L, Q> & {
  /** How many items it may have; 100 unless said, 10,000 at most. */
  max?: number
}
const members = { ...commonMembers, max: countKind } satisfies Members<ListOptions>

/** Whether the engine makes values of the type for records. */
const makes = ({ series, places, madeFrom }: Field['type']) => Boolean(series || places || madeFrom)

/** Options that say something about the value of a record mean nothing for items. */
function itemMistakes(item: Field): MemberProblem[] {
  const { type } = item
  const isScalar = type.scalar !== null && type.column !== 'json' && !item.virtual && !makes(type)
  const isOne =
    isScalar &&
    !type.holdsFiles &&
    !type.secret &&
    !type.referredBy &&
    !item.reference &&
    !item.transitions &&
    !item.takesRoles
  if (!isOne)
    return [{ path: '', problem: `cannot be of ${type.name}(): its items are scalars or words`, isFormRight: true }]
  const said = Object.entries({ ...item, setBy: item.setBy ?? false }).find(
    ([name, one]) =>
      !['type', 'limits', 'mistakes', 'nullable', 'values', 'example', 'description'].includes(name) && one,
  )
  const needless = said && {
    path: '',
    problem: `"${said[0] === 'setBy' ? 'readOnly' : said[0]}" means nothing for items: say it of the list`,
    isFormRight: true,
  }
  return [...item.mistakes, ...(needless ? [needless] : [])]
}

/** Without a default it is empty. */
type ListOf<I, R, D> = ValueOf<readonly I[], R, undefined extends D ? readonly [] : D>
/** An item as it is stored: exact numbers are as JSON has them. */
type ItemOf<V> = [V] extends [bigint | null] ? string | number : Exclude<V, null>

function makeList(type: FieldType<ListLimits>, options: object): never {
  return makeField(type, { default: [], ...options } as never) as never
}

/**
 * A list of values of one type: `list(text({ maxLength: 50 }), { max: 20 })`. Its items may be of
 * any type with one scalar, such as `decimal` or `choice`. It is empty by default. Actions,
 * `onWrite` and derived fields see items as responses show them.
 */
export function list<
  V,
  const R extends boolean = false,
  const D extends DefaultOf<readonly ItemOf<V>[]> | undefined = DefaultOf<readonly ItemOf<V>[]> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  of: Field<V>,
  options?: ListOptions<ItemOf<V>, R, D, L, Q>,
): Field<ListOf<ItemOf<V>, R, D>, string, { kind: 'stored'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { max, ...common } = known
  const item = isField(of) ? of : text()
  const wrong = isField(of)
    ? itemMistakes(item)
    : [{ path: '', problem: 'takes the field of an item first: list(text())', isFormRight: true }]
  const limits = { ...(item.limits as object), ...(max !== undefined && { items: max }) }
  return makeList(typeOf('list', item), { ...common, limits, mistakes: [...wrong, ...mistakes] })
}

type TextListOptions<
  R extends boolean = boolean,
  D = DefaultOf<readonly string[]> | undefined,
  L extends string = string,
  Q extends string = string,
> = CommonOptions<R, D, readonly string[], never, L, Q> & {
  /** Of each item, in characters; 100 by default. */
  maxLength?: number
}
const textMembers = { ...commonMembers, maxLength: countKind } satisfies Members<TextListOptions>

/**
 * A list of texts, such as tags: `textList({ maxLength: 50 })`; at most 100 items of at most that
 * many characters each; empty by default.
 */
export function textList<
  const R extends boolean = false,
  const D extends DefaultOf<readonly string[]> | undefined = DefaultOf<readonly string[]> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: TextListOptions<R, D, L, Q>,
): Field<ListOf<string, R, D>, string, { kind: 'stored'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, textMembers)
  const { maxLength = 100, ...common } = known
  return makeList(typeOf('textList', text({ maxLength })), { ...common, limits: { maxLength }, mistakes })
}
