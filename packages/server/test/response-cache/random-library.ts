/**
 * Random rows, conditions and sorts for the library of the storage suites, with texts, numbers and
 * times on which databases might disagree.
 */
import fc from 'fast-check'
import { parseSearch } from '../../src/base/fold.ts'
import type { SortKey } from '../../src/resource/catalog.ts'
import { always, type Condition, never, type Scalar } from '../../src/resource/condition.ts'
import { betweenMark } from '../../src/resource/fields/times/timestamp.ts'
import { anyText } from '../helpers/any-text.ts'
import { idOf } from '../storage/library.ts'

const words = [
  '', 'a', 'A', 'ab', 'b a', 'Straße', 'STRASSE', 'strasse', 'ÄRGER', 'a\u0308rger', 'Σίσυφος', 'σίσυφοσ', 'wi-fi', 'Wi', '100%', '_', '%', '\\', '"', "'",
  '😀', '\uffff', '\ue000', '日本', 'İ', 'ı', 'ﬁn', 'é', 'e\u0301', ' ', '\u0001', 'x'.repeat(40),
] // biome-ignore format: a list of words
const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, anyText({ maxLength: 4 }).filter((one) => !one.includes('\0') && one.isWellFormed())) // biome-ignore format: one line
const number = fc.constantFrom(-5, -1, 0, 1, 2, 3, 2_147_483_647, 9_007_199_254_740_991)
const asked = fc.oneof(number, fc.constantFrom(-0.5, 0.5, 1.5, 2.000001, 1e300, -1e300))
const time = fc.constantFrom(
  '0000-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
)
/** A filter may ask between two milliseconds. */
const askedTime = fc.tuple(time, fc.constantFrom('', '', betweenMark)).map((parts) => parts.join(''))
const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 4 })
export const values = fc.record({
  shelfId: fc.constantFrom(1, 2),
  spareId: orNull(fc.constantFrom(1, 2)),
  title: text,
  note: orNull(text),
  rank: orNull(number),
  lent: fc.boolean(),
  tags: fc.array(text, { maxLength: 3 }),
  seenAt: orNull(time),
})

const typed: Readonly<Record<string, fc.Arbitrary<Scalar>>> = {
  id: fc.integer({ min: 1, max: 30 }).map(idOf),
  shelfId: asked,
  spareId: asked,
  title: text,
  note: text,
  rank: asked,
  lent: fc.boolean(),
  seenAt: askedTime,
}
const fields = Object.keys(typed)
const operator = fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte' as const)
const compared = fc.constantFrom(...fields).chain((field) =>
  fc.record({
    kind: fc.constant('compare' as const),
    field: fc.constant(field),
    operator,
    value: typed[field] as fc.Arbitrary<Scalar>,
  }),
)
const listed = fc.constantFrom(...fields).chain((field) =>
  fc.record({
    kind: fc.constant('in' as const),
    field: fc.constant(field),
    values: fc.array(typed[field] as fc.Arbitrary<Scalar>, { maxLength: 4 }),
  }),
)
const part = fc.record({
  kind: fc.constantFrom('contains' as const, 'startsWith' as const),
  field: fc.constantFrom('title', 'note', 'id'),
  text,
})
const tagged = fc.record({ kind: fc.constant('has' as const), field: fc.constant('tags'), item: fc.option(text) })
const nulled = fc.record({
  kind: fc.constant('null' as const),
  field: fc.constantFrom(...fields),
  isNull: fc.boolean(),
})
const search = fc
  .array(text, { minLength: 1, maxLength: 3 })
  .map((some) => parseSearch(some.join(' ')))
  .filter((some) => some.length > 0)
  .map((some): Condition => ({ kind: 'search', words: some }))
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 4, arbitrary: compared },
  { weight: 2, arbitrary: listed },
  { weight: 3, arbitrary: part },
  tagged,
  nulled,
  { weight: 2, arbitrary: search },
  fc.constantFrom(always, never),
)
const related: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('related' as const),
  field: fc.constantFrom('shelfId', 'spareId'),
  resource: fc.constant('shelf'),
  where: fc.constantFrom<Condition>(always, { kind: 'compare', field: 'label', operator: 'eq', value: 'straße' }),
})
export const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: related },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), of: tie('condition') }) },
  ),
}))
export const sorting = fc
  .uniqueArray(fc.constantFrom('title', 'note', 'rank', 'lent', 'seenAt', 'shelfId'), { maxLength: 3 })
  .chain((names) => fc.tuple(fc.constant([...names, 'id']), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })))
  .map(([names, down]) => names.map((field, i): SortKey => ({ field, descending: down[i] as boolean })))
