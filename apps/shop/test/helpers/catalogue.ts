/**
 * For list tests: imports products in bulk through the machine route, and reads lists to their end.
 */
import assert from 'node:assert/strict'
import type { TestResponse, TestService } from './service.ts'

export type Product = {
  id: string
  name: string
  description: string | null
  category: string | null
  inStock: boolean
  stock: number | null
  price: number
  createdAt: string
  updatedAt: string
}

export type Listed = Readonly<Record<string, string | number | boolean | null>>

/**
 * Imports these bodies with the key of a new EDITOR, and returns the products in the order of their
 * ids.
 */
export async function importProducts({ ask, person, key }: TestService, bodies: readonly object[]): Promise<Product[]> {
  const machine = await key(await person('EDITOR'))
  const raw = bodies.map((body) => JSON.stringify(body)).join('\n')
  const reply = await ask('POST', '/api/v1/products/import', { raw, type: 'application/x-ndjson', key: machine })
  assert.deepEqual(
    reply.body,
    { created: bodies.length, updated: 0, rejected: 0, errors: [] },
    reply.text.slice(0, 500),
  )
  const all = await ask('GET', '/api/v1/products/export?sort=id', { key: machine })
  return all.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Product)
}

/** `{ a: 'x y' }` → `?a=x%20y` */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Reads every record of a list by numbered pages, and the total that the pages reported. */
export async function readPages(
  get: (query: string) => Promise<TestResponse>,
  query: Readonly<Record<string, string>>,
): Promise<{ records: Listed[]; total: number }> {
  const records: Listed[] = []
  for (let page = 1; ; page += 1) {
    const reply = await get(queryOf({ ...query, page: String(page) }))
    assert.equal(reply.status, 200, reply.text)
    records.push(...reply.body.data)
    if (!reply.body.meta.hasNextPage) return { records, total: reply.body.meta.total }
  }
}

/** Reads every record of a list by cursor. */
export async function readByCursor(
  get: (query: string) => Promise<TestResponse>,
  query: Readonly<Record<string, string>>,
): Promise<Listed[]> {
  const records: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply: TestResponse = await get(queryOf({ ...query, cursor }))
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(Object.keys(reply.body.meta).toSorted(), ['limit', 'nextCursor'])
    records.push(...reply.body.data)
    cursor = reply.body.meta.nextCursor
    assert.ok(records.length <= 5000, 'the walk ends')
  }
  return records
}
