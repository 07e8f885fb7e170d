/** Schema changes of manual orders: a new one, other records in one, and a former number. */
import { integer, manualOrder, timestamp } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import type { SchemaChange } from './changes.ts'

/** The key of a record that comes at this place, from 1, in an order without moves. */
const keyAt = (place: number) =>
  place === 1 ? '8' : `8${(place - 1).toString(16).padStart(9, '0')}`.replace(/0+$/, '')

type Things = { readonly thing: (fields: Fields) => DeclaredResource; readonly plain: Fields }

export function placeChanges({ thing, plain }: Things): readonly SchemaChange[] {
  const made = timestamp({ setOn: 'create' })
  /** Orders of two records each, whatever their number: the second one is first. */
  const pair = integer()
  const pairs = (n: number) => ({ pair: Math.ceil(n / 2), size: 1000 - n })
  const second = (n: number) => keyAt(n % 2 ? 2 : 1)
  return [
    {
      what: 'a new order, in that of creation',
      before: [thing({ ...plain, made })],
      after: [thing({ ...plain, made, place: manualOrder() })],
      // The second record of each pair was made before the first one.
      stored: (n) => ({ made: new Date(Date.UTC(2025, 0, 1) + (n % 2 ? n + 1 : n - 1) * 1000).toISOString() }),
      becomes: (n) => ({ place: keyAt(n % 2 ? n + 1 : n - 1) }),
    },
    {
      what: 'an order among other records keeps its order',
      before: [thing({ ...plain, pair, place: manualOrder() })],
      after: [thing({ ...plain, pair, position: manualOrder({ within: 'pair', renamedFrom: 'place' }) })],
      stored: (n) => ({ ...pairs(n), place: keyAt(1_000_000 - n) }),
      becomes: (n) => ({ place: undefined, position: second(n) }),
    },
    {
      what: 'a number becomes an order',
      before: [thing({ ...plain, pair, place: integer() })],
      after: [thing({ ...plain, pair, place: manualOrder({ within: 'pair' }) })],
      // A record without a number comes last.
      stored: (n) => ({ ...pairs(n), place: n % 2 && n % 3 === 0 ? null : -n }),
      becomes: (n) => ({ place: second(n) }),
    },
  ]
}
