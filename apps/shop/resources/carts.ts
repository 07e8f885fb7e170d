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
import { checkout } from './carts.checkout.ts'

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
  actions: { checkout },
})
