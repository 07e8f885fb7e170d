/**
 * Cards of people, whose fields are shown by rules that depend on the record. The row alone decides
 * some, and another record others. Beside them stand the same rules as plain code.
 */
import {
  anyOf,
  anyone,
  boolean,
  defineResource,
  derived,
  embedded,
  equals,
  id,
  integer,
  lookup,
  owner,
  reference,
  role,
  text,
  textList,
  through,
  user,
  where,
} from '../../src/index.ts'
import { resources } from '../application/resources/index.ts'

const own = owner('ownerId')
const open = where({ isOpen: true })
const paid = anyOf([through('teamId', owner('leadId')), role('ADMIN')])

export const teams = defineResource({
  name: 'team',
  path: '/teams',
  fields: {
    id: id(),
    name: text({ required: true }),
    leadId: reference('member', { onDelete: 'clear' }),
    crew: embedded('card', 'teamId'),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, update: role('ADMIN') },
  children: { cards: { resource: 'card', by: 'teamId' } },
})

const stored = {
  ownerId: reference('member', { onDelete: 'clear' }),
  teamId: reference('team', { onDelete: 'clear' }),
  isOpen: boolean({ default: false }),
  name: text({ required: true }),
}

export const cards = defineResource({
  name: 'card',
  path: '/cards',
  fields: {
    id: id(),
    ...stored,
    email: text({ read: own }),
    code: text({ unique: true, read: own }),
    phone: text({ required: true, read: anyOf([own, open, role('ADMIN')]) }),
    salary: integer({ read: paid, write: paid }),
    homeId: reference('team', { onDelete: 'clear', read: open }),
    tags: textList({ read: open }),
    rank: integer({ default: 1, write: own }),
    homeName: lookup(text(), { via: 'homeId', field: 'name' }),
    line: derived(text({ read: own }), ({ name, email }) => `${name} <${email}>`),
    label: derived(text({ read: anyone }), ({ name, email }) => `${name}, ${email === null ? 'no mail' : 'a mail'}`),
  },
  list: {
    style: 'page',
    sortable: ['name', 'phone', 'salary', 'email'],
    filters: { mail: equals('email') },
    search: ['name'],
    bulk: true,
  },
  access: {
    list: anyone,
    get: anyone,
    create: anyone,
    update: user,
    replace: user,
    delete: role('ADMIN'),
    import: user,
    export: anyone,
  },
  upsert: ['code'],
  children: { notes: { resource: 'note', by: 'cardId' } },
})

export const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), cardId: reference('card', { onDelete: 'delete' }), body: text() },
  list: { style: 'page' },
  access: { list: anyone, get: anyone },
})

/** Records without computed fields, so that a version and what it shows decide about a 304. */
export const badges = defineResource({
  name: 'badge',
  path: '/badges',
  fields: {
    id: id(),
    teamId: reference('team', { onDelete: 'clear' }),
    pin: text({ read: through('teamId', owner('leadId')) }),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, update: user },
})

/** The same values without any rule: what one caller should see, with null for what is hidden. */
export const mirrors = defineResource({
  name: 'mirror',
  path: '/mirrors',
  fields: {
    id: id(),
    of: text({ required: true }),
    seenBy: text({ required: true }),
    ...stored,
    email: text(),
    code: text(),
    phone: text(),
    salary: integer(),
    homeId: reference('team', { onDelete: 'clear' }),
    tags: textList({ default: null }),
  },
  list: { style: 'page', filters: { mail: equals('email') } },
  access: { list: anyone, get: anyone },
})

export const declarations = [...resources, teams, cards, badges, notes, mirrors]

export type Caller = { readonly name: string; readonly id: string | null; readonly isAdmin: boolean }
export type Stored = Readonly<Record<string, unknown>>

/** The rules as plain code: whether a card shows a field to a caller. */
export function shows(caller: Caller, card: Stored, { leadId }: Stored): (field: string) => boolean {
  const isOwn = caller.id !== null && card.ownerId === caller.id
  const isLead = caller.id !== null && leadId === caller.id
  const isOpen = card.isOpen === true
  const rules: Readonly<Record<string, boolean>> = {
    email: isOwn,
    code: isOwn,
    line: isOwn,
    phone: isOwn || isOpen || caller.isAdmin,
    salary: isLead || caller.isAdmin,
    homeId: isOpen,
    tags: isOpen,
  }
  return (field) => rules[field] ?? true
}

/** The fields of cards that depend on the record. */
export const ruled = ['email', 'code', 'phone', 'salary', 'homeId', 'tags', 'line'] as const
