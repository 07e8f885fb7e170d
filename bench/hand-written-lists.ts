/**
 * The hand-written product queries: filters to SQL, a count and a page with OFFSET, and rows to
 * records.
 */
import type { SQLInputValue, StatementSync } from 'node:sqlite'

export type Prepare = (sql: string) => StatementSync

type Query = {
  readonly page: number
  readonly limit: number
  readonly sort?: string
  readonly category?: string
  readonly inStock?: boolean
  readonly minPrice?: number
  readonly maxPrice?: number
  readonly q?: string
}

const columns: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name',
  category: 'category',
  stock: 'stock',
  price: 'price',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
}

const recordOf = (row: Record<string, unknown>) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  category: row.category,
  inStock: row.in_stock === 1,
  stock: row.stock,
  price: (row.price as number) / 100,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** `-price,name` → `price DESC, name ASC, id ASC`. The id makes the order total. */
function orderOf(sort = '-createdAt'): string {
  const keys = sort.split(',').map((part) => {
    const column = columns[part.replace('-', '')]
    if (column === undefined) throw Object.assign(new Error(`Cannot sort by ${part}`), { statusCode: 400 })
    return `${column} ${part.startsWith('-') ? 'DESC' : 'ASC'}`
  })
  return `${keys.join(', ')}, id ${keys.at(-1)?.endsWith('DESC') ? 'DESC' : 'ASC'}`
}

/** Each word must begin a word: `blue mug` → `"blue"* "mug"*`. */
const matchOf = (q: string) =>
  q
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(' ')

function whereOf({ category, inStock, minPrice, maxPrice, q }: Query): { where: string; values: SQLInputValue[] } {
  const parts: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: string, value: SQLInputValue) => {
    parts.push(condition)
    values.push(value)
  }
  if (category !== undefined) add('category = ?', category)
  if (inStock !== undefined) add('in_stock = ?', Number(inStock))
  if (minPrice !== undefined) add('price >= ?', Math.ceil(minPrice * 100 - 1e-6))
  if (maxPrice !== undefined) add('price <= ?', Math.floor(maxPrice * 100 + 1e-6))
  if (q) add('row IN (SELECT rowid FROM products_search WHERE products_search MATCH ?)', matchOf(q))
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values }
}

export function makeProductQueries(prepare: Prepare) {
  return {
    find(id: string) {
      const row = prepare('SELECT * FROM products WHERE id = ?').get(id)
      return row && recordOf(row)
    },
    list(query: Query) {
      const { page, limit } = query
      const { where, values } = whereOf(query)
      const counted = prepare(`SELECT COUNT(*) AS total FROM products ${where}`).get(...values) as { total: number }
      const rows = prepare(`SELECT * FROM products ${where} ORDER BY ${orderOf(query.sort)} LIMIT ? OFFSET ?`)
      const data = rows.all(...values, limit, (page - 1) * limit).map(recordOf)
      const { total } = counted
      const meta = {
        page,
        limit,
        total,
        totalPages: Math.ceil(total / limit),
        hasNextPage: page * limit < total,
        hasPrevPage: page > 1,
      }
      return { success: true, data, meta }
    },
  }
}

export type ProductQueries = ReturnType<typeof makeProductQueries>
