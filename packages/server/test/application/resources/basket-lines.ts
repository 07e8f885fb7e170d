/**
 * A line of a basket. Adding an edition that is already there adds to its count; each write also
 * raises the basket's version.
 */
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

const owned = through('basketId', anyOf([owner('memberId'), role('ADMIN')]))

export const basketLines = defineResource({
  name: 'basketLine',
  fields: {
    id: id(),
    basketId: reference('basket', { setBy: 'parent', onDelete: 'delete', touch: true }),
    editionId: reference('edition', { required: true, immutable: true, onDelete: 'delete' }),
    count: integer({ required: true, min: 1, max: 99 }),
    price: lookup(money(), { via: 'editionId', field: 'price' }),
    lineWorth: derived(money(), ({ price, count }) => price * count),
  },
  unique: [['basketId', 'editionId']],
  addOnCreate: ['count'],
  list: { style: 'page', sortable: ['id', 'count'], defaultSort: 'id' },
  access: { list: owned, get: owned, create: owned, update: owned, delete: owned },
})
