/**
 * Resources that refer to each other in every way, and one whose actions write the records that
 * their input names.
 */
import {
  anyone,
  boolean,
  choice,
  defineAction,
  defineResource,
  derived,
  id,
  integer,
  integerId,
  money,
  reference,
  text,
  timestamp,
} from '../../src/index.ts'

const open = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }

export const authors = defineResource({
  name: 'author',
  path: '/authors',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: open,
})

/** Drafts are deleted with their author; published articles stay. */
export const articles = defineResource({
  name: 'article',
  path: '/articles',
  fields: {
    id: id(),
    authorId: reference('author', { onDelete: { deleteWhere: { draft: true } } }),
    foundById: reference('author', { onDelete: 'keep' }),
    draft: boolean({ default: false }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page' },
  access: open,
})

export const comments = defineResource({
  name: 'comment',
  path: '/comments',
  fields: { id: id(), articleId: reference('article', { required: true, onDelete: 'delete' }) },
  list: { style: 'page' },
  access: open,
})

/** The `onWrite` of a remark runs again when its comment is deleted. */
export const remarks = defineResource({
  name: 'remark',
  path: '/remarks',
  fields: { id: id(), commentId: reference('comment'), isLoose: boolean({ default: false, readOnly: true }) },
  onWrite: { isLoose: (remark) => remark.commentId === null },
  list: { style: 'page' },
  access: open,
})

/** Twins that refer to each other are deleted together. */
export const twins = defineResource({
  name: 'twin',
  path: '/twins',
  fields: {
    id: id(),
    isBound: boolean({ default: true }),
    twinId: reference('twin', { onDelete: { deleteWhere: { isBound: true } } }),
  },
  list: { style: 'page' },
  access: open,
})

export const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), name: text(), updatedAt: timestamp({ setOn: 'write' }) },
  list: { style: 'page' },
  access: open,
})

export const parts = defineResource({
  name: 'part',
  path: '/parts',
  fields: {
    id: id(),
    boxId: reference('box', { required: true, onDelete: 'delete', touch: true }),
    authorId: reference('author', { onDelete: { deleteWhere: { isSpare: false } } }),
    isSpare: boolean({ default: false }),
  },
  list: { style: 'page' },
  access: open,
})

/** Each desk has one lamp, with an integer id. */
export const lamps = defineResource({
  name: 'lamp',
  fields: {
    id: integerId(),
    deskId: reference('desk', { setBy: 'parent', onDelete: 'delete', touch: true }),
    watts: integer({ default: 7 }),
    isBright: boolean({ default: false, readOnly: true }),
    label: derived(text(), ({ watts }) => `${watts} W`),
  },
  unique: [['deskId']],
  onWrite: { isBright: (lamp) => lamp.watts > 5 },
  access: { get: anyone, update: anyone },
})

const deskFields = {
  id: id(),
  label: text({ maxLength: 200 }),
  state: choice(['NEW', 'OLD'], { default: 'NEW' }),
  height: integer({ min: 1, max: 200, default: 72 }),
  price: money({ min: 0, default: 10 }),
  boughtAt: timestamp(),
  ownerId: reference('author'),
  updatedAt: timestamp({ setOn: 'write' }),
}

/** Creates or updates a desk with the stored values of its JSON input. */
const value = defineAction(deskFields, {
  input: { json: text({ required: true, maxLength: 20_000 }), name: text() },
  async run({ record, input, records }) {
    const values = JSON.parse(input.json)
    const { id } = record
    if (input.name === 'create') await records(desks).create(values)
    else await records(desks).update(id, values)
  },
})

const wipe = defineAction({
  input: { name: text({ required: true }) },
  async run({ input, records }) {
    await records(authors).deleteWhere({ name: input.name })
  },
})

const empty = defineAction({
  input: { boxId: text({ required: true }) },
  async run({ input, records }) {
    await records(parts).deleteWhere({ boxId: input.boxId })
  },
})

export const desks = defineResource({
  name: 'desk',
  path: '/desks',
  fields: deskFields,
  list: { style: 'page' },
  access: { ...open, value: anyone, wipe: anyone, empty: anyone },
  actions: { value, wipe, empty },
  children: { lamp: { resource: 'lamp', by: 'deskId', single: true } },
})

const gauges = defineResource({
  name: 'gauge',
  path: '/gauges',
  fields: { id: id(), label: text({ required: true }), level: text({ readOnly: true }) },
  onWrite: {
    level: ({ label }) => {
      if (label === 'none') throw new Error('no such level')
      return label
    },
  },
  list: { style: 'page' },
  access: open,
})

export const following = [authors, articles, comments, remarks, twins, boxes, parts, lamps, desks, gauges]
