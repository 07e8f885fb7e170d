/** Resources with counted fields of each kind, and a real count of what the fields should have. */
import {
  anyone,
  bigint,
  boolean,
  count,
  decimal,
  defineAction,
  defineResource,
  equals,
  id,
  integer,
  latest,
  money,
  reference,
  sum,
  text,
  timestamp,
} from '../../src/index.ts'
import type { Engine } from '../../src/perform/engine.ts'
import { always } from '../../src/resource/condition.ts'
import type { Row } from '../../src/storage/storage.ts'

const everything = {
  list: anyone,
  get: anyone,
  create: anyone,
  replace: anyone,
  update: anyone,
  delete: anyone,
  import: anyone,
  restore: anyone,
  purge: anyone,
} as const

export const readers = defineResource({
  name: 'reader',
  changes: true,
  path: '/readers',
  fields: {
    id: id(),
    label: text({ required: true }),
    loans: count('loans'),
    openLoans: count('loans', { where: { returned: false } }),
    fees: sum('loans', 'fee', { where: { returned: true } }),
    days: sum('loans', 'days'),
    weight: sum('loans', 'weight', { where: { title: { ne: 'lost' } } }),
    far: sum('loans', 'far'),
    lastTaken: latest('loans', 'takenAt', { where: { title: { ne: 'lost' } } }),
    advised: count('advice'),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: {
    style: 'page',
    sortable: ['loans', 'openLoans', 'fees', 'weight', 'far', 'lastTaken', 'label'],
    filterable: ['loans', 'openLoans', 'weight', 'far', 'lastTaken'],
    defaultSort: 'label',
    bulk: true,
  },
  trash: { days: 30 },
  history: { keep: 5, days: 30 },
  children: { loans: { resource: 'loan', by: 'readerId' }, advice: { resource: 'loan', by: 'adviserId' } },
  access: { ...everything, export: anyone },
  graphql: { query: { reader: 'get', readers: 'list' } },
})

const loanFields = {
  id: id(),
  readerId: reference('reader', { onDelete: { deleteWhere: { title: 'lost' } } }),
  adviserId: reference('reader', { onDelete: 'clear' }),
  title: text({ required: true }),
  returned: boolean({ default: false }),
  fee: money(),
  days: integer(),
  weight: decimal({ precision: 18, scale: 3 }),
  far: bigint(),
  takenAt: timestamp(),
}
export const loans = defineResource({
  name: 'loan',
  changes: true,
  path: '/loans',
  fields: loanFields,
  list: { style: 'page', filters: { readerId: equals('readerId'), title: equals('title') }, bulk: true },
  trash: { days: 30 },
  access: { ...everything, twice: anyone },
  actions: {
    twice: defineAction(loanFields, {
      async run({ record, records }) {
        await records(loans).create({ readerId: record.readerId, title: 'copy', fee: 700, returned: true })
        await records(loans).update(record.id, { returned: true })
        return record.id
      },
    }),
  },
})

export const countedNames = ['loans', 'openLoans', 'fees', 'days', 'weight', 'far', 'lastTaken', 'advised'] as const

type Counts = ReadonlyMap<unknown, Readonly<Record<string, unknown>>>

const longOf = (value: unknown) => (value as bigint | null) ?? 0n

function realCounts(reader: Row, stored: readonly Row[]): Readonly<Record<string, unknown>> {
  const mine = stored.filter(({ readerId }) => readerId === reader.id)
  const times = mine.filter(({ title }) => title !== 'lost').map(({ takenAt }) => takenAt as string | null)
  return {
    loans: mine.length,
    openLoans: mine.filter(({ returned }) => !returned).length,
    fees: mine.reduce((total, { returned, fee }) => total + (returned ? ((fee as number | null) ?? 0) : 0), 0),
    days: mine.reduce((total, { days }) => total + ((days as number | null) ?? 0), 0),
    weight: mine.reduce((total, { title, weight }) => total + (title === 'lost' ? 0n : longOf(weight)), 0n),
    far: mine.reduce((total, { far }) => total + longOf(far), 0n),
    lastTaken:
      times
        .filter((one) => one !== null)
        .sort()
        .at(-1) ?? null,
    advised: stored.filter(({ adviserId }) => adviserId === reader.id).length,
  }
}

/** By reader: the counts that are kept, and those of the stored loans. */
export async function countsIn({
  storage,
  catalog,
}: Engine): Promise<{ readonly kept: Counts; readonly real: Counts }> {
  const all = { where: always, sort: [], limit: 1_000_000 }
  const stored = await storage.list(catalog.get('loan'), all)
  const rows = await storage.list(catalog.get('reader'), all)
  const keptIn = (row: Row) => Object.fromEntries(countedNames.map((name) => [name, row[name]]))
  return {
    kept: new Map(rows.map((row) => [row.id, keptIn(row)])),
    real: new Map(rows.map((row) => [row.id, realCounts(row, stored)])),
  }
}
