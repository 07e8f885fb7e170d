/**
 * Input of the requests: ids, prices and cursors of existing rows, read from the hand-written
 * tables.
 */
import { DatabaseSync } from 'node:sqlite'
import { authorsOf, countsOf, makers, surnames } from './data.ts'
import { makeRandom } from './random.ts'

export type Facts = {
  readonly counts: ReturnType<typeof countsOf>
  /** Random products. */
  readonly ids: readonly string[]
  readonly categories: readonly string[]
  /** 1,000 prices, in cents and in order: a share of the table → the price below which it lies. */
  readonly prices: readonly number[]
  readonly words: readonly string[]
  readonly surnames: readonly string[]
  /** The ids after which the pages of 20 of the first reader's messages begin. */
  readonly cursors: readonly string[]
  /** Two users: the reader, and the one that receives messages. */
  readonly readerId: string
}

const idsMax = 20_000

export function readFacts(file: string, products: number): Facts {
  const database = new DatabaseSync(file, { readOnly: true })
  const all = (sql: string, ...values: (string | number)[]) =>
    database.prepare(sql).all(...values) as Record<string, string>[]
  const random = makeRandom(11)
  const one = database.prepare('SELECT id, price FROM products WHERE row = ?')
  const drawn = Array.from(
    { length: idsMax },
    () => one.get(1 + random.below(products)) as { id: string; price: number },
  )
  const readerId = all('SELECT id FROM users WHERE email = ?', 'reader0@bench.example')[0]?.id as string
  const own = all(
    'SELECT id FROM messages WHERE sender_id = ? OR recipient_id = ? ORDER BY id DESC',
    readerId,
    readerId,
  )
  const categories = all('SELECT DISTINCT category FROM products WHERE row <= 1000 ORDER BY category')
  database.close()
  const sorted = drawn.map(({ price }) => price).sort((a, b) => a - b)
  const counts = countsOf(products)
  return {
    counts,
    ids: drawn.map(({ id }) => id),
    categories: categories.map(({ category }) => category as string),
    prices: Array.from({ length: 1000 }, (_, i) => sorted[Math.floor((i / 1000) * sorted.length)] as number),
    words: makers.map((maker) => maker.toLowerCase()),
    surnames: surnames.slice(0, authorsOf(counts.books)).map((name) => name.toLowerCase()),
    cursors: own.filter((_, i) => i % 20 === 19).map(({ id }) => id as string),
    readerId,
  }
}
