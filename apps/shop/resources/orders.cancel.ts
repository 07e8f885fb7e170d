/** Cancelling an order returns the tracked stock of its products. */
import { defineAction } from 'bindery-server'
import { orderItems } from './order-items.ts'
import { products } from './products.ts'

export const returnStock = defineAction({
  summary: 'Cancel an order; tracked stock returns.',
  async run({ record: order, records }) {
    const lines = await records(orderItems).list({ orderId: order.id as string })
    for (const line of lines.toSorted((a, b) => ((a.productId ?? '') < (b.productId ?? '') ? -1 : 1))) {
      if (line.productId === null) continue // the product was deleted, and its stock with it
      const product = await records(products).get(line.productId)
      if (product.stock !== null) await records(products).update(product.id, { stock: product.stock + line.quantity })
    }
  },
})
