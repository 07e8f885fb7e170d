/** A line of a cart. Adding a product that is already there adds to its quantity. */
import {
  anyOf,
  defineResource,
  derived,
  id,
  integer,
  lookup,
  money,
  owner,
  reference,
  role,
  through,
} from 'bindery-server'

const owned = through('cartId', anyOf([owner('userId'), role('ADMIN')]))

export const cartItems = defineResource({
  name: 'cartItem',
  description: 'A line of a cart. Adding a product that is already there adds to its quantity.',
  fields: {
    id: id(),
    cartId: reference('cart', { setBy: 'parent', onDelete: 'delete', touch: true, hidden: true }),
    productId: reference('product', {
      required: true,
      immutable: true,
      onDelete: 'delete',
      description: 'The product that is to be bought.',
    }),
    quantity: integer({ required: true, min: 1, max: 999, description: 'How many of it.', example: 2 }),
    unitPrice: lookup(money({ description: 'The price of one, now.' }), { via: 'productId', field: 'price' }),
    lineTotal: derived(
      money({ description: 'The price of all of them.', example: 39.98 }),
      ({ unitPrice, quantity }) => unitPrice * quantity,
    ),
  },
  unique: [['cartId', 'productId']],
  addOnCreate: ['quantity'],
  list: { style: 'page', sortable: ['id', 'quantity'], defaultSort: 'id' },
  access: { list: owned, get: owned, create: owned, update: owned, delete: owned },
})
