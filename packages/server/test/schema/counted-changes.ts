/** Schema changes of counted fields: new ones, other records counted, and former numbers. */
import { count, integer, latest, reference, sum, timestamp } from '../../src/index.ts'
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
      what: 'an integer becomes a count',
      before: [thing({ ...tree, below: integer() })],
      after: [thing({ ...tree, below: count('things') })],
      stored: (n) => ({ ...below(n), below: n % 2 === 0 ? n : null }),
      becomes: (n) => ({ below: n === 1 ? 2 : 0 }),
    },
  ]
}
