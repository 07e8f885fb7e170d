/** Schema changes of counted fields: new ones, other records counted, and former numbers. */
import { bigint, computed, count, decimal, integer, latest, money, reference, sum, timestamp } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Fields } from '../../src/resource/fields/field.ts'
import { idOf } from '../storage/library.ts'
import type { SchemaChange } from './changes.ts'

/** The second and the third record stand below the first one. */
const below = (n: number) => ({ upId: n === 2 || n === 3 ? idOf(1) : null, made: new Date(n * 1000).toISOString() })
const countsOf = (where: object) => ({
  below: count('things', { where: where as never }),
  sizes: sum('things', 'size', { where: where as never }),
  lastMade: latest('things', 'made', { where: where as never }),
})
const counts = countsOf({ size: { gt: 0 } })
/** Those of the first record, where the records below it are counted from this one on. */
const counted = (from: number) => (n: number) =>
  n === 1
    ? { below: 4 - from, sizes: from === 2 ? 5 : 3, lastMade: new Date(3000).toISOString() }
    : { below: 0, sizes: 0, lastMade: null }

const price = decimal({ precision: 18, scale: 3 })
/** The size is the number of the record. */
const twice = (by: 2 | 3) =>
  by === 2 ? computed(integer(), ({ size }) => size * 2) : computed(integer(), ({ size }) => size * 3)
const bigOf = (least: number) => count('things', { where: { twice: { gte: least } } as never })

type Things = { readonly thing: (fields: Fields) => DeclaredResource; readonly plain: Fields }

export function countedChanges({ thing, plain }: Things): readonly SchemaChange[] {
  const tree = { ...plain, made: timestamp({ setOn: 'create' }), upId: reference('thing') }
  return [
    {
      what: 'records are counted, and their values',
      before: [thing(tree)],
      after: [thing({ ...tree, ...counts })],
      stored: below,
      becomes: counted(2),
    },
    {
      what: 'a counted field counts other records',
      before: [thing({ ...tree, ...counts })],
      after: [thing({ ...tree, ...countsOf({ size: { gt: 2 } }) })],
      stored: (n) => ({ ...below(n), below: 7, sizes: 7, lastMade: null }),
      becomes: counted(3),
    },
    {
      what: 'decimals and long numbers are summed',
      before: [thing({ ...tree, price, far: bigint() })],
      after: [thing({ ...tree, price, far: bigint(), prices: sum('things', 'price'), fars: sum('things', 'far') })],
      // No bigint holds 93 of these.
      stored: (n) => ({ ...below(n), price: 10n ** 17n, far: BigInt(n % 90) * 10n ** 17n }),
      becomes: (n) => (n === 1 ? { prices: 2n * 10n ** 17n, fars: 5n * 10n ** 17n } : { prices: 0n, fars: 0n }),
    },
    {
      what: 'amounts become decimals, and their sum too',
      before: [thing({ ...tree, cost: money(), costs: sum('things', 'cost') })],
      after: [thing({ ...tree, cost: price, costs: sum('things', 'cost') })],
      stored: (n) => ({ ...below(n), cost: n * 100, costs: n === 1 ? 500 : 0 }),
      becomes: (n) => ({ cost: BigInt(n) * 1000n, costs: n === 1 ? 5000n : 0n }),
    },
    {
      what: 'summed decimals take more places',
      before: [thing({ ...tree, price: decimal({ precision: 9, scale: 1 }), prices: sum('things', 'price') })],
      after: [thing({ ...tree, price, prices: sum('things', 'price') })],
      stored: (n) => ({ ...below(n), price: BigInt(n), prices: n === 1 ? 5n : 0n }),
      becomes: (n) => ({ price: BigInt(n) * 100n, prices: n === 1 ? 500n : 0n }),
    },
    {
      what: 'another function computes what is counted',
      before: [thing({ ...tree, twice: twice(2), both: sum('things', 'twice'), big: bigOf(4) })],
      after: [thing({ ...tree, twice: twice(3), both: sum('things', 'twice'), big: bigOf(6) })],
      stored: (n) => ({ ...below(n), twice: n * 2, both: n === 1 ? 10 : 0, big: n === 1 ? 2 : 0 }),
      becomes: (n) => ({ twice: n * 3, both: n === 1 ? 15 : 0, big: n === 1 ? 2 : 0 }),
    },
    {
      what: 'an integer becomes a count',
      before: [thing({ ...tree, below: integer() })],
      after: [thing({ ...tree, below: count('things') })],
      stored: (n) => ({ ...below(n), below: n % 2 === 0 ? n : null }),
      becomes: (n) => ({ below: n === 1 ? 2 : 0 }),
    },
  ]
}
