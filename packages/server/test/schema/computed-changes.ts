/** Schema changes of computed fields: new ones, other functions, and other values to read. */
import { computed, integer, money, text } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import type { SchemaChange } from './changes.ts'

type Things = { readonly thing: (fields: Fields) => DeclaredResource; readonly plain: Fields }

export function computedChanges({ thing, plain }: Things): readonly SchemaChange[] {
  const twice = computed(integer(), ({ count }) => count * 2)
  const count = (n: number) => ({ count: n })
  return [
    {
      what: 'a field is computed from now on',
      before: [thing({ ...plain, count: integer() })],
      after: [
        thing({
          ...{ ...plain, count: integer(), twice },
          label: computed(text(), ({ twice: both }) => (both > 6 ? `T ${both}` : null)),
        }),
      ],
      stored: count,
      becomes: (n) => ({ twice: n * 2, label: n > 3 ? `T ${n * 2}` : null }),
    },
    {
      what: 'another function computes, and another type',
      before: [thing({ ...plain, count: integer(), twice, label: computed(integer(), () => 1) })],
      after: [
        thing({
          ...{ ...plain, count: integer(), twice: computed(integer(), (one) => one.count * 2 + 1) },
          label: computed(text(), (one) => `T ${one.twice}`),
        }),
      ],
      stored: (n) => ({ count: n, twice: n * 2, label: 1 }),
      becomes: (n) => ({ twice: n * 2 + 1, label: `T ${n * 2 + 1}` }),
    },
    {
      what: 'a value is converted that a computed field reads',
      before: [thing({ ...plain, count: integer(), twice })],
      after: [thing({ ...plain, count: money({ convert: (value) => value * 100 }), twice })],
      stored: (n) => ({ count: n, twice: n * 2 }),
      becomes: (n) => ({ count: n * 100, twice: n * 200 }),
    },
    {
      what: 'a computed field is given from now on',
      before: [thing({ ...plain, count: integer(), twice })],
      after: [thing({ ...plain, count: integer(), twice: integer() })],
      stored: (n) => ({ count: n, twice: n * 2 }),
      becomes: (n) => ({ twice: n * 2 }),
    },
    {
      what: 'a field whose values callers gave is computed from now on',
      before: [thing({ ...plain, count: integer() })],
      after: [thing({ ...plain, note: computed(text(), (one) => `N ${one.count}`), count: integer() })],
      stored: count,
      allowed: ['thing.note'],
      becomes: (n) => ({ note: `N ${n}` }),
    },
  ]
}
