/**
 * The compiler knows the fields, operators and values of filters, orders, sums and groups, and the
 * type of what they return.
 */
import {
  anyone,
  bigint,
  boolean,
  choice,
  defineResource,
  id,
  integer,
  json,
  list,
  manyToMany,
  money,
  password,
  type RecordFilter,
  type Records,
  type RecordsForCaller,
  reference,
  type SystemRecords,
  text,
  timestamp,
  type UnboundedRecords,
} from '../../src/index.ts'

const fields = {
  id: id(),
  title: text({ required: true }),
  state: choice(['OPEN', 'LENT'], { required: true }),
  price: money(),
  copies: integer({ default: 0 }),
  serial: bigint({ required: true }),
  isNew: boolean(),
  lentAt: timestamp(),
  words: list(text()),
  extra: json(),
  shelfId: reference('shelf'),
  seller: reference('shop'),
  tags: manyToMany('tag'),
  pin: password(),
}
const books = defineResource({ name: 'book', path: '/books', fields, access: { list: anyone } })

declare const records: SystemRecords
declare const judged: RecordsForCaller
declare const everywhere: UnboundedRecords
declare function takes<T>(value: T): void

export async function reads(): Promise<void> {
  const own = records(books)
  const [first] = await own.find({
    filter: { state: { in: ['OPEN'] }, price: { gte: 1000 } },
    sort: '-price',
    limit: 3,
  })
  takes<string | undefined>(first?.title)
  const { records: page, next } = await own.page({ sort: ['title', '-copies'], after: null })
  takes<string | null>(next)
  takes<readonly { readonly title: string }[]>(page)
  for await (const { title } of own.each({ filter: { isNew: { eq: true } } })) takes<string>(title)
  takes<number>(await own.count())
  takes<number>(await own.sum('price', { filter: { title: { startsWith: 'a' } } }))
  takes<bigint>(await own.sum('serial'))
  const filter: RecordFilter<typeof fields> = {
    or: [{ words: { overlaps: ['a'] } }, { not: { lentAt: { null: true } } }],
    extra: { path: 'size.width', gt: 3 },
    shelf: { name: { eq: 'A' } },
    sellerRecord: { name: { eq: 'B' } },
    tags: { some: { name: { eq: 'c' } } },
    serial: { lt: 5n },
  }
  const groups = await own.groups({ by: ['state', 'shelf.name', 'lentAt.month'], sum: 'price', most: 'lentAt', filter })
  for (const { state, count, sum, most, ...rest } of groups) {
    takes<'OPEN' | 'LENT'>(state)
    takes<number>(count + sum.price)
    takes<string | null>(most.lentAt)
    takes<string | number | boolean | null>(rest['shelf.name'])
    // @ts-expect-error it was not asked for
    takes(rest.average)
    // @ts-expect-error there is a sum of the price alone
    takes(sum.serial)
  }
  takes<string | undefined>((await judged(books).find({ filter: { title: { eq: 'a' } } }))[0]?.title)
  takes<string>((await everywhere.within(books, 'a')(books).find())[0]?.title ?? '')
  takes<Records<typeof fields>>(everywhere(books))

  // @ts-expect-error there is no such field
  await own.find({ filter: { titel: { eq: 'a' } } })
  // @ts-expect-error there is no such state
  await own.count({ filter: { state: { eq: 'GONE' } } })
  // @ts-expect-error a number is no text
  await own.count({ filter: { price: { contains: 'a' } } })
  // @ts-expect-error its values are bigints
  await own.count({ filter: { serial: { gt: 5 } } })
  // @ts-expect-error a secret is no filter
  await own.count({ filter: { pin: { eq: 'a' } } })
  // @ts-expect-error a value stands below an operator
  await own.count({ filter: { title: 'a' } })
  // @ts-expect-error there is no such field
  await own.page({ sort: '-titel' })
  // @ts-expect-error links have no order
  await own.find({ sort: 'tags' })
  // @ts-expect-error the word is filter
  await own.count({ where: {} })
  // @ts-expect-error a text cannot be added
  await own.sum('title')
  // @ts-expect-error there is no such field
  await own.groups({ by: 'titel' })
  // @ts-expect-error a text cannot be added
  await own.groups({ by: 'state', sum: ['title'] })
  // @ts-expect-error the caller may not read it, perhaps
  takes<string>((await judged(books).find())[0]?.title)
}

declare function inTenant(records: SystemRecords): void
declare function aboveTenants(records: UnboundedRecords): void

export function bounds(): void {
  inTenant(records)
  inTenant(everywhere.within(books, 'a'))
  aboveTenants(records.system)
  // @ts-expect-error these are above all tenants
  inTenant(everywhere)
  // @ts-expect-error these are bound to one
  aboveTenants(records)
}
