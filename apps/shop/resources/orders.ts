/** Orders, made by checkout and moved from state to state. */
import {
  anyOf,
  defineResource,
  embedded,
  id,
  integer,
  money,
  owner,
  reference,
  role,
  state,
  text,
  timestamp,
} from 'bindery-server'
import { orderItems } from './order-items.ts'
import { products } from './products.ts'

/** The most that an `integer()` holds. */
const countMax = 2 ** 31 - 1

const visible = anyOf([owner('userId'), role('EDITOR')])

export const orders = defineResource({
  name: 'order',
  description: 'What a user has bought. Checkout makes it, and it moves from state to state.',
  path: '/orders',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'clear' }),
    status: state(['PENDING', 'PAID', 'SHIPPED', 'DELIVERED', 'CANCELLED'], {
      default: 'PENDING',
      description: 'How far it is. A PENDING or PAID order can still be cancelled.',
      readOnly: true,
      transitions: {
        pay: { description: 'The money has come.', from: ['PENDING'], to: 'PAID' },
        ship: { description: 'The parcel has left.', from: ['PAID'], to: 'SHIPPED' },
        deliver: { description: 'The parcel has come.', from: ['SHIPPED'], to: 'DELIVERED' },
        cancel: { from: ['PENDING', 'PAID'], to: 'CANCELLED', stamp: 'cancelledAt' },
      },
      // After `PENDING_TIMEOUT` an unpaid order is cancelled, and its stock can be sold again.
      expires: {
        transition: 'cancel',
        from: ['PENDING'],
        since: 'placedAt',
        after: ({ pendingSeconds }) => pendingSeconds,
      },
    }),
    currency: text({
      required: true,
      readOnly: true,
      maxLength: 3,
      description: 'The currency of every amount, by ISO 4217.',
      example: 'USD',
    }),
    items: embedded('orderItem', 'orderId', { description: 'What was bought, with the prices of that day.' }),
    subtotal: money({ required: true, readOnly: true, description: 'What its items cost together.', example: 39.98 }),
    total: money({ required: true, readOnly: true, description: 'What there is to pay.', example: 39.98 }),
    itemCount: integer({ required: true, readOnly: true, description: 'How many pieces were bought.', example: 2 }),
    placedAt: timestamp({ setOn: 'create' }),
    cancelledAt: timestamp({ setOn: 'transition', description: 'When it was cancelled; null unless it was.' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: {
    style: 'page',
    sortable: ['id', 'status', 'subtotal', 'total', 'itemCount', 'placedAt', 'updatedAt'],
    defaultSort: '-placedAt',
  },
  access: {
    list: role('EDITOR'),
    get: visible,
    pay: role('EDITOR'),
    ship: role('EDITOR'),
    deliver: role('EDITOR'),
    cancel: anyOf([owner('userId'), role('ADMIN')]),
  },
  actions: {
    cancel: {
      summary: 'Cancel an order; tracked stock returns.',
      async run({ record: order, records, refuse }) {
        const lines = await records(orderItems).list({ orderId: order.id })
        for (const line of lines.toSorted((a, b) => ((a.productId ?? '') < (b.productId ?? '') ? -1 : 1))) {
          if (line.productId === null) continue // the product was deleted, and its stock with it
          const product = await records(products).get(line.productId)
          const taken = line.stockTaken ?? line.quantity
          if (product.stock === null || taken === 0) continue
          if (product.stock + taken > countMax) refuse(`${product.name} would have more in stock than can be counted`)
          await records(products).update(product.id, { stock: product.stock + taken })
        }
      },
    },
  },
  children: { items: { resource: 'orderItem', by: 'orderId', operations: ['list', 'get'] } },
})
