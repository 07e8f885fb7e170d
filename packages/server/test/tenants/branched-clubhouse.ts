/**
 * The clubhouse with a tree, a manual order, a one-to-one relation and an upsert on several fields,
 * for the proof that tenants cannot leak.
 */
import {
  anyone,
  boolean,
  defineResource,
  float,
  id,
  integer,
  manualOrder,
  oneToOne,
  reference,
  text,
  user,
  where,
} from '../../src/index.ts'
import type { Declared } from '../../src/resource/tenancy/define-tenancy.ts'
import { closedClubhouse } from './closed-clubhouse.ts'

const writes = { export: user, create: user, replace: user, update: user, delete: user, import: user }

/** Rules say nothing of members here, as those of notices: the bounds of the tenant stand alone. */
const sections = defineResource({
  name: 'section',
  path: '/sections',
  tenant: 'clubId',
  trash: { days: 7 },
  history: { keep: 5 },
  changes: true,
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    name: text({ required: true, unique: true, maxLength: 60 }),
    isOpen: boolean({ default: true }),
    weight: float(),
    shelf: integer(),
    parentId: reference('section', { tree: { depth: 3 } }),
    place: manualOrder({ within: 'parentId' }),
  },
  unique: [['shelf', 'weight']],
  upsert: ['name', ['shelf', 'weight']],
  list: {
    style: 'page',
    sortable: ['name', 'place', 'weight'],
    filterable: ['name', 'parentId', 'place', 'isOpen', 'weight'],
    search: ['name'],
    bulk: true,
  },
  access: { ...writes, read: where({ isOpen: true }) },
  children: { sign: { resource: 'sign', by: 'sectionId' }, parts: { resource: 'section', by: 'parentId' } },
  explainAccess: anyone,
})

const signs = defineResource({
  name: 'sign',
  path: '/signs',
  tenant: 'sectionId',
  fields: {
    id: id(),
    sectionId: oneToOne('section', { required: true, onDelete: 'delete' }),
    title: text({ maxLength: 60 }),
  },
  list: { style: 'page', sortable: ['title'], filterable: ['sectionId', 'title'], bulk: true },
  access: { ...writes, read: anyone },
  explainAccess: anyone,
})

export const branchedClubhouse: readonly Declared[] = [...closedClubhouse, sections, signs]
