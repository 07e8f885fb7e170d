/** A list of texts, such as tags. A filter on it asks about membership. */
import { type CommonOptions, type Field, type FieldOf, type FieldType, fieldError, makeField } from './field.ts'
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

/** `textList({ maxLength: 50 })`: at most 100 items of at most that many characters each; empty by default. */
export function textList(options: CommonOptions & { maxLength?: number } = {}): Field<readonly string[]> {
  const { maxLength = 100, ...common } = options
  return makeField(textListType, { default: [], ...common, limits: { maxLength } })
}
