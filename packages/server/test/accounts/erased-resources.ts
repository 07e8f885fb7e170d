/** Resources of the tests of erasures: letters of a person have copies in every place. */
import {
  accounts,
  changed,
  computed,
  type Declared,
  defineMail,
  defineResource,
  id,
  integerId,
  json,
  manyToMany,
  reference,
  text,
  user,
} from '../../src/index.ts'

export const marker = 'zanzibar-7731'
const open = { read: user, create: user, update: user, delete: user }
const list = { style: 'page' } as const
const people = accounts({ roles: ['USER', 'ADMIN'], operator: 'ADMIN', keys: true, factors: true, recovery: true })
const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text(), about: manyToMany('letter', { fields: { why: text() } }) },
  history: { keep: 3 },
  list,
  access: open,
})
const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: {
    id: integerId(),
    body: text({ maxLength: 200 }),
    writerId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    tags: manyToMany('tag'),
  },
  history: { keep: 9 },
  trash: { days: 30 },
  changes: true,
  effects: { post: { on: ['create', changed('body')], run: () => Promise.reject(new Error('no post today')) } },
  list,
  access: { ...open, restore: user },
})
const notice = defineMail({ name: 'plain', folder: '../mail/mails' })
/** It keeps the address of a person in a text of its own. */
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), of: text() },
  list,
  access: open,
  effects: {
    notify: {
      on: ['create'],
      async run({ record: { of }, mail, step }) {
        const told = await step('look up', () => ({ to: of ?? '' }))
        await mail(notice, { to: told.to })
        throw new Error('no answer')
      },
    },
  },
})

/** Records that stay without a person: orders about two people, and visits that keep the id. */
const orders = defineResource({
  name: 'order',
  path: '/orders',
  fields: {
    id: id(),
    buyerId: reference('user', { onDelete: 'clear' }),
    sellerId: reference('user', { onDelete: 'clear' }),
    buyerName: text({ personal: 'buyerId', unique: true }),
    about: json({ personal: 'buyerId' }),
    sellerName: text({ personal: 'sellerId' }),
    item: text(),
    label: computed(text(), ({ buyerName, item }) => `${buyerName ?? 'gone'}: ${item}`),
  },
  history: { keep: 9 },
  trash: { days: 30 },
  changes: true,
  effects: { pack: { on: ['create', changed('buyerName')], run: () => Promise.reject(new Error('not today')) } },
  list: { style: 'page', search: ['buyerName'], sortable: ['item'] },
  access: { ...open, restore: user },
})
const visits = defineResource({
  name: 'visit',
  path: '/visits',
  fields: {
    id: integerId(),
    guestId: reference('user', { onDelete: 'keep' }),
    guestName: text({ personal: 'guestId' }),
    orderId: reference('order', { onDelete: 'clear' }),
    note: text({ personal: 'orderId' }),
    tags: manyToMany('tag'),
  },
  list,
  access: open,
})

export const erasedResources = [...people, tags, letters, notes, notice, orders, visits] as readonly Declared[]
