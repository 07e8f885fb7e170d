/**
 * A user's one open cart. Prices are the products' current ones; checkout turns the cart into an
 * order and leaves it empty.
 */
import {
  anyOf,
  defineResource,
  derived,
  embedded,
  id,
  integer,
  money,
  owner,
  reference,
  role,
  text,
  timestamp,
} from 'bindery-server'
import { cartItems } from './cart-items.ts'
import { orderItems } from './order-items.ts'
import { orders } from './orders.ts'
import { products } from './products.ts'

const owned = anyOf([owner('userId'), role('ADMIN')])

const stored = {
  id: id(),
  userId: reference('user', { setBy: 'parent', onDelete: 'delete' }),
  items: embedded(cartItems, 'cartId', { description: 'What is in it, oldest first.' }),
}

export const carts = defineResource({
  name: 'cart',
  description:
    'The one open cart of a user. Prices are those of the products now; checkout makes an order of it and leaves it empty.',
  fields: {
    ...stored,
    subtotal: derived(
      money({ description: 'What its items cost together.' }),
      ({ items }) => items.reduce((sum, { lineTotal }) => sum + lineTotal, 0),
      { fields: stored },
    ),
    itemCount: derived(
      integer({ description: 'How many pieces are in it.' }),
      ({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0),
      { fields: stored },
    ),
    currency: derived(
      text({ description: 'The currency of every amount, by ISO 4217.', example: 'USD' }),
      (_cart, settings) => settings.currency,
    ),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  unique: [['userId']],
  access: { get: owned, checkout: owned },
  children: { items: { resource: 'cartItem', by: 'cartId' } },
  actions: {
    checkout: {
      summary: 'Make an order of the cart.',
      returns: 'order',
      creates: true,
      async run({ record: cart, records, settings, refuse }) {
        const lines = await records(cartItems).list({ cartId: cart.id })
        if (lines.length === 0) refuse('The cart is empty')

        const bought = []
        // In the order of product ids, so that two checkouts of the same products cannot deadlock.
        for (const line of lines.toSorted((a, b) => (a.productId < b.productId ? -1 : 1))) {
          const product = await records(products).get(line.productId)
          if (!product.inStock) refuse(`${product.name} is not in stock`)
          if (product.stock !== null) {
            if (product.stock < line.quantity) refuse(`Only ${product.stock} of ${product.name} in stock`)
            await records(products).update(product.id, { stock: product.stock - line.quantity })
          }
          bought.push({ product, quantity: line.quantity })
        }

        const subtotal = bought.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0)
        if (!Number.isSafeInteger(subtotal)) refuse('The total is too large to be exact')
        const itemCount = bought.reduce((sum, { quantity }) => sum + quantity, 0)
        const order = await records(orders).create({
          userId: cart.userId,
          currency: settings.currency,
          subtotal,
          total: subtotal,
          itemCount,
        })
        for (const { product, quantity } of bought) {
          await records(orderItems).create({
            orderId: order.id,
            productId: product.id,
            productName: product.name,
            unitPrice: product.price,
            quantity,
            stockTaken: product.stock === null ? 0 : quantity,
            lineTotal: product.price * quantity,
          })
        }
        await records(cartItems).deleteWhere({ cartId: cart.id })
        return order.id
      },
    },
  },
})
