/**
 * An application whose bodies have children: invoices with lines and notes, lines with pieces. The
 * lines have all that a write may do: counted and computed fields, links, numbers, slugs, history.
 */
import assert from 'node:assert/strict'
import {
  accounts,
  anyOf,
  anyone,
  autoNumber,
  computed,
  count,
  defineResource,
  defineResources,
  field,
  id,
  integer,
  manyToMany,
  owner,
  reference,
  role,
  slug,
  sum,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })

const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text({ required: true, maxLength: 50 }) },
  list: { style: 'page' },
  access: { read: anyone, create: user },
})

const invoices = defineResource({
  name: 'invoice',
  path: '/invoices',
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 50 }),
    code: text({ maxLength: 20, unique: true }),
    ownerId: reference(people.users.name, { setBy: 'principal', onDelete: 'clear' }),
    lineCount: count('lines'),
    total: sum('lines', 'amount'),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page', sortable: ['title'], bulk: true },
  upsert: ['code'],
  history: { keep: 50, days: 30 },
  trash: { days: 30 },
  children: {
    lines: { resource: 'line', by: 'invoiceId', inBody: true },
    notes: { resource: 'note', by: 'invoiceId', inBody: true, operations: ['list', 'create'] },
  },
  access: {
    read: anyone,
    create: user,
    update: owner('ownerId'),
    replace: owner('ownerId'),
    delete: owner('ownerId'),
    import: user,
    export: anyone,
  },
  explainAccess: user,
})

const greeted: string[] = []

const lines = defineResource({
  name: 'line',
  path: '/lines',
  fields: {
    id: id(),
    invoiceId: reference('invoice', { required: true, onDelete: 'delete' }),
    name: text({ required: true, maxLength: 50 }),
    amount: integer({ required: true, min: 0, max: 1000, increment: true }),
    least: integer({ default: 0 }),
    place: integer({ min: 1 }),
    discount: integer({ write: role('ADMIN'), default: 0 }),
    twice: computed(integer(), ({ amount }) => Number(amount) * 2),
    number: autoNumber(),
    slug: slug({ from: 'name' }),
    tags: manyToMany('tag', { max: 3 }),
    pieceCount: count('pieces'),
  },
  unique: [['invoiceId', 'place']],
  list: { style: 'page', sortable: ['name'] },
  history: { keep: 50, days: 30 },
  trash: { days: 30 },
  children: { pieces: { resource: 'piece', by: 'lineId', inBody: true } },
  checks: {
    enough: { require: { amount: { gte: field('least') } }, at: 'amount', message: 'The amount is below the least' },
  },
  hooks: {
    beforeCreate({ record, refuse }) {
      if (record.name === 'refused') refuse('A hook refuses this name')
    },
  },
  effects: { greet: { on: ['create'], run: ({ record }) => void greeted.push(record.name) } },
  access: { read: anyone, create: user, update: user, delete: anyOf([role('ADMIN'), where({ amount: 0 })]) },
})

const pieces = defineResource({
  name: 'piece',
  path: '/pieces',
  fields: {
    id: id(),
    lineId: reference('line', { required: true, onDelete: 'delete', touch: true }),
    label: text({ required: true, maxLength: 5 }),
  },
  list: { style: 'page' },
  trash: { days: 30 },
  access: { read: anyone, write: user },
})

const notes = defineResource({
  name: 'note',
  fields: {
    id: id(),
    invoiceId: reference('invoice', { setBy: 'parent', onDelete: 'delete' }),
    text: text({ required: true, maxLength: 50 }),
  },
  list: { style: 'page' },
  access: { read: anyone, create: role('ADMIN') },
})

export const nested = defineResources([tags, invoices, lines, pieces, notes, ...people])

export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of several forms
  readonly body: any
}
type Asked = { readonly as?: TestPerson; readonly body?: unknown; readonly headers?: Record<string, string> }

export async function startWorld(settings: Record<string, string> = {}) {
  const service = await startService(nested, settings)
  const ann = await service.person()
  const eve = await service.person()
  const boss = await service.person('ADMIN')
  const ask = async (method: string, path: string, { as = ann, body, headers }: Asked = {}) =>
    (await service.ask(method, `/api/v1${path}`, {
      token: as.token,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })) as unknown as Answer
  const made = async (body: object, as: TestPerson = ann) => {
    const answer = await ask('POST', '/invoices?expand=lines(limit:100).pieces,notes', { as, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  /** All stored rows of what a nested write touches. */
  const stored = async () => {
    const { catalog, storage } = service.service.engine
    const known = [...catalog.resources.values()].filter(({ name }) => /line|invoice|piece|note|effect/i.test(name))
    const all = await Promise.all(
      known.map(async (resource) => {
        const sort = [{ field: resource.idField, descending: false }]
        return [resource.name, await storage.list(resource, { where: { kind: 'true' }, sort, limit: 10_000 })] as const
      }),
    )
    return Object.fromEntries(all)
  }
  return { service, ann, eve, boss, ask, made, stored, greeted }
}
