/**
 * The workloads of reads: each a list of requests, the same in every run, that all contestants get.
 */
import type { Facts } from './facts.ts'
import { makeRandom, type Random } from './random.ts'

/**
 * A request before it has a server: `query` apart, so that contestants with another query language
 * can translate it.
 */
export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly credential?: 'token' | 'key'
}

export type Workload = {
  readonly name: string
  readonly title: string
  readonly asks: (facts: Facts) => Ask[]
  /** Writes at the same time, 50 a second. */
  readonly writes?: (facts: Facts) => Ask[]
}

const products = '/api/v1/products'
const many = (count: number, make: (random: Random, index: number) => Ask, seed = 1): Ask[] => {
  const random = makeRandom(seed)
  return Array.from({ length: count }, (_, i) => make(random, i))
}
const list = (query: Record<string, string>): Ask => ({ path: products, query })

/** Which filters a list has: a category or none, in stock or not or either. */
function filterOf(random: Random, { categories }: Facts): Record<string, string> {
  const category = random.pick(['', ...categories])
  const inStock = random.pick(['', 'true', 'false'])
  return { ...(category && { category }), ...(inStock && { inStock }) }
}

export function variedList(random: Random, facts: Facts): Ask {
  const sort = random.pick(['price', '-price', 'name', '-name', 'createdAt', '-createdAt'])
  return list({ ...filterOf(random, facts), sort, page: String(1 + random.below(50)), limit: '20' })
}

/** From 2 to 50 % of the products, anywhere. */
export function priceRange(random: Random, { prices }: Facts): Ask {
  const width = 0.02 + random.next() * 0.48
  const from = random.next() * (1 - width)
  const at = (share: number) => ((prices[Math.floor(share * prices.length)] ?? 0) / 100).toFixed(2)
  return list({ minPrice: at(from), maxPrice: at(from + width), limit: '20' })
}

export const graphqlQuery = '{ products(limit: 20) { data { id name price } meta { total } } }'

export function randomWrite(random: Random, { ids, categories }: Facts): Ask {
  const price = random.below(30_000) / 100
  if (random.next() < 0.5)
    return { method: 'PATCH', path: `${products}/${random.pick(ids)}`, body: { price }, credential: 'key' }
  return { ...create(random, categories), credential: 'key' }
}

export function create(random: Random, categories: readonly string[]): Ask {
  const number = random.below(1_000_000)
  const body = {
    name: `Travelling Case, No. ${number}`,
    description: `A case for number ${number} that closes well and is light to carry.`,
    category: random.pick(categories),
    price: random.below(30_000) / 100,
    stock: random.below(200),
  }
  return { method: 'POST', path: products, body, credential: 'key' }
}

const varied = (facts: Facts) => many(20_000, (random) => variedList(random, facts))

export const workloads: readonly Workload[] = [
  { name: 'record', title: 'record by id, one', asks: ({ ids }) => [{ path: `${products}/${ids[0]}` }] },
  { name: 'records', title: 'record by id, any', asks: ({ ids }) => ids.map((id) => ({ path: `${products}/${id}` })) },
  {
    name: 'fixed',
    title: 'fixed list: filter, sort, exact total',
    asks: ({ categories }) => [
      list({ category: categories[0] as string, inStock: 'true', sort: '-price', limit: '20' }),
    ],
  },
  { name: 'varied', title: 'varied lists: filters, sorts, pages 1 to 50', asks: varied },
  {
    name: 'ranges',
    title: 'price ranges, default sort',
    asks: (facts) => many(5000, (random) => priceRange(random, facts), 2),
  },
  {
    name: 'search',
    title: 'search of a word',
    asks: ({ words }) => many(5000, (random) => list({ q: random.pick(words), limit: '20' }), 3),
  },
  {
    name: 'deep',
    title: 'deep page: the last hundred',
    asks: ({ counts }) => {
      const last = Math.ceil(counts.products / 20)
      return many(1000, (random) => list({ page: String(Math.max(1, last - random.below(100))), limit: '20' }), 4)
    },
  },
  {
    name: 'graphql',
    title: 'GraphQL list of 20, three fields',
    asks: () => [{ method: 'POST', path: '/graphql', body: { query: graphqlQuery } }],
  },
  {
    name: 'messages',
    title: 'messages by cursor, bearer token',
    asks: ({ cursors }) =>
      ['', ...cursors].map((cursor) => ({
        path: '/messages',
        query: { limit: '20', ...(cursor && { cursor }) },
        credential: 'token' as const,
      })),
  },
  {
    name: 'books',
    title: '`/books?author=`, part of a name',
    asks: (facts) => many(5000, (random) => ({ path: '/books', query: { author: random.pick(facts.surnames) } }), 5),
  },
  {
    name: 'writes',
    title: 'varied lists under 50 writes a second',
    asks: varied,
    writes: (facts) => many(5000, (random) => randomWrite(random, facts), 6),
  },
]
