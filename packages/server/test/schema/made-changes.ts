/**
 * Schema changes that make and drop tables of the engine. A reference becomes links. Trash and
 * history are switched on and off. A given field is computed from now on.
 */
import { computed, defineResource, id, integer, manyToMany, reference, text, user } from '../../src/index.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Field, Fields } from '../../src/resource/fields/field.ts'
import { idOf } from '../storage/library.ts'
import { plain, type SchemaChange, thing, type Values } from './changes.ts'

/** Records of the other tables, by their resources: those that things refer to, and the rest. */
export type MadeChange = SchemaChange & {
  readonly ahead?: Readonly<Record<string, (n: number) => Values | undefined>>
  readonly behind?: Readonly<Record<string, (n: number) => Values | undefined>>
}

const trash = { days: 3 }
const all = (fields: Fields, more: object) =>
  defineResource({
    name: 'thing',
    path: '/things',
    fields,
    list: { style: 'page', sortable: ['name'], search: ['name'] },
    access: { get: user, list: user, update: user, delete: user },
    ...more,
  } as never) as unknown as DeclaredResource
const tag = (more: object = {}) =>
  defineResource({
    name: 'tag',
    path: '/tags',
    fields: { id: id(), label: text() },
    access: { get: user, delete: user },
    ...more,
  } as never) as unknown as DeclaredResource

/** Other ids than those of things. */
const other = (n: number) => idOf(n + 5_000_000)
const mark = (n: number, root = true) => ({
  trashedAt: '2026-01-01T00:00:00.000Z',
  trashedBy: null,
  trashGroup: idOf(n + 9_000_000),
  trashRoot: root,
})
const plainOf = (n: number) => ({ name: `Gone ${n}`, size: n, note: null })
/** Every third thing has no tag; every fourth tag is in the trash. */
const tagOf = (n: number) => (n % 3 === 0 ? null : other(n))
const tags = {
  tag: (n: number) => (n % 4 === 0 ? undefined : { id: other(n), label: `Tag ${n}` }),
  tagTrash: (n: number) => (n % 4 === 0 ? { id: other(n), label: `Tag ${n}`, ...mark(n) } : undefined),
}
const goneThing = (more: object) => (n: number) =>
  n % 2 === 0 ? { id: idOf(n + 7_000_000), ...plainOf(n), ...more, ...mark(n) } : undefined
const versionOf = (n: number) => ({
  historyId: other(n),
  historyOf: idOf(n),
  historyVersion: 1,
  historyKind: 'create',
  historyAt: '2026-01-01T00:00:00.000Z',
  historyCredential: null,
  id: idOf(n),
  name: `Thing ${n}`,
  size: n,
  note: null,
})

const refers = { ...plain, tagId: reference('tag') as Field }
const links = { ...plain, tags: manyToMany('tag', { renamedFrom: 'tagId', ordered: true }) as Field }

export const madeChanges: readonly MadeChange[] = [
  {
    what: 'a reference becomes links, with a trash on both sides',
    before: [tag({ trash }), all(refers, { trash })],
    after: [tag({ trash }), all(links, { trash })],
    ahead: tags,
    stored: (n) => ({ tagId: tagOf(n) }),
    behind: { thingTrash: (n) => (n % 2 === 0 ? { ...goneThing({ tagId: tagOf(n) })(n) } : undefined) },
    becomes: () => ({ tagId: undefined }),
  },
  {
    what: 'a reference becomes links, without a trash',
    before: [tag(), thing(refers)],
    after: [tag(), thing(links)],
    ahead: { tag: (n) => ({ id: other(n), label: null }) },
    stored: (n) => ({ tagId: tagOf(n) }),
    becomes: () => ({ tagId: undefined }),
  },
  {
    what: 'trash and history are switched on',
    before: [tag(), all(refers, {})],
    after: [tag({ trash }), all(refers, { trash, history: { keep: 5 } })],
    ahead: { tag: (n) => ({ id: other(n), label: null }) },
    stored: (n) => ({ tagId: tagOf(n) }),
    becomes: () => ({}),
  },
  {
    what: 'trash and history are switched off',
    before: [all(plain, { trash, history: { keep: 5 } })],
    after: [all(plain, {})],
    behind: { thingTrash: goneThing({}), thingVersion: versionOf },
    allowed: ['thingTrash', 'thingVersion'],
    becomes: () => ({}),
  },
  {
    what: 'a given field is computed from now on',
    before: [thing({ ...plain, twice: integer() })],
    after: [thing({ ...plain, twice: computed(integer(), ({ size }) => size * 2) as Field })],
    stored: () => ({ twice: 1 }),
    allowed: ['thing.twice'],
    becomes: (n) => ({ twice: n * 2 }),
  },
]
