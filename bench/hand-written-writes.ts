/**
 * The hand-written writes: one transaction for each request, and one for every thousand lines of an
 * import.
 */
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Readable } from 'node:stream'
import type { Prepare } from './hand-written-lists.ts'

type Body = {
  readonly name: string
  readonly description?: string
  readonly category?: string
  readonly price: number
  readonly stock?: number | null
  readonly inStock?: boolean
}

const insert = `INSERT INTO products (id, name, description, category, in_stock, stock, price, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const columns = { name: 'name', description: 'description', category: 'category', stock: 'stock' } as const

const inStockOf = ({ stock, inStock }: Partial<Body>) =>
  Number(stock === undefined || stock === null ? (inStock ?? true) : stock > 0)

export function makeWrites(prepare: Prepare) {
  return {
    create(body: Body): string {
      const { name, description = null, category = null, stock = null, price } = body
      const now = new Date().toISOString()
      const id = randomUUID()
      prepare(insert).run(id, name, description, category, inStockOf(body), stock, Math.round(price * 100), now, now)
      return id
    },
    /** Whether there is such a product. */
    update(id: string, body: Partial<Body>): boolean {
      const sets = ['updated_at = ?']
      const values: SQLInputValue[] = [new Date().toISOString()]
      const set = (column: string, value: SQLInputValue) => {
        sets.push(`${column} = ?`)
        values.push(value)
      }
      for (const [name, column] of Object.entries(columns)) {
        const value = body[name as keyof typeof columns]
        if (value !== undefined) set(column, value)
      }
      if (body.price !== undefined) set('price', Math.round(body.price * 100))
      if (body.stock !== undefined || body.inStock !== undefined) set('in_stock', inStockOf(body))
      return prepare(`UPDATE products SET ${sets.join(', ')} WHERE id = ?`).run(...values, id).changes > 0
    },
  }
}

export async function importLines(database: DatabaseSync, writes: ReturnType<typeof makeWrites>, body: Readable) {
  let created = 0
  let rejected = 0
  let lines: Body[] = []
  const store = () => {
    database.exec('BEGIN')
    for (const line of lines) writes.create(line)
    database.exec('COMMIT')
    created += lines.length
    lines = []
  }
  for await (const text of createInterface({ input: body })) {
    const line = JSON.parse(text) as Body
    if (typeof line.name === 'string' && line.name !== '' && line.price >= 0) lines.push(line)
    else rejected += 1
    if (lines.length === 1000) store()
  }
  store()
  return { created, updated: 0, rejected, errors: [] }
}
