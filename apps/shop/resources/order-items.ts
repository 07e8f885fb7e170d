/** A line of an order, with the product's name and price at checkout. */
import { defineResource, either, id, integer, money, owner, reference, role, text, through } from 'bindery-server'

const visible = through('orderId', either([owner('userId'), role('EDITOR')]))

export const orderItems = defineResource({
  name: 'orderItem',
  fields: {
    id: id(),
    orderId: reference('order', { setBy: 'parent', onDelete: 'delete' }),
    productId: reference('product', { readOnly: true, onDelete: 'clear' }),
    productName: text({ required: true, readOnly: true }),
    unitPrice: money({ required: true, readOnly: true }),
    quantity: integer({ required: true, readOnly: true }),
    /** What the checkout took from tracked stock: a cancellation returns that. Null in orders from before it was remembered. */
    stockTaken: integer({ readOnly: true, hidden: true }),
    lineTotal: money({ required: true, readOnly: true }),
  },
  list: { style: 'page', sortable: ['id', 'productName', 'unitPrice', 'quantity', 'lineTotal'], defaultSort: 'id' },
  access: { list: visible, get: visible },
})
