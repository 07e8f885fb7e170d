/**
 * Small declarations for the storage suites: one field of every column type, references with
 * cascade and references that are cleared.
 */

import { markWords } from '../../src/base/fold.ts'
import {
  boolean,
  defineResource,
  id,
  integer,
  integerId,
  reference,
  text,
  textList,
  timestamp,
} from '../../src/index.ts'
import { type Catalog, makeCatalog, type Resource } from '../../src/resource/catalog.ts'
import type { Condition, Scalar } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Author } from '../../src/storage/changes.ts'
import type { OpenOptions } from '../../src/storage/database-kind.ts'
import type { Storage, Transaction, Values } from '../../src/storage/storage.ts'

/** One database, empty at first. It may be opened several times, also at once. */
export type Database = {
  open(catalog: Catalog, options?: Pick<OpenOptions, 'changesKept'>): Promise<Storage>
  /** Runs SQL as another program would. */
  writePast(sql: string): Promise<void>
  remove(): Promise<void>
}
export type MakeDatabase = () => Promise<Database>

export const shelves = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  fields: { id: integerId(), label: text({ required: true, unique: true }) },
  list: { style: 'page', sortable: ['label'] },
  access: {},
})

export const volumes = defineResource({
  name: 'volume',
  path: '/volumes',
  fields: {
    id: id(),
    shelfId: reference('shelf', { onDelete: 'delete' }),
    spareId: reference('shelf', { onDelete: 'clear' }),
    title: text({ required: true }),
    note: text(),
    rank: integer(),
    lent: boolean({ default: false }),
    tags: textList(),
    seenAt: timestamp({ setOn: 'transition' }),
  },
  unique: [['shelfId', 'title']],
  list: {
    style: 'page',
    sortable: ['title', 'note', 'rank', 'lent', 'seenAt'],
    defaultSort: 'title',
    search: ['title', 'note'],
  },
  access: {},
})

export const library: readonly DeclaredResource[] = [shelves, volumes]
export const libraryCatalog = makeCatalog(library)
export const shelf = libraryCatalog.get('shelf')
export const volume = libraryCatalog.get('volume')

/** The UUIDv7 with this number, so that tests can name ids. */
export function idOf(n: number): string {
  return `01926e0f-0000-7000-8000-${String(n).padStart(12, '0')}`
}

type VolumeValues = Partial<
  Record<'shelfId' | 'spareId' | 'title' | 'note' | 'rank' | 'lent' | 'tags' | 'seenAt', unknown>
>

export function volumeOf(n: number, values: VolumeValues = {}): Record<string, unknown> {
  return {
    id: idOf(n),
    shelfId: 1,
    spareId: null,
    title: `Volume ${n}`,
    note: null,
    rank: null,
    lent: false,
    tags: [],
    seenAt: null,
    ...values,
  }
}

export const tester: Author = { userId: null, role: null, credential: 'test' }

/** Makes the same changes to all rows that match. Returns how many there were. */
export async function updateWhere(
  transaction: Transaction,
  { resource, where, changes }: { resource: Resource; where: Condition; changes: Values },
): Promise<number> {
  const rows = await transaction.list(resource, { where, sort: [], limit: 1000 })
  return transaction.updateAll(
    resource,
    rows.map((row) => row[resource.idField] as Scalar),
    changes,
  )
}

/** Deletes the rows that match, and nothing else. Returns how many there were. */
export async function deleteWhere(transaction: Transaction, resource: Resource, where: Condition): Promise<number> {
  const rows = await transaction.list(resource, { where, sort: [], limit: 1000 })
  await transaction.deleteAll(resource, rows)
  return rows.length
}

/** Inserts two shelves and these volumes, numbered from 1. */
export async function fill(storage: Storage, list: readonly VolumeValues[]): Promise<void> {
  await storage.transaction(tester, async (transaction) => {
    for (const label of ['Left', 'Right']) await transaction.insert(shelf, { label })
    for (const [i, values] of list.entries()) await transaction.insert(volume, volumeOf(i + 1, values))
  })
}

export const by = (...keys: string[]) =>
  keys.map((key) => ({ field: key.replace('-', ''), descending: key.startsWith('-') }))

export function compare(field: string, operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', value: Scalar): Condition {
  return { kind: 'compare', field, operator, value }
}

export function searching(...words: string[]): Condition {
  return { kind: 'search', words: words.map(markWords) }
}
