/**
 * An application with links: articles with their tags, their writers in order and with a role, and
 * related articles. Some tags are seen by their owner alone.
 */
import assert from 'node:assert/strict'
import {
  accounts,
  anyOf,
  anyone,
  boolean,
  choice,
  defineAction,
  defineResource,
  defineResources,
  id,
  integer,
  integerId,
  manyToMany,
  owner,
  reference,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })

export const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: {
    id: id(),
    name: text({ required: true, maxLength: 50, unique: true }),
    weight: integer({ default: 0 }),
    isOpen: boolean({ default: true }),
    ownerId: reference(people.users.name, { setBy: 'principal', onDelete: 'clear' }),
  },
  list: { style: 'page', sortable: ['name'] },
  access: { read: anyOf([where({ isOpen: true }), owner('ownerId')]), create: user, update: user, delete: user },
})

/** Counted ids. */
export const writers = defineResource({
  name: 'writer',
  path: '/writers',
  fields: { id: integerId(), name: text({ required: true, maxLength: 50 }) },
  list: { style: 'page' },
  access: { read: anyone, write: user },
})

const articleFields = {
  id: id(),
  title: text({ required: true, maxLength: 50 }),
  code: text({ maxLength: 20, unique: true }),
  ownerId: reference(people.users.name, { setBy: 'principal', onDelete: 'clear' }),
  tags: manyToMany('tag', { max: 5 }),
  writers: manyToMany('writer', {
    ordered: true,
    fields: { role: choice(['AUTHOR', 'EDITOR'], { default: 'AUTHOR' }), note: text({ maxLength: 20 }) },
  }),
  related: manyToMany('article', { renamedFrom: 'alike' }),
  updatedAt: timestamp({ setOn: 'write' }),
}

export const articles = defineResource({
  name: 'article',
  path: '/articles',
  fields: articleFields,
  list: { style: 'page', sortable: ['title'], bulk: true },
  upsert: ['code'],
  access: {
    read: anyone,
    create: user,
    update: owner('ownerId'),
    replace: owner('ownerId'),
    delete: owner('ownerId'),
    import: user,
    export: anyone,
    copy: user,
  },
  actions: {
    copy: defineAction(articleFields, {
      creates: true,
      async run({ record, records }) {
        const articles = records(defined)
        const made = await articles.create({ title: `Copy of ${record.title}`, related: [record.id] })
        await articles.update(made.id, { related: { add: [made.id] } })
        return made.id
      },
    }),
  },
})
const defined = { name: 'article', fields: articleFields, access: {}, writtenIn: '', writtenAt: '' } as const

export const linked = defineResources([tags, writers, articles, ...people])

export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of several forms
  readonly body: any
}

export async function startWorld(settings: Record<string, string> = {}) {
  const service = await startService(linked, settings)
  const ann = await service.person()
  const eve = await service.person()
  const ask = async (
    method: string,
    path: string,
    asked: { as?: TestPerson; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const { as = ann, body, headers } = asked
    return (await service.ask(method, `/api/v1${path}`, {
      token: as.token,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    })) as unknown as Answer
  }
  const made = async (path: string, body: unknown, as: TestPerson = ann): Promise<string> => {
    const answer = await ask('POST', path, { as, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.id
  }
  return { service, ann, eve, ask, made }
}
