/** A member's one basket, created when it is first read. Its sums are derived from its lines. */
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
import { borrow } from './baskets.borrow.ts'

const owned = either([owner('memberId'), role('ADMIN')])

export const baskets = defineResource({
  name: 'basket',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'parent', onDelete: 'delete' }),
    lines: embedded('basketLine', 'basketId'),
    worth: derived(money(), ({ lines }) =>
      lines.reduce((sum: number, line: { lineWorth: number }) => sum + line.lineWorth, 0),
    ),
    count: derived(integer(), ({ lines }) =>
      lines.reduce((sum: number, line: { count: number }) => sum + line.count, 0),
    ),
    currency: derived(text(), (_basket, settings) => settings.currency),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  unique: [['memberId']],
  access: { get: owned, borrow: owned },
  children: { lines: { resource: 'basketLine', by: 'basketId' } },
  actions: { borrow },
})
