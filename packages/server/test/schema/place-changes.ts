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
  const half = integer()
  const halves = (n: number) => ({ half: n % 2, size: 1000 - n })
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
      before: [thing({ ...plain, half, place: manualOrder() })],
      after: [thing({ ...plain, half, position: manualOrder({ within: 'half', renamedFrom: 'place' }) })],
      stored: (n) => ({ ...halves(n), place: keyAt(100 - n) }),
      becomes: (n) => ({ place: undefined, position: keyAt(Math.floor((12 - n) / 2) + 1) }),
    },
    {
      what: 'a number becomes an order',
      before: [thing({ ...plain, half, place: integer() })],
      after: [thing({ ...plain, half, place: manualOrder({ within: 'half' }) })],
      stored: (n) => ({ ...halves(n), place: n < 3 ? null : 10 - n }),
      becomes: (n) => ({ place: keyAt(n < 3 ? 6 : Math.floor((12 - n) / 2) + 1) }),
    },
  ]
}
