/** A user's one open cart. Prices are the products' current ones; checkout turns the cart into an order and leaves it empty. */
import {
  defineResource,
  derived,
  either,
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

const owned = either([owner('userId'), role('ADMIN')])

export const carts = defineResource({
  name: 'cart',
  fields: {
    id: id(),
    userId: reference('user', { setBy: 'parent', onDelete: 'delete' }),
    items: embedded('cartItem', 'cartId'),
    subtotal: derived(money(), ({ items }) =>
      items.reduce((sum: number, item: { lineTotal: number }) => sum + item.lineTotal, 0),
    ),
    itemCount: derived(integer(), ({ items }) =>
      items.reduce((sum: number, item: { quantity: number }) => sum + item.quantity, 0),
    ),
    currency: derived(text(), (_cart, settings) => settings.currency),
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
