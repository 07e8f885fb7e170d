/**
 * The clubhouse as the proof needs it. Only members see a club, and two clubs may have one name.
 * Otherwise the declaration itself would tell of the other club. It has more doors, too: nested
 * paths, bulk writes and upserts.
 */
import {
  anyOf,
  anyone,
  boolean,
  defineResource,
  id,
  integer,
  member,
  reference,
  text,
  user,
  where,
} from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'

const changes: Readonly<Record<string, (one: DeclaredResource) => Partial<DeclaredResource>>> = {
  club: ({ access, children, fields }) => ({
    access: { ...access, read: member() },
    children: {
      ...children,
      teams: { resource: 'team', by: 'clubId' },
      notices: { resource: 'notice', by: 'clubId' },
    },
    fields: { ...fields, name: text({ required: true, maxLength: 100 }) },
    upsert: [],
  }),
  event: ({ list, access }) => ({
    children: { attendances: { resource: 'attendance', by: 'eventId' } },
    list: list && { ...list, bulk: true },
    access: {
      ...access,
      update: member('COACH'),
      delete: member('COACH'),
      import: member('COACH'),
      export: member(),
    },
  }),
  team: ({ fields, list, access }) => ({
    fields: { ...fields, name: { ...(fields.name as object), unique: true } as never },
    unique: [],
    upsert: ['name'],
    children: { events: { resource: 'event', by: 'teamId' } },
    list: list && { ...list, filterable: ['name', 'clubId'] },
    access: { ...access, create: member('COACH'), replace: member('COACH'), import: member('COACH') },
  }),
}

/** Rules that say nothing of members: the bounds of the tenant alone keep these apart. */
const notices = defineResource({
  name: 'notice',
  path: '/notices',
  tenant: 'clubId',
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    code: text({ required: true, unique: true, maxLength: 60 }),
    title: text({ maxLength: 200 }),
    rank: integer(),
    teamId: reference('team', { onDelete: 'clear' }),
    aboutId: reference('notice', { onDelete: 'clear' }),
    isOpen: boolean({ default: false }),
  },
  unique: [['title', 'rank']],
  upsert: ['code', ['title', 'rank']],
  list: {
    style: 'page',
    sortable: ['code', 'rank'],
    filterable: ['code', 'title', 'rank', 'isOpen'],
    search: ['title'],
    bulk: true,
  },
  access: {
    list: anyone,
    get: anyone,
    export: anyone,
    create: user,
    replace: user,
    update: user,
    delete: anyOf([user, where({ isOpen: true })], { message: 'Only open notices', open: true }),
    import: user,
  },
  children: { answers: { resource: 'notice', by: 'aboutId' } },
  explainAccess: anyone,
})

/** One record for each club. */
const preferences = defineResource({
  name: 'preferences',
  path: '/preferences',
  tenant: 'clubId',
  single: true,
  history: { keep: 3, read: member('COACH') },
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    motto: text({ maxLength: 60, default: 'None yet' }),
    guests: integer({ default: 3, increment: true }),
    isOpen: boolean({ default: false }),
  },
  access: { read: member(), write: member('COACH') },
  explainAccess: anyone,
})

const closed = (clubhouse as readonly Declared[]).map((one) =>
  'fields' in one ? { ...one, ...changes[one.name]?.(one), explainAccess: anyone } : one,
)
export const closedClubhouse: readonly Declared[] = [...closed, notices, preferences]
