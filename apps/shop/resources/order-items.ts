/** A line of an order, with the product's name and price at checkout. */
import { anyOf, defineResource, id, integer, money, owner, reference, role, text, through } from 'bindery-server'

const visible = through('orderId', anyOf([owner('userId'), role('EDITOR')]))

export const orderItems = defineResource({
  name: 'orderItem',
  description: "A line of an order, with the product's name and price at checkout.",
  fields: {
    id: id(),
    orderId: reference('order', { setBy: 'parent', onDelete: 'delete' }),
    productId: reference('product', {
      readOnly: true,
      onDelete: 'clear',
      description: 'The product that was bought; null when there is none any more.',
    }),
    productName: text({
      required: true,
      readOnly: true,
      description: 'What it was called then.',
      example: 'Desk lamp',
    }),
    unitPrice: money({ required: true, readOnly: true, description: 'The price of one, then.', example: 19.99 }),
    quantity: integer({ required: true, readOnly: true, description: 'How many of it.', example: 2 }),
    /**
     * The count that checkout took from tracked stock; a cancellation returns it. Null in orders
     * from before the field existed.
     */
    stockTaken: integer({ readOnly: true, hidden: true }),
    lineTotal: money({ required: true, readOnly: true, description: 'The price of all of them.', example: 39.98 }),
  },
  list: { style: 'page', sortable: ['id', 'productName', 'unitPrice', 'quantity', 'lineTotal'], defaultSort: 'id' },
  access: { list: visible, get: visible },
})
