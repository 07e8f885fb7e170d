/** An application with a tree: categories of four levels, and goods that name one. */
import assert from 'node:assert/strict'
import {
  accounts,
  anyOf,
  boolean,
  defineResource,
  id,
  owner,
  reference,
  role,
  text,
  user,
  where,
} from '../../src/index.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'
import type { Answer } from './links-world.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
export const categories = defineResource({
  name: 'category',
  path: '/categories',
  trash: { days: 7 },
  history: { keep: 5 },
  fields: {
    id: id(),
    name: text({ required: true, maxLength: 50, unique: true }),
    isOpen: boolean({ default: true }),
    ownerId: reference(people.users.name, { setBy: 'principal' }),
    parentId: reference('category', { tree: { depth: 4 } }),
  },
  list: { style: 'page', sortable: ['name'], bulk: true },
  upsert: ['name'],
  access: {
    read: anyOf([where({ isOpen: true }), owner('ownerId')]),
    write: user,
    import: role('ADMIN'),
    export: user,
  },
})
export const goods = defineResource({
  name: 'good',
  plural: 'goods',
  path: '/goods',
  fields: { id: id(), name: text({ maxLength: 50 }), categoryId: reference('category') },
  list: { style: 'page', sortable: ['name'] },
  access: { read: user, write: user },
})
export const treeResources = [categories, goods, ...people]

export async function startTrees() {
  const service = await startService(treeResources)
  const ann = await service.person()
  const ask = async (method: string, path: string, body?: unknown, as: TestPerson = ann) =>
    (await service.ask(method, `/api/v1${path}`, {
      token: as.token,
      ...(body !== undefined && { body }),
    })) as unknown as Answer
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await ask('POST', path, body)
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.id
  }
  const names = async (path: string, as?: TestPerson): Promise<string[]> => {
    const { status, body } = await ask('GET', path, undefined, as)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ name }: { name: string }) => name).toSorted()
  }
  return { service, ann, ask, made, names }
}
