/** Resources with files under rules of every kind, for the tests of files. */
import {
  accounts,
  anyone,
  defineAction,
  defineResource,
  file,
  files,
  id,
  image,
  owner,
  reference,
  role,
  state,
  text,
  timestamp,
  user,
} from '../../src/index.ts'

export const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'] })

const all = { list: user, get: user, create: user, replace: user, update: user, delete: user }

const thingFields = {
  id: id(),
  title: text({ maxLength: 80 }),
  photo: image({ maxBytes: '1 MB' }),
  manual: file({ types: ['application/pdf', 'text/plain'], maxBytes: '300 MB' }),
  papers: files({ types: ['application/pdf', 'text/*'], max: 3 }),
  secret: file({ read: role('EDITOR'), write: role('EDITOR') }),
  own: file({ read: owner('ownerId') }),
  ownerId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
  mood: state(['NEW', 'DONE'], { default: 'NEW', transitions: { finish: { from: ['NEW'], to: 'DONE' } } }),
  updatedAt: timestamp({ setOn: 'write' }),
}

export const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: thingFields,
  list: { style: 'page', bulk: true, filterable: ['photo', 'title'] },
  upsert: [],
  access: { ...all, import: role('ADMIN'), finish: user, borrow: user },
  actions: {
    borrow: defineAction(thingFields, {
      summary: 'Take a photo that is given',
      input: { photo: file({ required: true }) },
      run: async ({ record, records, input }) => {
        await records(things).update(record.id, { photo: input.photo })
      },
    }),
  },
})

export const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: {
    id: id(),
    title: text({ unique: true, maxLength: 80 }),
    label: file({ types: ['text/plain'] }),
  },
  list: { style: 'page' },
  upsert: ['title'],
  trash: { days: 30 },
  history: { keep: 3 },
  access: { ...all, purge: user, export: user },
  children: { leaves: { resource: 'sheet', by: 'boxId', inBody: true } },
})

export const sheets = defineResource({
  name: 'sheet',
  path: '/sheets',
  fields: {
    id: id(),
    boxId: reference('box', { required: true, onDelete: 'delete' }),
    scan: file({ types: ['text/plain'], required: true }),
  },
  list: { style: 'page' },
  access: all,
})

export const posters = defineResource({
  name: 'poster',
  path: '/posters',
  fields: {
    id: id(),
    picture: image({ variants: { thumb: { width: 8 } } }),
    leaflet: file({ types: ['text/*', 'image/svg+xml'] }),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: user, update: user, delete: user },
})

export const resources = [...people, things, boxes, sheets, posters]
