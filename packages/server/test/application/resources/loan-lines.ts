/** A line of a loan, with the edition's title and price when it was borrowed. */
import { anyOf, defineResource, id, integer, money, owner, reference, role, text, through } from 'bindery-server'

const visible = through('loanId', anyOf([owner('memberId'), role('EDITOR')]))

export const loanLines = defineResource({
  name: 'loanLine',
  fields: {
    id: id(),
    loanId: reference('loan', { setBy: 'parent', onDelete: 'delete' }),
    editionId: reference('edition', { readOnly: true, onDelete: 'clear' }),
    title: text({ required: true, readOnly: true }),
    price: money({ required: true, readOnly: true }),
    count: integer({ required: true, readOnly: true }),
  },
  list: { style: 'page', sortable: ['id', 'title', 'price', 'count'], defaultSort: 'id' },
  access: { list: visible, get: visible },
})
