/** The text list field, such as tags. A filter on it tests membership. */
import { countKind, type Members, takeOptions } from '../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldOf,
  type FieldType,
  fieldError,
  makeField,
  type ValueOf,
} from './field.ts'
import { textType } from './text.ts'

const itemsMax = 100

type ListLimits = { readonly maxLength: number }

function checkTextList(value: unknown, name: string, field: FieldOf<ListLimits>): readonly string[] {
  if (!Array.isArray(value)) throw fieldError(name, 'must be a list of strings')
  if (value.length > itemsMax) throw fieldError(name, `must have at most ${itemsMax} items`)
  return value.map((item) => {
    if (typeof item !== 'string') throw fieldError(name, 'must be a list of strings')
    return textType.check(item, name, field) as string
  })
}

export const textListType: FieldType<ListLimits> = {
  name: 'textList',
  column: 'json',
  operators: ['eq', 'in', 'contains', 'null'],
  scalar: 'String',
  isList: true,
  isOpaque: true,
  check: checkTextList,
  checkStored: checkTextList,
  isComparable: () => false,
  parse: (text, name, field) => textType.check(text, name, field),
  lengthMax: (field) => itemsMax * field.limits.maxLength,
  schema: (field) => ({
    type: 'array',
    items: { type: 'string', maxLength: field.limits.maxLength },
    maxItems: itemsMax,
  }),
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
const members = { ...commonMembers, maxLength: countKind } satisfies Members<TextListOptions>

/** Without a default it is empty. */
type ListOf<R, D> = ValueOf<readonly string[], R, undefined extends D ? readonly [] : D>

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
): Field<ListOf<R, D>, string, { kind: 'stored'; filled: true; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, members)
  const { maxLength = 100, ...common } = known
  return makeField(textListType, { default: [], ...common, limits: { maxLength }, mistakes } as never)
}
