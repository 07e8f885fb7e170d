/**
 * Counted fields: the number of the records that refer to a record, the sum of a field of theirs,
 * or the latest of their times. Each is a stored column that the write path keeps, so lists filter
 * and sort by it.
 */
import {
  earlierNamesKind,
  isTable,
  kindOf,
  type MemberProblem,
  type Members,
  takeOptions,
  textKind,
} from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'
import type { WhereValues } from '../rules/where/where.ts'
import { type Deprecation, deprecationKind } from '../words/deprecation.ts'
import type { CountedBy } from './counted-by.ts'
import { type Field, type FieldType, fieldError, makeField } from './field.ts'
import { integerType } from './numbers/integer.ts'
import { timestampType } from './times/timestamp.ts'

type CountedOptions<L extends string = string, Q extends string = string> = {
  /**
   * Only these records, by values of their own fields: `{ where: { returnedAt: null } }`. The
   * operators are those of filters.
   */
  where?: WhereValues
  /**
   * The callers who may see it, as in every field. It counts all records that exist, also those
   * that the reader may not see.
   */
  read?: Rule<Q, Q, L>
  /** One sentence for the documents. */
  description?: string
  /** The former name, or names, of the field. */
  renamedFrom?: string | readonly string[]
  /** It is deprecated: the documents say since when, and what to use. */
  deprecated?: Deprecation
}
const members = {
  where: kindOf('conditions on fields, such as { returnedAt: null }', isTable),
  read: ruleKind,
  description: textKind,
  renamedFrom: earlierNamesKind,
  deprecated: deprecationKind,
} satisfies Members<CountedOptions>

type CountedTraits<K extends 'number' | 'stored', L extends string, Q extends string> = {
  kind: K
  filled: true
  timed: true
  roles: L
  mentions: Q
}

/** The type and the limits of a counted field. */
export type CountedForm = Pick<Field, 'type' | 'limits'>

/** Those of a sum of such values; undefined where they cannot be summed. */
export function sumFormOf({ type, limits }: Field): CountedForm | undefined {
  if (!type.adds) return undefined
  if (type.name !== 'integer') return { type, limits: type.adds.limitsOfSum?.(limits) ?? {} }
  return { type: integerSumType, limits: {} }
}

/** A sum may be larger than each of its values. */
const sumMax = Number.MAX_SAFE_INTEGER
const integerSumType: FieldType = {
  ...(integerType as FieldType),
  scalar: 'Float',
  checkStored(value, name) {
    if (!Number.isSafeInteger(value)) throw fieldError(name, 'is too large to be exact')
  },
  schema: () => ({ type: 'integer', format: 'int64', minimum: -sumMax, maximum: sumMax }),
}

type CountedParts = { readonly by: CountedBy; readonly options: unknown; readonly type: FieldType }

function counted<V, K extends 'number' | 'stored', L extends string, Q extends string>({
  by,
  options,
  type,
}: CountedParts): Field<V, string, CountedTraits<K, L, Q>> {
  const { known, mistakes: ofOptions } = takeOptions(options as CountedOptions | undefined, members)
  const { where, ...common } = known as CountedOptions
  const mistakes: MemberProblem[] = [...ofOptions]
  const report = (mistake: MemberProblem) => void mistakes.push(mistake)
  textKind(by.relation, 'the relation', report)
  if (by.kind !== 'count') textKind(by.field, 'the field', report)
  const isLatest = by.kind === 'latest'
  return makeField(type, {
    ...common,
    setBy: 'engine',
    nullable: isLatest,
    ...(!isLatest && { default: 0 }),
    counted: { ...by, ...(where !== undefined && { where }) },
    mistakes,
  })
}

/**
 * How many records of a relation there are: `count('loans', { where: { returnedAt: null } })`. The
 * relation is a name under `children`, or the plural of a resource that refers to this one.
 */
export function count<L extends string = never, Q extends string = never>(
  relation: string,
  options?: CountedOptions<L, Q>,
): Field<number, string, CountedTraits<'number', L, Q>> {
  return counted({ by: { kind: 'count', relation }, options, type: integerType as FieldType })
}

/** The exact sum of a number of theirs, or 0: `sum('fines', 'amount')`. A `float` has none. */
export function sum<L extends string = never, Q extends string = never>(
  relation: string,
  field: string,
  options?: CountedOptions<L, Q>,
): Field<number, string, CountedTraits<'number', L, Q>> {
  return counted({ by: { kind: 'sum', relation, field }, options, type: integerType as FieldType })
}

/** The latest of a date or a time of theirs, or null: `latest('readings', 'takenAt')`. */
export function latest<L extends string = never, Q extends string = never>(
  relation: string,
  field: string,
  options?: CountedOptions<L, Q>,
): Field<string | null, string, CountedTraits<'stored', L, Q>> {
  return counted({ by: { kind: 'latest', relation, field }, options, type: timestampType })
}
