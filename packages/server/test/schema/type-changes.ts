/** Schema changes that give a field another type, and all schema changes together. */
import {
  bigint,
  decimal,
  float,
  integer,
  list,
  money,
  oneToOne,
  reference,
  text,
  textList,
  url,
  uuid,
} from '../../src/index.ts'
import { idOf } from '../storage/library.ts'
import { owner, plain, type SchemaChange, tableChanges, thing } from './changes.ts'

const typeChanges: readonly SchemaChange[] = [
  {
    what: 'an integer becomes a bigint',
    before: [thing()],
    after: [thing({ ...plain, size: bigint({ required: true, convert: (size) => BigInt(size) * 10n ** 15n }) })],
    becomes: (n) => ({ size: BigInt(n) * 10n ** 15n }),
  },
  {
    what: 'an integer, money and a decimal become decimals of more decimals, and one of fewer',
    before: [
      thing({
        ...plain,
        cost: money({ default: 0 }),
        mass: decimal({ precision: 16, scale: 2 }),
        part: decimal({ precision: 18, scale: 3, required: true }),
      }),
    ],
    after: [
      thing({
        ...plain,
        size: decimal({ precision: 12, scale: 3, required: true }),
        cost: decimal({ precision: 18, scale: 4, default: 0 }),
        mass: decimal({ precision: 18, scale: 4 }),
        part: decimal({ precision: 10, scale: 1, required: true }),
      }),
    ],
    stored: (n) => ({ cost: 100 * n + 1, mass: n === 3 ? null : 10n ** 15n + BigInt(n), part: BigInt(n) * 100n }),
    becomes: (n) => ({
      size: BigInt(n) * 1000n,
      cost: BigInt(100 * n + 1) * 100n,
      mass: n === 3 ? null : (10n ** 15n + BigInt(n)) * 100n,
      part: BigInt(n),
    }),
  },
  {
    what: 'an integer and a text become floats, and a new one has a default',
    before: [thing()],
    after: [
      thing({
        ...plain,
        ...{ size: float(), heat: float({ default: 0.1 }), cold: float({ backfill: ({ size }) => size / 3 }) },
        note: float({ convert: (note: string) => note.length / 7 }),
      }),
    ],
    becomes: (n) => ({ heat: 0.1, cold: n / 3, note: n % 2 === 0 ? `Note ${n}`.length / 7 : null }),
  },
  {
    what: 'texts become a list, and a list of integers one of decimals',
    before: [thing({ ...plain, tags: textList(), sizes: list(integer()) })],
    after: [
      thing({
        ...plain,
        tags: list(text({ maxLength: 100 })),
        sizes: list(decimal({ precision: 6, scale: 1 }), {
          convert: (sizes: number[]) => sizes.map((one) => `${one}.0`),
        }),
      }),
    ],
    stored: (n) => ({ tags: [`t${n}`], sizes: [n, 7] }),
    becomes: (n) => ({ tags: [`t${n}`], sizes: [`${n}.0`, '7.0'] }),
  },
  {
    what: 'a text becomes a UUID, and another a URL',
    before: [thing({ ...plain, key: text(), home: text() })],
    after: [
      thing({
        ...plain,
        key: uuid({ convert: (key) => key.toLowerCase() }),
        home: url({ convert: (home) => URL.parse(home)?.href ?? null }),
      }),
    ],
    stored: (n) => ({ key: idOf(n).toUpperCase(), home: `HTTPS://Example.com/${n}` }),
    becomes: (n) => ({ key: idOf(n), home: `https://example.com/${n}` }),
  },
  {
    what: 'a UUID and a URL become texts',
    before: [thing({ ...plain, key: uuid(), home: url() })],
    after: [thing({ ...plain, key: text(), home: text() })],
    stored: (n) => ({ key: idOf(n), home: `https://example.com/${n}` }),
    becomes: () => ({}),
  },
  {
    what: 'a reference becomes one-to-one, and some records have none',
    before: [owner, thing({ ...plain, ownerId: reference('owner', { onDelete: 'keep' }) })],
    after: [owner, thing({ ...plain, ownerId: oneToOne('owner', { onDelete: 'keep' }) })],
    stored: (n) => ({ ownerId: n % 2 === 0 ? null : n }),
    becomes: () => ({}),
  },
  {
    what: 'a one-to-one reference becomes one of several',
    before: [owner, thing({ ...plain, ownerId: oneToOne('owner', { onDelete: 'keep' }) })],
    after: [owner, thing({ ...plain, ownerId: reference('owner', { onDelete: 'keep' }) })],
    stored: (n) => ({ ownerId: n }),
    becomes: () => ({}),
  },
]

export const schemaChanges: readonly SchemaChange[] = [...tableChanges, ...typeChanges]
