/**
 * Fills any database for `expanded.ts` with products, customers and orders of two items each,
 * through the engine's own writes.
 */
import { resources } from '../apps/shop/resources/index.ts'
import { timestampOf } from '../packages/server/src/base/clock.ts'
import { readConfig } from '../packages/server/src/config.ts'
import { openEngine } from '../packages/server/src/service/open-engine.ts'
import { serviceAuthor } from '../packages/server/src/storage/changes.ts'
import { makeProducts } from './data.ts'
import { adminEmail, benchPassword, readerEmail } from './fill.ts'

const batch = 2000
const start = Date.parse('2026-01-01T00:00:00Z')
const productCount = 5000
const customerCount = 1000
const states = ['PENDING', 'PAID', 'SHIPPED', 'DELIVERED', 'CANCELLED']

function emailOf(customer: number): string {
  if (customer === 0) return readerEmail
  return customer === customerCount ? adminEmail : `customer${customer}@bench.example`
}

type Values = Record<string, unknown>

/** `env` names the database, as for a service. */
export async function fillOrders(orders: number, env: Readonly<Record<string, string>>): Promise<void> {
  const engine = await openEngine(readConfig(env), resources, { making: 'fresh' })
  const make = async (name: string, count: number, row: (index: number) => Values): Promise<string[]> => {
    const resource = engine.catalog.get(name)
    const ids = Array.from({ length: count }, () => engine.makeId())
    for (let from = 0; from < count; from += batch) {
      await engine.records.transaction({ ...serviceAuthor, role: 'ADMIN' }, async (tx) => {
        const records = []
        for (const [i, id] of ids.slice(from, from + batch).entries())
          records.push(await tx.prepare(resource, { id, ...row(from + i) }))
        await tx.insertAll(records)
      })
    }
    return ids
  }
  const at = (i: number) => timestampOf(start + i * 1000)
  try {
    const password = await engine.identity.hashPassword(benchPassword)
    const customers = await make('user', customerCount + 1, (i) => ({
      email: emailOf(i),
      name: `Customer ${i}`,
      password,
      role: i === customerCount ? 'ADMIN' : 'USER',
      status: 'ACTIVE',
      createdAt: at(i),
      updatedAt: at(i),
    }))
    const product = makeProducts()
    const products = await make('product', productCount, (i) => ({ ...product(i), createdAt: at(i), updatedAt: at(i) }))
    const priceOf = (i: number) => product(i % productCount).price
    const ids = await make('order', orders, (i) => {
      const total = priceOf(i * 7) + 2 * priceOf(i * 13 + 1)
      return {
        userId: customers[(i * 31) % customerCount],
        status: states[i % states.length],
        currency: 'USD',
        subtotal: total,
        total,
        itemCount: 3,
        placedAt: at(i),
        updatedAt: at(i),
      }
    })
    await make('orderItem', orders * 2, (i) => {
      const order = i >> 1
      const [bought, quantity] = i % 2 === 0 ? [order * 7, 1] : [order * 13 + 1, 2]
      const price = priceOf(bought)
      return {
        orderId: ids[order],
        productId: products[bought % productCount],
        productName: product(bought % productCount).name,
        unitPrice: price,
        quantity,
        stockTaken: quantity,
        lineTotal: price * quantity,
      }
    })
  } finally {
    await engine.storage.close()
  }
}
