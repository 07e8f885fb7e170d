/**
 * The kinds of schema change that the tests apply: declarations before and after, and the expected
 * value of each stored record.
 */
import {
  autoNumber,
  boolean,
  choice,
  date,
  defineResource,
  id,
  integer,
  integerId,
  json,
  money,
  reference,
  slug,
  slugOf,
  state,
  text,
  textList,
  timestamp,
} from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import type { Field, Fields } from '../../src/resource/fields/field.ts'
import { idOf } from '../storage/library.ts'
import { computedChanges } from './computed-changes.ts'
import { countedChanges } from './counted-changes.ts'
import { placeChanges } from './place-changes.ts'

export type Values = Readonly<Record<string, unknown>>
export type SchemaChange = {
  readonly what: string
  readonly before: readonly DeclaredResource[]
  readonly after: readonly DeclaredResource[]
  /** The record of the resource `thing` with this number, as it is stored before. */
  readonly stored?: (n: number) => Values
  /** The fields of record `n` that differ afterwards; `undefined` for one that is gone. */
  readonly becomes: (n: number) => Values
  /** The name of the resource afterwards; `thing` when absent. */
  readonly name?: string
  /** Data that may be lost. */
  readonly allowed?: readonly string[]
}
export const plain = { id: id(), name: text({ required: true }), size: integer({ default: 0 }), note: text() }
type More = {
  readonly name?: string
  readonly plural?: string
  readonly renamedFrom?: string
  readonly list?: object
  readonly unique?: readonly string[][]
}

export function thing(
  fields: Fields = plain,
  { name = 'thing', plural, renamedFrom, list, unique = [] }: More = {},
): DeclaredResource {
  return defineResource({
    name,
    ...(plural !== undefined && { plural }),
    ...(renamedFrom !== undefined && { renamedFrom }),
    fields,
    list: { style: 'page', sortable: ['name'], search: ['name'], ...list } as never,
    unique: unique as never,
    access: {},
  }) as unknown as DeclaredResource
}
export const owner = defineResource({
  name: 'owner',
  fields: { id: integerId(), label: text() },
  access: {},
}) as unknown as DeclaredResource
const part = (resource: string) =>
  defineResource({
    name: 'part',
    fields: { id: id(), thingId: reference(resource, { onDelete: 'delete' }) },
    access: {},
  }) as unknown as DeclaredResource

export function storedOf(n: number): Values {
  return { id: idOf(n), name: `Thing ${n}`, size: n, note: n % 2 === 0 ? `Note ${n}` : null }
}

export const words = ['OUT', 'BACK'] as const
export const wordOf = (n: number) => (n % 3 === 0 ? 'BACK' : 'OUT')
export const withStatus = (status: Field) => thing({ ...plain, status })
const stateOf = (values: readonly string[], more: object) =>
  state(values, { default: values[0], readOnly: true, transitions: {}, ...more } as never)
export const { note: _note, ...noteless } = plain
const nameless = { id: plain.id, size: plain.size, note: plain.note }

/** The second record of each pair was made before the first one. */
const made = timestamp({ setOn: 'create' })
const pairs = (n: number) => ({ made: new Date(Date.UTC(2025, 0, 1) + (n % 2 ? n + 1 : n - 1) * 1000).toISOString() })
/** Even ones were made in 2024, odd ones in 2025. */
const years = (n: number) => ({ made: new Date(Date.UTC(2024 + (n % 2), 0, 1) + n * 1000).toISOString() })

export const tableChanges: readonly SchemaChange[] = [
  {
    what: 'a new number, in the order of creation',
    before: [thing({ ...plain, made })],
    after: [thing({ ...plain, made, number: autoNumber({ prefix: 'T-' }) })],
    stored: pairs,
    becomes: (n) => ({ number: n % 2 ? n + 1 : n - 1 }),
  },
  {
    what: 'a new number, in each year',
    before: [thing({ ...plain, made })],
    after: [thing({ ...plain, made, number: autoNumber({ per: 'year' }) })],
    stored: years,
    becomes: (n) => ({ number: (2024 + (n % 2)) * 1e9 + Math.ceil(n / 2) }),
  },
  ...countedChanges({ thing, plain }),
  ...computedChanges({ thing, plain }),
  ...placeChanges({ thing, plain }),
  {
    what: 'a number has another name, and another prefix',
    before: [thing({ ...plain, number: autoNumber({ prefix: 'T-' }) })],
    after: [thing({ ...plain, no: autoNumber({ prefix: 'N-', digits: 1, renamedFrom: 'number' }) })],
    stored: (n) => ({ number: n }),
    becomes: (n) => ({ number: undefined, no: n }),
  },
  {
    what: 'a text becomes a number',
    before: [thing({ ...plain, number: text() })],
    after: [thing({ ...plain, number: autoNumber({ prefix: 'T-', convert: (value) => value }) })],
    stored: (n) => ({ number: `T-${n}` }),
    becomes: (n) => ({ number: n }),
  },
  {
    what: 'a new slug, made of each name',
    before: [thing()],
    after: [thing({ ...plain, slug: slug({ from: 'name', backfill: ({ name }) => slugOf(name) }) })],
    becomes: (n) => ({ slug: `thing-${n}` }),
  },
  {
    what: 'a new optional field',
    before: [thing()],
    after: [thing({ ...plain, extra: text() })],
    becomes: () => ({ extra: null }),
  },
  {
    what: 'a new field with a default',
    before: [thing()],
    after: [thing({ ...plain, extra: textList() })],
    becomes: () => ({ extra: [] }),
  },
  {
    what: 'a new required field with a constant',
    before: [thing()],
    after: [thing({ ...plain, price: money({ required: true, backfill: 1.5 }) })],
    becomes: () => ({ price: 150 }),
  },
  {
    what: 'a new required field made from each row, searched and unique',
    before: [thing()],
    after: [
      thing(
        {
          ...plain,
          code: text({ required: true, unique: true, backfill: (row) => `Code ${row.size} of ${row.name}` }),
        },
        { list: { search: ['name', 'code'] } },
      ),
    ],
    becomes: (n) => ({ code: `Code ${n} of Thing ${n}` }),
  },
  {
    what: 'a new optional field made from each row, some without a value',
    before: [thing()],
    after: [thing({ ...plain, half: integer({ backfill: (row) => (row.size % 2 === 0 ? row.size / 2 : null) }) })],
    becomes: (n) => ({ half: n % 2 === 0 ? n / 2 : null }),
  },
  {
    what: 'a field in place of another one, made from it, which may go',
    before: [thing()],
    after: [thing({ ...noteless, remark: text({ required: true, backfill: (row) => row.note ?? 'none' }) })],
    allowed: ['thing.note'],
    becomes: (n) => ({ note: undefined, remark: n % 2 === 0 ? `Note ${n}` : 'none' }),
  },
  {
    what: 'a field has another name, sorted and searched by',
    before: [thing()],
    after: [
      thing(
        { ...nameless, title: text({ required: true, renamedFrom: 'name' }) },
        { list: { sortable: ['title'], search: ['title'] } },
      ),
    ],
    becomes: (n) => ({ name: undefined, title: `Thing ${n}` }),
  },
  {
    what: 'a unique field has another name',
    before: [thing({ ...plain, name: text({ required: true, unique: true }) })],
    after: [
      thing(
        { ...nameless, title: text({ required: true, unique: true, renamedFrom: 'name' }) },
        { list: { sortable: ['title'], search: ['title'] } },
      ),
    ],
    becomes: (n) => ({ name: undefined, title: `Thing ${n}` }),
  },
  {
    what: 'a reference has another name',
    before: [owner, thing({ ...plain, ownerId: reference('owner') })],
    after: [owner, thing({ ...plain, holderId: reference('owner', { renamedFrom: 'ownerId' }) })],
    stored: () => ({ ownerId: null }),
    becomes: () => ({ ownerId: undefined, holderId: null }),
  },
  {
    what: 'a field has another name and another type',
    before: [thing()],
    after: [
      thing({
        id: plain.id,
        name: plain.name,
        note: plain.note,
        weight: text({ required: true, renamedFrom: 'size', convert: (size) => `${size} g` }),
      }),
    ],
    becomes: (n) => ({ size: undefined, weight: `${n} g` }),
  },
  {
    what: 'a reference that was cleared refuses',
    before: [thing({ ...plain, ownerId: reference('owner') }), owner],
    after: [thing({ ...plain, ownerId: reference('owner', { onDelete: 'refuse' }) }), owner],
    becomes: () => ({ ownerId: null }),
  },
  {
    what: 'a resource has another name, and another one refers to it',
    before: [thing(), part('thing')],
    after: [thing(plain, { name: 'article', renamedFrom: 'thing' }), part('article')],
    name: 'article',
    becomes: () => ({}),
  },
  {
    what: 'a resource has another plural',
    before: [thing()],
    after: [thing(plain, { plural: 'thingies' })],
    becomes: () => ({}),
  },
  {
    what: 'a word of a choice has another name',
    before: [withStatus(choice(words))],
    after: [withStatus(choice(['OUT', 'RETURNED'], { renamedFrom: { BACK: 'RETURNED' } }))],
    stored: (n) => ({ status: wordOf(n) }),
    becomes: (n) => ({ status: n % 3 === 0 ? 'RETURNED' : 'OUT' }),
  },
  {
    what: 'a state has another name, and the field too',
    before: [withStatus(stateOf(words, {}))],
    after: [
      thing({ ...plain, phase: stateOf(['OUT', 'RETURNED'], { renamedFrom: ['status', { BACK: 'RETURNED' }] }) }),
    ],
    stored: (n) => ({ status: wordOf(n) }),
    becomes: (n) => ({ status: undefined, phase: n % 3 === 0 ? 'RETURNED' : 'OUT' }),
  },
  {
    what: 'a word that no record has goes, and a new one comes',
    before: [withStatus(choice(['OUT', 'BACK', 'LOST']))],
    after: [withStatus(choice(['OUT', 'BACK', 'FOUND']))],
    stored: (n) => ({ status: wordOf(n) }),
    becomes: () => ({}),
  },
  {
    what: 'a text becomes a choice',
    before: [withStatus(text())],
    after: [withStatus(choice(words))],
    stored: (n) => ({ status: wordOf(n) }),
    becomes: () => ({}),
  },
  {
    what: 'a choice becomes a text',
    before: [withStatus(choice(words))],
    after: [withStatus(text())],
    stored: (n) => ({ status: wordOf(n) }),
    becomes: () => ({}),
  },
  {
    what: 'an integer becomes money, sorted by',
    before: [thing(plain, { list: { sortable: ['name', 'size'] } })],
    after: [
      thing(
        { ...plain, size: money({ required: true, convert: (size) => size * 100 }) },
        { list: { sortable: ['name', 'size'] } },
      ),
    ],
    becomes: (n) => ({ size: n * 100 }),
  },
  {
    what: 'money becomes an integer',
    before: [thing({ ...plain, size: money({ default: 0 }) })],
    after: [thing({ ...plain, size: integer({ default: 0, convert: (minor) => Math.trunc(minor / 100) }) })],
    becomes: (n) => ({ size: Math.trunc(n / 100) }),
  },
  {
    what: 'a text becomes a timestamp, and one without a value stays so',
    before: [thing({ ...plain, seen: text() })],
    after: [thing({ ...plain, seen: timestamp({ convert: (day) => `${day}T00:00:00.000Z` }) })],
    stored: (n) => ({ seen: n % 2 === 0 ? '2026-01-31' : null }),
    becomes: (n) => ({ seen: n % 2 === 0 ? '2026-01-31T00:00:00.000Z' : null }),
  },
  {
    what: 'a text becomes a date, and one without a value stays so',
    before: [thing({ ...plain, seen: text() })],
    after: [thing({ ...plain, seen: date({ convert: (day) => day.split('.').reverse().join('-') }) })],
    stored: (n) => ({ seen: n % 2 === 0 ? '31.01.2026' : null }),
    becomes: (n) => ({ seen: n % 2 === 0 ? '2026-01-31' : null }),
  },
  {
    what: 'a timestamp becomes a date',
    before: [thing({ ...plain, seen: timestamp() })],
    after: [thing({ ...plain, seen: date({ convert: (at) => at.slice(0, 10) }) })],
    stored: () => ({ seen: '2026-01-31T23:59:59.999Z' }),
    becomes: () => ({ seen: '2026-01-31' }),
  },
  {
    what: 'a text becomes JSON, and new JSON has a default',
    before: [thing()],
    after: [thing({ ...plain, note: json({ convert: (old) => ({ b: old, a: [1] }) }), more: json({ default: 'x' }) })],
    becomes: (n) => ({ note: n % 2 === 0 ? { a: [1], b: `Note ${n}` } : null, more: 'x' }),
  },
  {
    what: 'a boolean becomes a choice',
    before: [withStatus(boolean({ default: false }))],
    after: [withStatus(choice(words, { required: true, convert: (out) => (out ? 'OUT' : 'BACK') }))],
    stored: (n) => ({ status: n % 3 !== 0 }),
    becomes: (n) => ({ status: wordOf(n) }),
  },
  {
    what: 'an optional field becomes required, and no record stands against it',
    before: [thing({ ...plain, name: text() })],
    after: [thing()],
    becomes: () => ({}),
  },
  {
    what: 'an optional field becomes required, with a value for those without',
    before: [thing()],
    after: [thing({ ...plain, note: text({ required: true, backfill: (row) => `No note on ${row.name}` }) })],
    becomes: (n) => ({ note: n % 2 === 0 ? `Note ${n}` : `No note on Thing ${n}` }),
  },
  {
    what: 'a required field becomes optional',
    before: [thing()],
    after: [thing({ ...plain, name: text() })],
    becomes: () => ({}),
  },
  {
    what: 'a key becomes unique, over two fields',
    before: [thing()],
    after: [thing(plain, { unique: [['name', 'size']] })],
    becomes: () => ({}),
  },
  {
    what: 'a field without any value goes',
    before: [thing({ ...plain, trial: integer() })],
    after: [thing()],
    stored: () => ({ trial: null }),
    becomes: () => ({ trial: undefined }),
  },
  {
    what: 'a field goes that may be lost',
    before: [thing()],
    after: [thing(noteless)],
    allowed: ['thing.note'],
    becomes: () => ({ note: undefined }),
  },
  { what: 'an empty resource goes', before: [thing(), owner], after: [thing()], becomes: () => ({}) },
  {
    what: 'other sorts, filters and searches',
    before: [thing()],
    after: [thing(plain, { list: { sortable: ['size', 'name'], search: ['name', 'note'], filterable: ['note'] } })],
    becomes: () => ({}),
  },
]

export const catalogOf = (declared: readonly DeclaredResource[]) => makeCatalog(declared)
